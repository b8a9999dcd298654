import { numberText } from "./numbers.ts";
import { given } from "./values.ts";

/** What just-bash's awk knows of arrays. */
export interface Arrays {
  readonly arrays: Record<string, Record<string, unknown>>;
  /** The array that a parameter stands for. */
  readonly arrayAliases: Map<string, string>;
  arrayElementCount: number;
}

export interface Expression {
  readonly type: string;
  readonly name?: string;
}

/** The array that a name in the program stands for. */
export function arrayName({ arrayAliases }: Arrays, name: string): string {
  return arrayAliases.get(name) ?? name;
}

/** The array that an expression names, if there is one. */
export function arrayNamed(state: Arrays, { type, name }: Expression): Record<string, unknown> | undefined {
  return type === "variable" && name !== undefined ? state.arrays[arrayName(state, name)] : undefined;
}

export function keys(state: Arrays, name: string): string[] {
  return Object.keys(state.arrays[arrayName(state, name)] ?? {});
}

/** An array has new elements and no others. */
export function fill(state: Arrays, name: string, elements: Record<string, unknown>): void {
  const array = arrayName(state, name);
  state.arrayElementCount += Object.keys(elements).length - Object.keys(state.arrays[array] ?? {}).length;
  state.arrays[array] = elements;
}

/** What a match has found goes into the array of a third argument, as gawk has it: the whole, and its groups by number. */
export function awkMatched(
  state: Arrays,
  argument: Expression | undefined,
  found: readonly (string | null | undefined)[] | null,
): void {
  if (argument?.type !== "variable" || argument.name === undefined) return;
  const groups: Record<string, unknown> = Object.create(null);
  for (const [at, group] of (found ?? []).entries()) if (typeof group === "string") groups[at] = given(group);
  fill(state, argument.name, groups);
}

interface Element {
  readonly array: string;
  readonly key: string;
}

/** An element in which `sub` replaces. */
export function element(state: Arrays, { array, key }: Element): string {
  return numberText(state.arrays[arrayName(state, array)]?.[key] ?? "");
}

export function setElement(state: Arrays, { array, key }: Element, text: string): void {
  const name = arrayName(state, array);
  const elements = (state.arrays[name] ??= Object.create(null));
  if (!(key in elements)) state.arrayElementCount++;
  elements[key] = text;
}

/** Variables that change how gawk works. */
const UNKNOWN = new Set(["FIELDWIDTHS", "FPAT", "IGNORECASE", "BINMODE", "CONVFMT"]);

export function refuseVariable(name: string, key?: string): void {
  if (UNKNOWN.has(name)) throw new Error(`${name} is not known here`);
  if (name !== "PROCINFO" || key === undefined) return;
  throw new Error(`PROCINFO["${key}"] is not known here${key === "sorted_in" ? ", use sort" : ""}`);
}

interface Assignment {
  readonly operator: string;
  readonly target: { readonly key?: object; readonly index?: object };
}

/** Where `a[i++] += 1` puts its sum is found once, though it is read and written. */
export async function once(
  { operator, target }: Assignment,
  evaluate: (expression: object) => Promise<unknown>,
): Promise<object> {
  const part = target.key === undefined ? "index" : "key";
  const found = target[part];
  if (operator === "=" || found === undefined) return target;
  return { ...target, [part]: { type: "string", value: numberText(await evaluate(found)) } };
}
