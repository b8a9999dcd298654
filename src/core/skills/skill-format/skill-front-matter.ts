import matter from "gray-matter";
import { z } from "zod";

/** Maximum length of the YAML between the dashes, in characters. Parsing more would be costly and useless. */
const MAX_FRONT_MATTER = 16_384;

/** Maximum number of values, counting each repetition by an alias, because a few lines can stand for millions. */
const MAX_VALUES = 4_000;

/** Maximum number of fields that are parsed separately. */
const MAX_FIELDS = 100;

export type FrontMatter =
  | {
      readonly type: "read";
      /** The parsed YAML mapping. It is small even when aliases are counted each time. */
      readonly data: Readonly<Record<string, unknown>>;
      readonly body: string;
      /** Names of fields that were left out because they are not valid YAML. */
      readonly unreadable: readonly string[];
      /** Returns the line of a top-level key, counted from 1. */
      lineOf(key: string): number;
    }
  | { readonly type: "broken"; readonly line: number; readonly reason: string };

/**
 * Reads a Markdown file that begins with YAML between lines of three dashes. Unquoted values with a colon are accepted,
 * as in other programs. With `mayLeaveOut`, invalid YAML is parsed field by field; never set this if a field could
 * restrict its reader. With `isOptional`, the front matter and its description may be missing.
 */
export function readFrontMatter(
  file: string,
  { mayLeaveOut, isOptional = false }: { readonly mayLeaveOut: boolean; readonly isOptional?: boolean },
): FrontMatter {
  const whole = file.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
  const before = isOptional ? "" : (BEFORE.exec(whole)?.[0] ?? "");
  const text = whole.slice(before.length);
  const above = before.split("\n").length - 1;
  const block = /^---[ \t]*\n(?:(.*?)\n)?---[ \t]*(?:\n|$|(?=#))/s.exec(text);
  if (block === null && isOptional && !BEGINS.test(text))
    return { type: "read", data: {}, body: text, unreadable: [], lineOf: () => 1 };
  if (block === null) return broken(1, missingBlock(text));
  const yaml = block[1] ?? "";
  if (yaml.length > MAX_FRONT_MATTER)
    return broken(1, `the front matter is longer than ${MAX_FRONT_MATTER} characters`);
  const body = text.slice(block[0].length);
  const first = parse(yaml);
  const quoted = first.type === "broken" ? orElse(parse(quoteColons(yaml)), first) : first;
  const isNoYaml = mayLeaveOut && quoted.type === "broken" && quoted.reason !== REPEATED;
  const { unreadable = [], ...parsed } = isNoYaml ? orElse(parseFields(yaml, isOptional), quoted) : quoted;
  if (parsed.type === "broken") return broken(parsed.line + above, parsed.reason);
  return { type: "read", data: parsed.data, body, unreadable, lineOf: (key) => lineOf(yaml, key) + above };
}

/** Blank lines and comments before the first dashes, such as a copyright notice. */
const BEFORE = /^(?:\s*<!--(?:(?!-->)[^])*-->)*\s*(?=---[ \t]*\n)/;

/**
 * Matches fields that may be taken as plain text. A description with a tag, or with an unclosed quote or bracket, is a
 * mistake instead.
 */
const PLAIN_TEXT = /^(?:argument-hint:[ \t]+|description:[ \t]+(?!["'][^"']*$|[[{][^\]}]*$|[!&|>]))(\S.*)$/s;

/**
 * Parses each field separately if the whole is not valid YAML. `argument-hint: [file] [format]` and `description:
 * [draft] Checks …` are taken as text, and other invalid fields are left out. The file is broken if a name is repeated
 * or the description is missing.
 */
function parseFields(yaml: string, isOptional: boolean): Parsed {
  const blocks = yaml.split(/\n(?=[\w-]+:)/).map((block) => ({ block, key: /^([\w-]+):/.exec(block)?.[1] }));
  if (blocks.length > MAX_FIELDS) return broken(1, "the front matter is not valid YAML");
  const data: Record<string, unknown> = Object.create(null);
  const unreadable: string[] = [];
  for (const { block, key } of blocks) {
    if (key === undefined || key in data) return broken(1, "the front matter is not valid YAML");
    const parsed = parse(quoteColons(block));
    const text = PLAIN_TEXT.exec(block)?.[1];
    if (parsed.type === "read") Object.assign(data, parsed.data);
    else if (parsed.reason === REPEATED) return parsed;
    else if (text === undefined) unreadable.push(key);
    else data[key] = text;
  }
  if (!isOptional && typeof data["description"] !== "string") return broken(1, "the front matter is not valid YAML");
  return { type: "read", data: { ...data }, unreadable };
}

const BEGINS = /^---[ \t]*\n/;

function missingBlock(text: string): string {
  return BEGINS.test(text)
    ? "the front matter is not closed by a line of three dashes"
    : "the file must begin with front matter: YAML between two lines of three dashes";
}

interface Read {
  readonly type: "read";
  readonly data: Record<string, unknown>;
  readonly unreadable?: readonly string[];
}
type Broken = Extract<FrontMatter, { type: "broken" }> & { readonly unreadable?: never };
const REPEATED = "the front matter repeats its parts too often";

type Parsed = Read | Broken;

const orElse = (parsed: Parsed, other: Broken): Parsed => (parsed.type === "read" ? parsed : other);

/** Errors of js-yaml. `mark.line` counts from 0, and gray-matter's input begins with the end of the first line. */
const yamlError = z.object({ reason: z.string(), mark: z.object({ line: z.int().min(0) }) });
const mapping = z.record(z.string(), z.unknown());

function parse(yaml: string): Parsed {
  try {
    const data = mapping.safeParse(matter(`---\n${yaml}\n---\n`, YAML_ONLY).data);
    if (!data.success) return broken(2, "the front matter is not a mapping of names");
    if (hasMoreValuesThan(MAX_VALUES, data.data)) return broken(1, REPEATED);
    return { type: "read", data: data.data };
  } catch (error) {
    const known = yamlError.safeParse(error);
    return known.success
      ? broken(known.data.mark.line + 1, withRemedy(known.data.reason))
      : broken(1, "the front matter is not valid YAML");
  }
}

/** Adds advice to an error of the YAML parser. */
function withRemedy(reason: string): string {
  const remedy = reason.includes("duplicated mapping key")
    ? "a name appears twice; remove one"
    : "indent related lines by the same number of spaces, and put text with special characters (: # [ { * & ! ' \") in closed quotes";
  return `${reason}: ${remedy}`;
}

/**
 * Whether there are more values than `most`, looking at no more than necessary. A recursive alias counts as infinitely
 * many.
 */
function hasMoreValuesThan(most: number, root: unknown): boolean {
  const waiting = [root];
  for (let seen = 0; waiting.length > 0; seen += 1) {
    if (seen + waiting.length > most) return true;
    const value = waiting.pop();
    if (typeof value === "object" && value !== null) waiting.push(...Object.values(value));
  }
  return false;
}

const refuseEngine = () => {
  throw new SyntaxError("only YAML is read");
};

/**
 * Keeps gray-matter from evaluating `---js` blocks, which it does by default, and from caching each file permanently.
 */
const YAML_ONLY = {
  language: "yaml",
  engines: { javascript: refuseEngine, js: refuseEngine, json: refuseEngine, coffee: refuseEngine },
};

function broken(line: number, reason: string): Broken {
  return { type: "broken", line, reason };
}

/**
 * Quotes values such as `description: Use it so: …` and `tools: *`, which are not valid YAML without quotes, and
 * `description: | Use it …`, where a text follows the sign of a block on its line.
 */
function quoteColons(yaml: string): string {
  const stars = yaml.replace(/^([\w-]+):[ \t]+\*[ \t]*$/gm, '$1: "*"');
  const lines = stars.replace(
    BLOCK_IN_LINE,
    (_line, key: string, value: string) => `${key}: ${JSON.stringify(value.trim())}`,
  );
  return lines.replace(/^([\w-]+):[ \t]+([^\s"'|>[{&*!].*(?::[ \t]|:$).*)$/gm, (_line, key: string, value: string) => {
    return `${key}: ${JSON.stringify(value.trim())}`;
  });
}

const BLOCK_IN_LINE = /^([\w-]+):[ \t]+[|>][+-]?[ \t]+([^\s#].*)$/gm;

function lineOf(yaml: string, key: string): number {
  const index = yaml.split("\n").findIndex((line) => line.startsWith(key) && /^["']?\s*:/.test(line.slice(key.length)));
  return index < 0 ? 1 : index + 2;
}
