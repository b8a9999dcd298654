type Elements = ReadonlyMap<string, unknown>;

/** Sorted indices of arrays, cached because scripts need them for each element that they append. */
const known = new WeakMap<Elements, number[]>();

export function sortedIndices(elements: Elements | undefined): readonly number[] {
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

/** Updates the cached indices before an element is set. */
export function indexElement(elements: Elements, key: string): void {
  const found = known.get(elements);
  if (found === undefined || elements.has(key) || !isIndex(key)) return;
  if (Number(key) > (found.at(-1) ?? -1)) found.push(Number(key));
  else known.delete(elements);
}

/** Discards the cached indices because elements are removed; returns its argument. */
export function dropIndices<Some extends Elements | undefined>(elements: Some): Some {
  if (elements !== undefined) known.delete(elements);
  return elements;
}

export function largest(indices: readonly number[]): number {
  return indices.reduce((most, index) => Math.max(most, index), Number.NEGATIVE_INFINITY);
}
