import { type Evaluate, type Filter, placesOf, type Scope } from "./jq-paths.ts";
import { deleteAll, getAt, isTrue, type Json, type Path, setAt } from "./jq-values.ts";

export interface Update {
  readonly path: Filter;
  readonly op: string;
  readonly value: Filter;
}

export function pathsOf(evaluate: Evaluate, input: Json, filter: Filter, scope: Scope): Path[] {
  return [...placesOf(evaluate, filter, { path: [], value: input }, scope)].map(({ path }) => path);
}

/** What `path op value` makes of a document: one for each value; `|=` one. Throws what cannot be a path. */
export function updated(evaluate: Evaluate, input: Json, update: Update, scope: Scope): Json[] {
  const { path, op, value } = update;
  if (op === "|=")
    return [modified(input, pathsOf(evaluate, input, path, scope), (old) => evaluate(old, value, scope))];
  return evaluate(input, value, scope).map((given) => {
    const paths = pathsOf(evaluate, input, path, scope);
    return modified(input, paths, (old) => combined(evaluate, { op, old, given }, scope));
  });
}

interface Operands {
  readonly op: string;
  readonly old: Json;
  readonly given: Json;
}

function combined(evaluate: Evaluate, { op, old, given }: Operands, scope: Scope): readonly Json[] {
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
    else output = setAt(output, path, first, owned);
  }
  return deleteAll(output, emptied);
}
