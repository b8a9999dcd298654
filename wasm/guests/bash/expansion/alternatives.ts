import type { Expand, Expanded, Word, WordPart } from "./word.ts";

interface State {
  readonly env: Map<string, string>;
}

/** Prefix of the names of variables that hold texts without quotes, which are split into words and matched to files. */
const TEXT = "__text";
const QUOTED = /^(?:SingleQuoted|DoubleQuoted|Escaped)$/;
const YES: Word = { type: "Word", parts: [{ type: "Literal", value: "yes" }] };

/**
 * Expands a word with `${u:-a "b c"}` or `${v+"$@"}` as if the quotes and texts of the alternative stood in the word;
 * undefined for words without quotes in an alternative.
 */
export async function expandAlternatives(state: State, word: Word, expand: Expand): Promise<Expanded | undefined> {
  if (!word.parts.some(hasQuotes)) return undefined;
  const parts: WordPart[] = [];
  const names: string[] = [];
  const text = (value: string): WordPart => {
    const name = `${TEXT}${names.length}`;
    names.push(name);
    state.env.set(name, value);
    return { type: "ParameterExpansion", parameter: name, operation: null };
  };
  for (const part of word.parts) {
    if (!hasQuotes(part)) parts.push(part);
    else if ((await isSet(part, expand)) !== (part.operation?.type === "UseAlternative")) {
      if (part.operation?.type === "DefaultValue") parts.push({ ...part, operation: null });
    } else
      for (const own of part.operation?.word?.parts ?? []) {
        const bare = own.type === "Literal" ? own.value : own.type === "Glob" ? own.pattern : undefined;
        parts.push(bare === undefined ? own : text(bare));
      }
  }
  const expanded = parts.length === 0 ? { values: [], quoted: false } : await expand({ ...word, parts });
  for (const name of names) state.env.delete(name);
  return expanded;
}

/** Whether a part of a word is an expansion whose alternative contains quotes. */
function hasQuotes({ type, operation }: WordPart): boolean {
  const isAlternative = operation?.type === "DefaultValue" || operation?.type === "UseAlternative";
  return type === "ParameterExpansion" && isAlternative && operation.word?.parts.some(isQuoted) === true;
}

function isQuoted({ type }: WordPart): boolean {
  return QUOTED.test(type);
}

/** Whether the parameter is set and, if the operation has a colon, not empty. */
async function isSet(part: WordPart, expand: Expand): Promise<boolean> {
  const asked = { ...part, operation: { ...part.operation, type: "UseAlternative", word: YES } };
  const { values } = await expand({ type: "Word", parts: [{ type: "DoubleQuoted", parts: [asked] }] });
  return values.join("") !== "";
}
