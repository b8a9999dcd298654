import { characterCount } from "../text/width.ts";
import { positionOf } from "./characters.ts";
import { numberText } from "./numbers.ts";
import { inputValue } from "./values.ts";

/** Array state of just-bash's awk. */
export interface Arrays {
  readonly arrays: Record<string, Record<string, unknown>>;
  /** Names of the arrays passed to functions, by parameter name. */
  readonly arrayAliases: Map<string, string>;
  arrayElementCount: number;
  readonly SUBSEP: string;
}

export interface Expression {
  readonly type: string;
  readonly name?: string;
}

/** Resolves a name, which may be a function's parameter, to the name of the array. */
export function arrayName({ arrayAliases }: Arrays, name: string): string {
  return arrayAliases.get(name) ?? name;
}

/** The array that an expression names, if there is one. */
export function arrayNamed(state: Arrays, { type, name }: Expression): Record<string, unknown> | undefined {
  return type === "variable" && name !== undefined ? state.arrays[arrayName(state, name)] : undefined;
}

export function arrayKeys(state: Arrays, name: string): string[] {
  return Object.keys(state.arrays[arrayName(state, name)] ?? {});
}

/** Replaces all elements of an array. */
export function replaceElements(state: Arrays, name: string, elements: Record<string, unknown>): void {
  const array = arrayName(state, name);
  state.arrayElementCount += Object.keys(elements).length - Object.keys(state.arrays[array] ?? {}).length;
  state.arrays[array] = elements;
}

interface Found extends ReadonlyArray<string | null | undefined> {
  readonly input?: string;
  readonly indices?: readonly (readonly [start: number, end: number] | undefined)[];
}

/** Fills the array of match's third argument, as gawk does: the whole match at 0, groups by number, and their places. */
export function fillMatchGroups(state: Arrays, argument: Expression | undefined, found: Found | null): void {
  if (argument?.type !== "variable" || argument.name === undefined) return;
  const groups: Record<string, unknown> = Object.create(null);
  for (const [at, group] of (found ?? []).entries()) {
    if (typeof group !== "string") continue;
    groups[at] = inputValue(group);
    groups[`${at}${state.SUBSEP}start`] = positionOf(found?.input ?? "", found?.indices?.[at]?.[0] ?? 0);
    groups[`${at}${state.SUBSEP}length`] = characterCount(group);
  }
  replaceElements(state, argument.name, groups);
}

interface Element {
  readonly array: string;
  readonly key: string;
}

/** Text of the array element in which `sub` replaces. */
export function elementText(state: Arrays, { array, key }: Element): string {
  return numberText(state.arrays[arrayName(state, array)]?.[key] ?? "");
}

export function setElementText(state: Arrays, { array, key }: Element, text: string): void {
  const name = arrayName(state, array);
  const elements = (state.arrays[name] ??= Object.create(null));
  if (!(key in elements)) state.arrayElementCount++;
  elements[key] = text;
}

/** Variables that change gawk's behaviour and are not supported. */
const UNSUPPORTED = new Set(["FIELDWIDTHS", "FPAT", "IGNORECASE", "BINMODE", "CONVFMT"]);

export function refuseVariable(name: string, key?: string): void {
  if (UNSUPPORTED.has(name)) throw new Error(`${name} is not known here`);
  if (name !== "PROCINFO" || key === undefined) return;
  throw new Error(`PROCINFO["${key}"] is not known here${key === "sorted_in" ? ", use sort" : ""}`);
}

interface Assignment {
  readonly operator: string;
  readonly target: { readonly key?: object; readonly index?: object };
}

/** Evaluates the subscript of `a[i++] += 1` only once, although the element is read and written. */
export async function evaluateSubscriptOnce(
  { operator, target }: Assignment,
  evaluate: (expression: object) => Promise<unknown>,
): Promise<object> {
  const part = target.key === undefined ? "index" : "key";
  const found = target[part];
  if (operator === "=" || found === undefined) return target;
  return { ...target, [part]: { type: "string", value: numberText(await evaluate(found)) } };
}
