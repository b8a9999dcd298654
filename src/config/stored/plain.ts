/** Settings as JSON has them, and places in them. */

export type Plain = Readonly<Record<string, unknown>>;

/** Names from the outermost on: `["channels", "slack:C1", "model"]`. */
export type Path = readonly string[];

export function isPlain(value: unknown): value is Plain {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Undefined where nothing is set. */
export function valueAt(root: unknown, path: Path): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return root;
  return isPlain(root) && Object.hasOwn(root, first) ? valueAt(root[first], rest) : undefined;
}

/** Objects on the way are made, in place of anything else that is there. The path names something. */
export function withValue(root: Plain, [first, ...rest]: Path, value: unknown): Plain {
  if (first === undefined) return root;
  const inner = valueAt(root, [first]);
  return { ...root, [first]: rest.length === 0 ? value : withValue(isPlain(inner) ? inner : {}, rest, value) };
}

/** Objects that are empty then go, too. */
export function without(root: Plain, path: Path): Plain {
  const [first, ...rest] = path;
  if (first === undefined || !Object.hasOwn(root, first)) return root;
  const { [first]: inner, ...others } = root;
  const left = rest.length > 0 && isPlain(inner) ? without(inner, rest) : {};
  return Object.keys(left).length === 0 ? others : { ...others, [first]: left };
}

/** Objects are laid over each other key by key; of anything else the higher one holds as a whole. */
export function over(higher: unknown, lower: unknown): unknown {
  if (higher === undefined) return lower;
  if (!isPlain(higher) || !isPlain(lower)) return higher;
  const keys = new Set([...Object.keys(lower), ...Object.keys(higher)]);
  return Object.fromEntries([...keys].map((key) => [key, over(valueAt(higher, [key]), valueAt(lower, [key]))]));
}

/** Where values are that are no objects; lists count as one. */
export function leafPaths(root: unknown, path: Path = []): Path[] {
  if (!isPlain(root)) return [path];
  return Object.entries(root).flatMap(([key, inner]) => leafPaths(inner, [...path, key]));
}

/** The nearest place on the way to another that holds something; null where that is no object's at all. */
export function deepestOf(root: unknown, path: readonly PropertyKey[], from: Path = []): Path | null {
  const [first, ...rest] = path;
  if (typeof first !== "string" || !isPlain(root) || !Object.hasOwn(root, first))
    return from.length === 0 ? null : from;
  return deepestOf(root[first], rest, [...from, first]);
}

export function isWithinPath(inner: Path, outer: Path): boolean {
  return outer.every((part, index) => inner[index] === part);
}

/** The first of each place. */
export function distinctBy<T>(items: readonly T[], pathOf: (item: T) => Path): T[] {
  const found = new Map<string, T>();
  for (const item of items) {
    const key = JSON.stringify(pathOf(item));
    if (!found.has(key)) found.set(key, item);
  }
  return [...found.values()];
}
