interface Part {
  readonly type: string;
  readonly value?: string;
  readonly pattern?: string;
}

interface Word {
  readonly parts: readonly Part[];
  readonly elements?: readonly Word[];
}

/** Expands `name=(…)` and escapes each element for a builtin; undefined for other words. `textOf` splits no words. */
export async function listAssignmentText(
  { parts, elements }: Word,
  expand: (word: Word) => Promise<{ readonly values: readonly string[] }>,
  textOf: (word: Word) => Promise<string>,
): Promise<string | undefined> {
  const [, name] = /^([A-Za-z_]\w*)=\(/.exec(parts[0]?.value ?? "") ?? [];
  if (elements === undefined || name === undefined) return undefined;
  const isBraced = (word: Word) => pairOf(word)?.value.parts.some((part) => part.type === "BraceExpansion") === true;
  // Braces in a value are not expanded, but the syntax tree no longer holds the text as it was written.
  if (elements.some(isBraced)) return undefined;
  const texts: string[] = [];
  for (const element of elements) {
    const pair = pairOf(element);
    if (pair === null) for (const value of (await expand(element)).values) texts.push(escaped(value));
    else texts.push(`[${escaped(await textOf(pair.key))}]${pair.sign}${escaped(await textOf(pair.value))}`);
  }
  return `${name}=(${texts.join(" ")})`;
}

/** Joins the words of keys, and of other elements that begin with a bracket, with spaces. */
export function withWholeKeys(elements: readonly Word[]): Word[] {
  const found: Word[] = [];
  for (const element of elements) {
    const text = merged(found.at(-1)?.parts ?? [])
      .map(literalOf)
      .join("");
    if (!text.startsWith("[") || text.includes("]")) found.push(element);
    else found.push({ ...element, parts: joinedParts(found.pop(), element) });
  }
  return found;
}

/** The parts of two words and the space between them; a key before `=` is a part of its own, as the parser has it. */
function joinedParts(before: Word | undefined, { parts }: Word): Part[] {
  const [first, ...others] = merged([...(before?.parts ?? []), literal(" "), ...parts]);
  const [, pattern, behind = ""] = /^(\[[^\]]*\])(\+?=[^]*)$/.exec(literalOf(first)) ?? [];
  if (first === undefined || pattern === undefined) return [...(before?.parts ?? []), literal(" "), ...parts];
  return [{ type: "Glob", pattern }, literal(behind), ...others];
}

/** The key and the value of `[key]=value`; null for other elements. */
function pairOf(word: Word): { readonly key: Word; readonly sign: string; readonly value: Word } | null {
  const parts = merged(word.parts);
  if (!literalOf(parts[0]).startsWith("[")) return null;
  for (const [at, part] of parts.entries()) {
    const text = literalOf(part);
    const [, before, sign = "", behind = ""] = /^([^\]]*)\](\+?=)([^]*)$/.exec(at === 0 ? text.slice(1) : text) ?? [];
    if (before === undefined) continue;
    const first = at === 0 ? [] : [literal(literalOf(parts[0]).slice(1)), ...parts.slice(1, at)];
    return {
      key: { parts: [...first, literal(before)] },
      sign,
      value: { parts: [literal(behind), ...parts.slice(at + 1)] },
    };
  }
  return null;
}

/** Joins adjacent literal parts, because the parser may read a key such as `[a]` as a pattern. */
function merged(parts: readonly Part[]): Part[] {
  const found: Part[] = [];
  for (const part of parts) {
    const [last, text] = [found.at(-1), literalOf(part)];
    if (text === "") found.push(part);
    else if (last?.type === "Literal") found.splice(-1, 1, literal(literalOf(last) + text));
    else found.push(literal(text));
  }
  return found;
}

function literal(value: string): Part {
  return { type: "Literal", value };
}

function literalOf(part: Part | undefined): string {
  return part?.type === "Glob" ? unquoted(part.pattern ?? "") : part?.type === "Literal" ? (part.value ?? "") : "";
}

function escaped(value: string): string {
  return value === "" ? "''" : value.replace(/[^\w./:@%+,-]/gu, "\\$&");
}

/** Matches a word, including escapes and quoted texts. */
const WORD = /(?:\\[^]|'[^']*'|"(?:\\[^]|[^"\\])*"|[^\s\\'"])+/y;
/** Matches `[key]=`. */
const KEY = /\[((?:\\[^]|'[^']*'|"(?:\\[^]|[^"\\])*"|[^\]\\'"])*)\]=/y;

/** Parses the keys and values of `[key]=value …`. */
export function parsePairs(text: string): [key: string, value: string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at < text.length; ) {
    KEY.lastIndex = at;
    const [head, key = ""] = KEY.exec(text) ?? [];
    WORD.lastIndex = at + (head?.length ?? 0);
    const [word = ""] = WORD.exec(text) ?? [];
    if (head !== undefined) pairs.push([unquoted(key), unquoted(word)]);
    at += Math.max((head?.length ?? 0) + word.length, 1);
  }
  return pairs;
}

function unquoted(word: string): string {
  return word.replace(
    /\\([^])|'([^']*)'|"((?:\\[^]|[^"\\])*)"/g,
    (_, ...[escape, single, double]: (string | undefined)[]) =>
      double === undefined ? (escape ?? single ?? "") : double.replace(/\\([$`"\\])/g, "$1"),
  );
}
