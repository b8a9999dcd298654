type Elements = ReadonlyMap<string, unknown>;

/** The numbers of the elements of lists, in order: scripts ask for them with each element that they add. */
const known = new WeakMap<Elements, number[]>();

export function indicesOf(elements: Elements | undefined): readonly number[] {
  if (elements === undefined) return [];
  const found =
    known.get(elements) ??
    [...elements.keys()]
      .filter(isIndex)
      .map(Number)
      .toSorted((a, b) => a - b);
  known.set(elements, found);
  return [...found];
}

function isIndex(key: string): boolean {
  return /^(?:0|[1-9]\d*)$/.test(key);
}

/** An element is set, which may be a new one. */
export function adding(elements: Elements, key: string): void {
  const found = known.get(elements);
  if (found === undefined || elements.has(key) || !isIndex(key)) return;
  if (Number(key) > (found.at(-1) ?? -1)) found.push(Number(key));
  else known.delete(elements);
}

/** Elements are taken away. */
export function forgetting<Some extends Elements | undefined>(elements: Some): Some {
  if (elements !== undefined) known.delete(elements);
  return elements;
}
