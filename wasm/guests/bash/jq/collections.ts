import { textOf } from "./json.ts";
import { describe, OPERATORS } from "./operators.ts";
import { text, type ValueFunction } from "./texts.ts";
import {
  charactersOf,
  child,
  compare,
  deleteAll,
  isArray,
  isNumber,
  isObject,
  isTrue,
  JqError,
  type Json,
  type Path,
  setAt,
  sortedKeys,
  typeOf,
} from "./values.ts";

export function listOf(value: Json = null, what = ""): readonly Json[] {
  if (!isArray(value)) throw new JqError(`${describe(value)} ${what}`);
  return value;
}

function lengthOf(value: Json): Json {
  if (value === null) return 0;
  if (isNumber(value)) return value < 0 ? -value : value;
  if (typeof value === "string") return charactersOf(value).length;
  if (isArray(value)) return value.length;
  if (isObject(value)) return value.size;
  throw new JqError(`${describe(value)} has no length`);
}

function keysOf(value: Json, sorted: boolean): Json[] {
  if (isArray(value)) return [...value.keys()];
  if (isObject(value)) return sorted ? sortedKeys(value) : [...value.keys()];
  throw new JqError(`${describe(value)} has no keys`);
}

function has(value: Json, key: Json = null): Json {
  if (isObject(value) && typeof key === "string") return value.has(key);
  if (isArray(value) && isNumber(key)) return key >= 0 && key < value.length;
  throw new JqError(
    `Cannot check whether ${typeOf(value)} has a ${typeof key === "string" ? "string" : typeOf(key)} key`,
  );
}

function contains(a: Json, b: Json = null): boolean {
  if (isObject(a) && isObject(b))
    return [...b].every(([key, value]) => a.has(key) && contains(a.get(key) ?? null, value));
  if (isArray(a) && isArray(b)) return b.every((wanted) => a.some((item) => canContain(item, wanted)));
  if (typeof a === "string" && typeof b === "string") return a.includes(b);
  if (typeOf(a) === typeOf(b)) return compare(a, b) === 0;
  throw new JqError(`${describe(a)} and ${describe(b)} cannot have their containment checked`);
}

function canContain(a: Json, b: Json): boolean {
  return typeOf(a) === typeOf(b) && contains(a, b);
}

function flattened(value: Json, depth: number): Json[] {
  const items = isObject(value) ? [...value.values()] : listOf(value, "cannot be flattened");
  return items.flatMap((item) => (isArray(item) && depth > 0 ? flattened(item, depth - 1) : [item]));
}

function joined(input: Json, separator: Json = null): Json {
  const items = isObject(input) ? [...input.values()] : listOf(input, "cannot be joined");
  const asText = (item: Json) => (isNumber(item) || typeof item === "boolean" ? textOf(item) : (item ?? ""));
  return items.reduce<Json>((text, item, at) => {
    const parts: Json[] = at === 0 ? [asText(item)] : [separator, asText(item)];
    return parts.reduce<Json>((sum, part) => OPERATORS["+"]?.(sum, part) ?? null, text);
  }, "");
}

function transposed(input: Json): Json {
  const rows = listOf(input, "cannot be transposed").map((row) => listOf(row, "cannot be transposed"));
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  return Array.from({ length: width }, (_, at) => rows.map((row) => row[at] ?? null));
}

function entriesFrom(input: Json): Json {
  const entries = isObject(input) ? [...input.values()] : listOf(input, "cannot be iterated over");
  const named = (entry: Json, names: readonly string[], takes: (value: Json) => boolean): Json => {
    if (!isObject(entry)) throw new JqError(`Cannot index ${typeOf(entry)} with "key"`);
    return names.map((name) => entry.get(name) ?? null).find(takes) ?? null;
  };
  return new Map(
    entries.map((entry) => {
      const key = named(entry, ["key", "k", "name", "Name", "K", "Key"], (value) => value !== null);
      if (typeof key === "object" && key !== null) throw new JqError(`Cannot use ${describe(key)} as object key`);
      const value = named(entry, ["value", "v", "Value", "V"], (value) => value !== null);
      return [text(key), value];
    }),
  );
}

function searched(input: Json, wanted: Json = null): Json {
  const items = listOf(input, "cannot be searched from");
  let [from, to] = [0, items.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (compare(items[middle] ?? null, wanted) < 0) from = middle + 1;
    else to = middle;
  }
  return from < items.length && compare(items[from] ?? null, wanted) === 0 ? from : -1 - from;
}

function pathOf(value: Json | undefined): Path {
  return listOf(value, "Path must be specified as an array").map((step) => step);
}

/** Pairs each item with its sort key, and sorts the pairs by that key. */
export function ordered(items: readonly Json[], keyOf: (item: Json) => Json): { item: Json; key: Json }[] {
  return items.map((item) => ({ item, key: keyOf(item) })).sort((a, b) => compare(a.key, b.key));
}

export function grouped(items: readonly Json[], keyOf: (item: Json) => Json): Json[][] {
  const groups: { key: Json; items: Json[] }[] = [];
  for (const { item, key } of ordered(items, keyOf)) {
    const last = groups.at(-1);
    if (last !== undefined && compare(last.key, key) === 0) last.items.push(item);
    else groups.push({ key, items: [item] });
  }
  return groups.map((group) => group.items);
}

/** Returns the first of the smallest items or the last of the greatest ones; null if there are no items. */
export function extreme(items: readonly Json[], keyOf: (item: Json) => Json, greatest: boolean): Json {
  let best: { item: Json; key: Json } | null = null;
  for (const item of items) {
    const key = keyOf(item);
    const isBetter = best === null || (greatest ? compare(key, best.key) >= 0 : compare(key, best.key) < 0);
    if (isBetter) best = { item, key };
  }
  return best?.item ?? null;
}

function total(input: Json): Json {
  const items = isObject(input) ? [...input.values()] : listOf(input, "cannot be iterated over");
  if (items.length > 0 && items.every((item) => typeof item === "string")) return items.join("");
  if (items.length > 0 && items.every(isArray)) return items.flat(1);
  return items.reduce<Json>((sum, item) => OPERATORS["+"]?.(sum, item) ?? null, null);
}

function reversed(input: Json): Json {
  if (typeof input === "string") return charactersOf(input).toReversed().join("");
  return input === null ? [] : listOf(input, "cannot be reversed, as it is not an array").toReversed();
}

const same = (item: Json): Json => item;
const UNSORTED = "cannot be sorted, as it is not an array";

export const COLLECTIONS: Readonly<Record<string, ValueFunction>> = {
  "length/0": lengthOf,
  "keys/0": (input) => keysOf(input, true),
  "keys_unsorted/0": (input) => keysOf(input, false),
  "has/1": has,
  "contains/1": contains,
  "add/0": total,
  "flatten/0": (input) => flattened(input, Infinity),
  "flatten/1": (input, depth = null) => {
    if (!isNumber(depth) || depth < 0) throw new JqError("flatten depth must not be negative");
    return flattened(input, Number(depth));
  },
  "join/1": joined,
  "reverse/0": reversed,
  "transpose/0": transposed,
  "sort/0": (input) => listOf(input, UNSORTED).toSorted(compare),
  "unique/0": (input) => grouped(listOf(input, UNSORTED), same).map(([item]) => item ?? null),
  "min/0": (input) => extreme(listOf(input, "is not an array"), same, false),
  "max/0": (input) => extreme(listOf(input, "is not an array"), same, true),
  "to_entries/0": (input) =>
    keysOf(input, false).map(
      (key) =>
        new Map<string, Json>([
          ["key", key],
          ["value", child(input, key)],
        ]),
    ),
  "from_entries/0": entriesFrom,
  "setpath/2": (input, path, value = null) => setAt(input, pathOf(path), value),
  "delpaths/1": (input, paths) => deleteAll(input, listOf(paths, "is not an array of paths").map(pathOf)),
  "bsearch/1": searched,
  "type/0": typeOf,
  "not/0": (input) => !isTrue(input),
  "toarray/0": (input) => (isArray(input) ? input : [input]),
};
