/** Finds a setting in a configuration file by its form alone: TOML, INI, .env, YAML and JSON. */

export type SettingChange =
  | {
      readonly type: "edit";
      readonly oldString: string;
      readonly newString: string;
      readonly oldValue: string;
      readonly newValue: string;
    }
  | { readonly type: "same"; readonly value: string }
  | { readonly type: "differs"; readonly value: string }
  | { readonly type: "missing" }
  | { readonly type: "several"; readonly lines: readonly number[] };

interface Found {
  readonly line: number;
  /** Column at which the value starts. */
  readonly start: number;
  readonly value: string;
  readonly path: readonly string[];
}

const SECTION = /^\s*\[{1,2}\s*([^\]]+?)\s*\]{1,2}\s*(?:[#;].*)?$/;
const VALUE = `"(?:[^"\\\\]|\\\\.)*"|'[^']*'|[^\\s,}\\]#;]+(?:[ \\t]+[^\\s,}\\]#;]+)*`;
const ENTRY = new RegExp(`^(\\s*)(?:export\\s+|-\\s+)?["']?([\\w.$-]+)["']?\\s*[=:]\\s*(${VALUE})?`);
/** Further entries on the same line, as in compact JSON or inline tables. */
const INLINE = new RegExp(`["']?([\\w.$-]+)["']?\\s*[=:]\\s*(${VALUE})`, "g");

/** Longer lines are not considered. In characters. */
const LONGEST_LINE = 1_000;

export interface SettingRequest {
  /** `port`, or `server.port` if there are several. */
  readonly key: string;
  /** The present value according to the person; null if they named none. */
  readonly from: string | null;
  readonly value: string;
}

/** The edit that sets `key` to its new value, in the file's own notation. */
export function changeSetting(content: string, { key, from, value }: SettingRequest): SettingChange {
  const lines = content.split("\n");
  const found = settingsCalled(lines, key);
  const [only] = found;
  if (only === undefined) return { type: "missing" };
  if (found.length > 1) return { type: "several", lines: found.map(({ line }) => line + 1) };
  const line = lines[only.line] ?? "";
  const newValue = written(value, only.value);
  const oldValue = bare(only.value);
  if (newValue === only.value) return { type: "same", value: oldValue };
  if (from !== null && from !== oldValue) return { type: "differs", value: oldValue };
  const changed = line.slice(0, only.start) + newValue + line.slice(only.start + only.value.length);
  const before = contextFor(lines, only.line);
  return {
    type: "edit",
    oldString: [...before, line].join("\n"),
    newString: [...before, changed].join("\n"),
    oldValue,
    newValue: bare(newValue),
  };
}

/** Exact spelling wins over different case. A dotted key matches the end of an entry's path. */
function settingsCalled(lines: readonly string[], key: string): Found[] {
  const wanted = key.split(".");
  const entries = entriesOf(lines);
  const ends = (path: readonly string[], fold: (part: string) => string) =>
    wanted.length <= path.length &&
    wanted.every((part, index) => fold(path[path.length - wanted.length + index] ?? "") === fold(part));
  const exact = entries.filter(({ path }) => ends(path, (part) => part));
  return exact.length > 0 ? exact : entries.filter(({ path }) => ends(path, (part) => part.toLowerCase()));
}

function entriesOf(lines: readonly string[]): Found[] {
  const found: Found[] = [];
  let section: string[] = [];
  let parents: { indent: number; key: string }[] = [];
  for (const [line, text] of lines.entries()) {
    if (text.length > LONGEST_LINE) continue;
    const header = SECTION.exec(text);
    if (header !== null) {
      section = (header[1] ?? "").split(".").map((part) => bare(part.trim()));
      parents = [];
      continue;
    }
    if (/^\s*(?:[#;]|\/\/)/.test(text)) continue;
    const entry = ENTRY.exec(text);
    if (entry === null) {
      found.push(...inlineEntries(text, { line, prefix: [...section, ...parents.map(({ key }) => key)] }));
      continue;
    }
    const [whole, indent = "", key = "", value] = entry;
    parents = parents.filter((parent) => parent.indent < indent.length);
    const path = [...section, ...parents.flatMap((parent) => parent.key.split(".")), ...key.split(".")];
    if (value === undefined || /^[{[]/.test(value)) {
      parents.push({ indent: indent.length, key });
      const offset = whole.length - (value?.length ?? 0);
      found.push(...inlineEntries(text.slice(offset), { line, prefix: path, offset }));
    } else found.push({ line, start: whole.length - value.length, value, path });
  }
  return found;
}

function inlineEntries(text: string, at: { line: number; prefix: readonly string[]; offset?: number }): Found[] {
  return [...text.matchAll(INLINE)].flatMap((match): Found[] => {
    const [whole, key = "", value = ""] = match;
    if (/^[{[]/.test(value)) return [];
    const start = (at.offset ?? 0) + match.index + whole.length - value.length;
    return [{ line: at.line, start, value, path: [...at.prefix, key] }];
  });
}

function bare(value: string): string {
  return /^(["']).*\1$/.test(value) ? value.slice(1, -1) : value;
}

/** The new value in the style of the old one: quoted alike, and quoted if a word replaces a number. */
function written(value: string, old: string): string {
  const quote = /^["']/.exec(old)?.[0];
  if (quote !== undefined) return `${quote}${value}${quote}`;
  const isLiteral = (text: string) => /^(?:true|false|null|[+-]?[\d_]+(?:\.\d+)?)$/i.test(text);
  return isLiteral(old) && !isLiteral(value) ? `"${value}"` : value;
}

/** Preceding lines that make the line unique, because an edit's old text may occur only once. */
function contextFor(lines: readonly string[], line: number): string[] {
  const content = lines.join("\n");
  for (let from = line; from > 0; from--) {
    const candidate = lines.slice(from, line + 1).join("\n");
    if (content.split(candidate).length === 2) return lines.slice(from, line);
  }
  return lines.slice(0, line);
}
