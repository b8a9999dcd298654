/** Returns a function that gives out each of these once, and throws when none is left. */
export function oneByOne<T>(items: readonly T[]): () => T {
  const left = items.values();
  return () => {
    const { value, done } = left.next();
    if (done) throw new Error(`all ${items.length} are given out`);
    return value;
  };
}
