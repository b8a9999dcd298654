import { type Filter, placesOf, type Within } from "./jq-paths.ts";
import { changed, deleteAll, getAt, isTrue, type Json, type Path } from "./jq-values.ts";

export interface Update {
  readonly path: Filter;
  readonly op: string;
  readonly value: Filter;
}

export function pathsOf(within: Within, input: Json, filter: Filter): Path[] {
  return [...placesOf(within, filter, { path: [], value: input })].map(({ path }) => path);
}

/** What `path op value` makes of a document: one for each value; `|=` one. Throws what cannot be a path. */
export function updated(within: Within, input: Json, { path, op, value }: Update): Json[] {
  const { evaluate, scope } = within;
  if (op === "|=") return [modified(input, pathsOf(within, input, path), (old) => evaluate(old, value, scope))];
  return evaluate(input, value, scope).map((given) => {
    const paths = pathsOf(within, input, path);
    return modified(input, paths, (old) => combined(within, { op, old, given }));
  });
}

interface Operands {
  readonly op: string;
  readonly old: Json;
  readonly given: Json;
}

function combined({ evaluate, scope }: Within, { op, old, given }: Operands): readonly Json[] {
  if (op === "=") return [given];
  if (op === "//=") return [isTrue(old) ? old : given];
  const [left, right] = [old, given].map((value) => ({ type: "Literal", value }) as const);
  if (left === undefined || right === undefined) return [];
  return evaluate(null, { type: "BinaryOp", op: op.slice(0, -1), left, right }, scope);
}

/** Each place gets the first of what is made of it; a place of which nothing is made is removed. */
function modified(input: Json, paths: readonly Path[], change: (old: Json) => readonly Json[]): Json {
  let owned = new WeakSet<object>();
  let output = input;
  const emptied: Path[] = [];
  for (const path of paths) {
    const old = getAt(output, path);
    // What a filter has seen may be in its result more than once.
    if (typeof old === "object" && old !== null && owned.has(old)) owned = new WeakSet();
    const [first] = change(old);
    if (first === undefined) emptied.push(path);
    else output = changed(output, path, { value: first, owned });
  }
  return deleteAll(output, emptied);
}
