import { type Elements, isElements, UNSET, type Value } from "./values.ts";

type Item = readonly [key: string, value: Value | Elements];
type Order = (a: Item, b: Item) => number;

/** Whole numbers come first, in their order, then other keys as they were added. */
export function keysOf(elements: Elements): string[] {
  const keys = Array.from(elements.keys());
  const numbers = keys.filter((key) => /^(?:0|[1-9]\d{0,8})$/.test(key));
  if (numbers.length === 0) return keys;
  numbers.sort((a, b) => Number(a) - Number(b));
  if (numbers.length === keys.length) return numbers;
  return numbers.concat(keys.filter((key) => !/^(?:0|[1-9]\d{0,8})$/.test(key)));
}

/** Numbers come before texts, and texts before arrays. */
function rankOf(value: Value | Elements): number {
  if (isElements(value)) return 2;
  return typeof value === "string" ? 1 : 0;
}

export interface Comparing {
  readonly compare: (a: Value, b: Value) => number;
  readonly numberOf: (value: unknown) => number;
  readonly textOf: (value: unknown) => string;
}

/** The order of elements of which `PROCINFO["sorted_in"]` and `asort` speak; null for names of functions. */
export function orderOf(name: string, { compare, numberOf, textOf }: Comparing): Order | null {
  const [, what, how, direction] = /^@(ind|val)_(str|num|type)_(asc|desc)$/.exec(name) ?? [];
  if (what === undefined) return null;
  const part = ([key, value]: Item) => (what === "ind" ? key : value);
  const scalar = (value: Value | Elements): Value => (isElements(value) ? UNSET : value);
  const texts = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  const byKey: Order = ([a], [b]) => texts(a, b);
  const ascending: Order = (a, b) => {
    const [left, right] = [part(a), part(b)];
    if (isElements(left) || isElements(right)) return rankOf(left) - rankOf(right) || byKey(a, b);
    if (how === "str") return texts(textOf(left), textOf(right)) || byKey(a, b);
    if (how === "num") return numberOf(left) - numberOf(right) || texts(textOf(left), textOf(right)) || byKey(a, b);
    return rankOf(left) - rankOf(right) || compare(scalar(left), scalar(right)) || byKey(a, b);
  };
  return direction === "asc" ? ascending : (a, b) => ascending(b, a);
}
