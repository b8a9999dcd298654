import type { ExecResult } from "just-bash/browser";
import { inLocale, whole } from "../locale.ts";
import { lowerCase, upperCase } from "../text/letter-case.ts";
import { doubleQuoted } from "./quoting.ts";

export interface ShellArray {
  readonly kind: "indexed" | "associative";
  readonly elements: Map<string, string>;
}

/** Variables whose values are changed when they are assigned. */
export interface Attributes {
  integerVars?: Set<string>;
  lowercaseVars?: Set<string>;
  uppercaseVars?: Set<string>;
}

/** What the interpreter keeps of variables. */
export interface Variables extends Attributes {
  readonly env: ReadonlyMap<string, string>;
  readonly arrays?: ReadonlyMap<string, ShellArray>;
  readonly associativeArrays?: ReadonlySet<string>;
  readonly namerefs?: ReadonlySet<string>;
  readonly readonlyVars?: ReadonlySet<string>;
  readonly exportedVars?: ReadonlySet<string>;
  /** Variables that exist without a value. */
  readonly declaredVars?: ReadonlySet<string>;
  readonly localVarDepth?: ReadonlyMap<string, number>;
}

const CHANGING = { i: "integerVars", l: "lowercaseVars", u: "uppercaseVars" } as const;
const CHANGES = ["i", "l", "u"] as const;

/** Attributes of a variable, as letters in the order of `declare -p`. */
export function attributesOf(state: Variables, name: string): string {
  const isMap = state.associativeArrays?.has(name) === true;
  const isList = !isMap && state.arrays?.get(name)?.kind === "indexed";
  const found: readonly (readonly [string, boolean | undefined])[] = [
    ["a", isList],
    ["A", isMap],
    ["i", state.integerVars?.has(name)],
    ["n", state.namerefs?.has(name)],
    ["r", state.readonlyVars?.has(name)],
    ["x", state.exportedVars?.has(name)],
    ["l", state.lowercaseVars?.has(name)],
    ["u", state.uppercaseVars?.has(name)],
  ];
  return found.map(([letter, isSet]) => (isSet === true ? letter : "")).join("");
}

/** What stands before the value in the command that `${v@A}` prints. */
export function assignmentText(state: Variables, parameter: string): string {
  const name = parameter.replace(/\[[^]*/, "");
  const attributes = attributesOf(state, name);
  return `${attributes === "" ? "" : `declare -${attributes} `}${name}=`;
}

/** The command that declares a variable, as `declare -p` prints it; null if there is none. */
export function declaration(state: Variables, name: string): string | null {
  const letters = attributesOf(state, name);
  const shown = (value: string) => doubleQuoted(inLocale(state.env, value));
  const start = `declare -${letters === "" ? "-" : letters} ${name}`;
  const { elements } = state.arrays?.get(name) ?? {};
  if (letters.startsWith("A")) {
    const pairs = [...(elements?.keys() ?? [])]
      .sort()
      .map((key) => `[${keyText(key)}]=${shown(elements?.get(key) ?? "")} `);
    return `${start}=(${pairs.join("")})`;
  }
  if (letters.startsWith("a")) {
    const sorted = [...(elements ?? [])].sort(([one], [other]) => Number(one) - Number(other));
    return `${start}=(${sorted.map(([key, value]) => `[${key}]=${shown(value)}`).join(" ")})`;
  }
  const value = state.env.get(name);
  if (value !== undefined) return `${start}=${shown(value)}`;
  return state.declaredVars?.has(name) === true || state.localVarDepth?.has(name) === true ? start : null;
}

function keyText(key: string): string {
  return /^[\w.%+:,=/-]+$/.test(key) ? key : doubleQuoted(key);
}

/** What `declare -p` prints about the given variables, or about all that have one of the given attributes. */
export function declared(state: Variables, names: readonly string[], letters = ""): ExecResult {
  if (names.length > 0) {
    const found = names.map((name) => ({ name, text: declaration(state, name) }));
    const missing = found.filter(({ text }) => text === null);
    return {
      stdout: found.map(({ text }) => (text === null ? "" : `${text}\n`)).join(""),
      stderr: missing.map(({ name }) => `bash: declare: ${name}: not found\n`).join(""),
      exitCode: missing.length === 0 ? 0 : 1,
    };
  }
  const all = [...state.env.keys(), ...(state.arrays?.keys() ?? []), ...(state.associativeArrays ?? [])];
  const lines = [...new Set(all)]
    .filter((name) => /^(?!BASH_)[A-Za-z_]/.test(name))
    .filter((name) => letters === "" || Array.from(attributesOf(state, name)).some((one) => letters.includes(one)))
    .sort()
    .map((name) => `${declaration(state, name)}\n`);
  return { stdout: lines.join(""), stderr: "", exitCode: 0 };
}

type Calculate = (text: string) => Promise<string>;

/** A value as the attributes of its variable change it. */
export async function settled(
  state: Attributes,
  [name, value]: readonly [string, string],
  calculate: Calculate,
): Promise<string> {
  if (state.integerVars?.has(name) === true) return /^(?:0|-?[1-9]\d*)$/.test(value) ? value : calculate(value);
  if (state.lowercaseVars?.has(name) === true) return lowerCase(value);
  return whole(state.uppercaseVars?.has(name) === true ? upperCase(value) : value);
}

/** What `+=` makes of an element of a list of integers, before it is calculated; undefined for other lists. */
export function addedTo({ integerVars }: Attributes, name: string, [before, more]: readonly [string, string]) {
  return integerVars?.has(name) === true ? `(${before || "0"})+(${more})` : undefined;
}

/** Changes all elements of a list as its attributes say. */
export async function settleList(state: Variables, name: string, calculate: Calculate): Promise<void> {
  const { elements } = state.arrays?.get(name) ?? {};
  if (elements === undefined || !CHANGES.some((letter) => state[CHANGING[letter]]?.has(name))) return;
  for (const [key, value] of elements) elements.set(key, await settled(state, [name, value], calculate));
}

/** Runs `declare` or `local` with attributes that hold for the elements of lists, too, and that `+` takes away. */
export async function withAttributes(
  state: Variables,
  args: readonly string[],
  { run, calculate }: { readonly run: () => Promise<ExecResult>; readonly calculate: Calculate },
): Promise<ExecResult> {
  const options = args.filter((arg) => /^[-+][A-Za-z]+$/.test(arg));
  const names = args.flatMap((arg) => /^[A-Za-z_]\w*/.exec(arg)?.[0] ?? []);
  if (options.some((option) => /^-\w*[pfF]/.test(option))) return run();
  for (const letter of CHANGES) {
    const option = options.findLast((one) => one.includes(letter));
    if (option === undefined) continue;
    state[CHANGING[letter]] ??= new Set();
    for (const name of names) {
      if (option.startsWith("-")) state[CHANGING[letter]]?.add(name);
      else state[CHANGING[letter]]?.delete(name);
    }
  }
  const result = await run();
  for (const name of names) await settleList(state, name, calculate);
  return result;
}

/** Forgets the attributes of a variable that a function hides; the returned function restores them. */
export function hideAttributes(state: Attributes, name: string): () => void {
  const before = CHANGES.map((letter) => ({ letter, isSet: state[CHANGING[letter]]?.delete(name) === true }));
  return () => {
    for (const { letter, isSet } of before) {
      if (isSet) state[CHANGING[letter]]?.add(name);
      else state[CHANGING[letter]]?.delete(name);
    }
  };
}
