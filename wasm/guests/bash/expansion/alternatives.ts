import type { Expand, Expanded, Word, WordPart } from "./word.ts";

interface State {
  readonly env: Map<string, string>;
}

/** Prefix of the names of variables that hold texts without quotes, which are split into words and matched to files. */
const TEXT = "__text";
const ALTERNATIVE = /^(?:DefaultValue|UseAlternative|AssignDefault)$/;
const LIST = /^@$|\[@\]$/;
const QUOTED = /^(?:SingleQuoted|DoubleQuoted|Escaped)$/;
const YES: Word = { type: "Word", parts: [{ type: "Literal", value: "yes" }] };

/**
 * Expands a word with `${u:-a "b c"}`, `${v+"$@"}` or `"${u:-$@}"` as if the quotes and texts of the alternative stood in
 * the word; undefined for other words.
 */
export async function expandAlternatives(state: State, word: Word, expand: Expand): Promise<Expanded | undefined> {
  if (!word.parts.some(needsOwn)) return undefined;
  const names: string[] = [];
  const text = (value: string): WordPart => {
    const name = `${TEXT}${names.length}`;
    names.push(name);
    state.env.set(name, value);
    return { type: "ParameterExpansion", parameter: name, operation: null };
  };
  const replaced = async (part: WordPart, isInQuotes: boolean): Promise<readonly WordPart[]> => {
    if (part.type === "DoubleQuoted") {
      const parts: WordPart[] = [];
      for (const own of part.parts ?? []) parts.push(...(await replaced(own, true)));
      return [{ ...part, parts }];
    }
    const { type, word: alternative } = part.operation ?? {};
    if (isInQuotes ? !isList(part) : !hasQuotes(part)) return [part];
    if (type === "AssignDefault") await expand(inQuotes(part));
    if (type === "AssignDefault" || (await isSet(part, expand)) !== (type === "UseAlternative"))
      return type === "UseAlternative" && !LIST.test(part.parameter ?? "") ? [] : [{ ...part, operation: null }];
    return (alternative?.parts ?? []).flatMap((own) => {
      if (isInQuotes) return own.type === "DoubleQuoted" ? (own.parts ?? []) : [own];
      const bare = own.type === "Literal" ? own.value : own.type === "Glob" ? own.pattern : undefined;
      return [bare === undefined ? own : text(bare)];
    });
  };
  const parts: WordPart[] = [];
  for (const part of word.parts) parts.push(...(needsOwn(part) ? await replaced(part, false) : [part]));
  const expanded = parts.length === 0 ? { values: [], quoted: false } : await expand({ ...word, parts });
  for (const name of names) state.env.delete(name);
  return expanded;
}

function needsOwn(part: WordPart): boolean {
  return part.type === "DoubleQuoted" ? part.parts?.some(isList) === true : hasQuotes(part);
}

/** Whether a part of a word is an expansion whose alternative contains quotes. */
function hasQuotes({ type, operation }: WordPart): boolean {
  return type === "ParameterExpansion" && ALTERNATIVE.test(operation?.type ?? "") && has(operation?.word, isQuoted);
}

/** Whether a part of a word is an expansion that may yield the words of `$@` or of a list, itself or its alternative. */
function isList(part: WordPart): boolean {
  const isWords = ({ parameter = "", parts = [] }: WordPart): boolean => LIST.test(parameter) || parts.some(isWords);
  return /^(?:Def|Use)/.test(part.operation?.type ?? "") && (isWords(part) || has(part.operation?.word, isWords));
}

function has(word: Word | null | undefined, what: (part: WordPart) => boolean): boolean {
  return word?.parts.some(what) === true;
}

function isQuoted({ type }: WordPart): boolean {
  return QUOTED.test(type);
}

/** Whether the parameter is set and, if the operation has a colon, not empty. */
async function isSet(part: WordPart, expand: Expand): Promise<boolean> {
  if (LIST.test(part.parameter ?? "")) {
    const { values } = await expand(inQuotes({ ...part, operation: null }));
    return part.operation?.checkEmpty === true ? values.join(" ") !== "" : values.length > 0;
  }
  const asked = { ...part, operation: { ...part.operation, type: "UseAlternative", word: YES } };
  const { values } = await expand(inQuotes(asked));
  return values.join("") !== "";
}

function inQuotes(part: WordPart): Word {
  return { type: "Word", parts: [{ type: "DoubleQuoted", parts: [part] }] };
}
