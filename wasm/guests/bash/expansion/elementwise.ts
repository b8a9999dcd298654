import { declaration, type ShellArray, type Variables } from "./attributes.ts";
import type { Expand, Expanded, Word, WordPart } from "./word.ts";

interface State extends Variables {
  readonly env: Map<string, string>;
  arrays?: Map<string, ShellArray>;
}

/** Name of the variable that holds one element while it is changed. */
const ELEMENT = "__element";
/** Prefix of the names of arrays that hold changed elements. */
const ELEMENTS = "__elements";
/** Matches a parameter that is a list. */
const LIST = /^(?:[A-Za-z_]\w*\[[@*]\]|[@*])$/;
const OPERATIONS = /^(?:CaseModification|PatternRemoval|PatternReplacement|Transform)$/;

/** Expands a word with `${list[@]^}`, `${list[@]/…}` or `${@#…}` to words; undefined for other words. */
export async function expandElementwise(state: State, word: Word, expanding: Expanding): Promise<Expanded | undefined> {
  return isPlainRemoval(word) ? undefined : expandChanged(state, word, { ...expanding, finish: expanding.expand });
}

/** How the interpreter expands words, and a part of a word within quotes that becomes one text. */
interface Expanding {
  readonly expand: Expand;
  readonly expandPart: (part: WordPart) => Promise<string>;
}

/** Expands such a word, which changes each element of a list, as if the list had the changed elements. */
export async function expandChanged<Result>(
  state: State,
  word: Word,
  { finish, ...expanding }: Expanding & { readonly finish: (word: Word) => Promise<Result> },
): Promise<Result | undefined> {
  if (!word.parts.some(hasChange)) return undefined;
  const names: string[] = [];
  const changed = async (part: WordPart): Promise<WordPart> => {
    if (part.type === "DoubleQuoted") return { ...part, parts: await all(part.parts ?? [], changed) };
    if (!hasChange(part)) return part;
    const name = `${ELEMENTS}${names.length}`;
    const elements = await changedElements(state, part, expanding);
    names.push(name);
    state.arrays ??= new Map();
    state.arrays.set(name, { kind: "indexed", elements: new Map(elements.map((one, at) => [String(at), one])) });
    return { ...part, parameter: `${name}[${part.parameter?.includes("*") ? "*" : "@"}]`, operation: null };
  };
  const parts = await all(word.parts, changed);
  const expanded = await finish({ ...word, parts });
  for (const name of names) state.arrays?.delete(name);
  return expanded;
}

/** Whether a part of a word changes each element of a list. */
function hasChange({ type, parameter = "", parts = [], operation }: WordPart): boolean {
  if (type === "DoubleQuoted") return parts.some(hasChange);
  return OPERATIONS.test(operation?.type ?? "") && LIST.test(parameter);
}

/** Whether a word is a removal within quotes and nothing else, which just-bash expands itself, and faster. */
function isPlainRemoval({ parts: [quotes, ...others] }: Word): boolean {
  const [part, ...more] = quotes?.parts ?? [];
  return others.length + more.length === 0 && part?.operation?.type === "PatternRemoval";
}

async function all(parts: readonly WordPart[], change: (part: WordPart) => Promise<WordPart>): Promise<WordPart[]> {
  const changed: WordPart[] = [];
  for (const part of parts) changed.push(await change(part));
  return changed;
}

async function changedElements(state: State, part: WordPart, expanding: Expanding): Promise<string[]> {
  const { expand, expandPart } = expanding;
  const { env } = state;
  const { parameter = "", operation } = part;
  if (operation?.operator === "A" && parameter.endsWith("]")) {
    const [, ...words] = /^(\S+) (\S+) ([^]*)$/.exec(declaration(state, parameter.replace(/\[.*/, "")) ?? "") ?? [];
    return words;
  }
  const { values } = await expand(quoted({ ...part, parameter: parameter.replace("*", "@"), operation: null }));
  const changed: string[] = [];
  const one = { ...part, parameter: ELEMENT };
  for (const value of values) {
    env.set(ELEMENT, value);
    changed.push(await expandPart(one));
  }
  env.delete(ELEMENT);
  return changed;
}

function quoted(part: WordPart): Word {
  return { type: "Word", parts: [{ type: "DoubleQuoted", parts: [part] }] };
}
