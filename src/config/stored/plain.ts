import { isObject } from "../../core/text/from-json.ts";

/** Settings as JSON, and paths within them. */

export type Plain = Readonly<Record<string, unknown>>;

/** Keys from the outermost on: `["channels", "slack:C1", "model"]`. */
export type Path = readonly string[];

/** Undefined if nothing is set. */
export function valueAt(root: unknown, path: Path): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return root;
  return isObject(root) && Object.hasOwn(root, first) ? valueAt(root[first], rest) : undefined;
}

/** Sets a value. Missing objects on the way are created, replacing any other value. The path is not empty. */
export function withValue(root: Plain, [first, ...rest]: Path, value: unknown): Plain {
  if (first === undefined) return root;
  const inner = valueAt(root, [first]);
  return { ...root, [first]: rest.length === 0 ? value : withValue(isObject(inner) ? inner : {}, rest, value) };
}

/** Removes a value, and objects that become empty. */
export function withoutValue(root: Plain, path: Path): Plain {
  const [first, ...rest] = path;
  if (first === undefined || !Object.hasOwn(root, first)) return root;
  const { [first]: inner, ...others } = root;
  const left = rest.length > 0 && isObject(inner) ? withoutValue(inner, rest) : {};
  return Object.keys(left).length === 0 ? others : { ...others, [first]: left };
}

/** Merges objects key by key; of any other values, the higher one wins. */
export function mergeOver(higher: unknown, lower: unknown): unknown {
  if (higher === undefined) return lower;
  if (!isObject(higher) || !isObject(lower)) return higher;
  const keys = new Set([...Object.keys(lower), ...Object.keys(higher)]);
  return Object.fromEntries([...keys].map((key) => [key, mergeOver(valueAt(higher, [key]), valueAt(lower, [key]))]));
}

/** Paths of all values that are not objects. Lists count as single values. */
export function leafPaths(root: unknown, path: Path = []): Path[] {
  if (!isObject(root)) return [path];
  return Object.entries(root).flatMap(([key, inner]) => leafPaths(inner, [...path, key]));
}

/** The longest existing part of a path; null if not even its first key exists. */
export function deepestOf(root: unknown, path: readonly PropertyKey[], from: Path = []): Path | null {
  const [first, ...rest] = path;
  if (typeof first !== "string" || !isObject(root) || !Object.hasOwn(root, first))
    return from.length === 0 ? null : from;
  return deepestOf(root[first], rest, [...from, first]);
}

export function isWithinPath(inner: Path, outer: Path): boolean {
  return outer.every((part, index) => inner[index] === part);
}

export function distinctBy<T>(items: readonly T[], pathOf: (item: T) => Path): T[] {
  const found = new Map<string, T>();
  for (const item of items) {
    const key = JSON.stringify(pathOf(item));
    if (!found.has(key)) found.set(key, item);
  }
  return [...found.values()];
}
