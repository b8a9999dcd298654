import {
  alternative,
  computed,
  type Env,
  each,
  type Filter,
  logic,
  operation,
  type PathValue,
  pathsOf,
  single,
  withEarlyStop,
} from "./filters.ts";
import { preview } from "./json.ts";
import {
  changed,
  compare,
  deleteAll,
  getAt,
  isArray,
  isNumber,
  isObject,
  isTrue,
  JqError,
  type Json,
  type JsonObject,
  type Path,
  setAt,
  typeOf,
} from "./values.ts";

type Operator = (a: Json, b: Json) => Json;

/** As error messages name a value. */
export function describe(value: Json): string {
  return value === null ? "null (null)" : `${typeOf(value)} (${preview(value)})`;
}

function cannot(a: Json, b: Json, done: string): JqError {
  return new JqError(`${describe(a)} and ${describe(b)} cannot be ${done}`);
}

const add: Operator = (a, b) => {
  if (a === null) return b;
  if (b === null) return a;
  if (isNumber(a) && isNumber(b)) return Number(a) + Number(b);
  if (typeof a === "string" && typeof b === "string") return a + b;
  if (isArray(a) && isArray(b)) return [...a, ...b];
  if (isObject(a) && isObject(b)) return new Map([...a, ...b]);
  throw cannot(a, b, "added");
};

const subtract: Operator = (a, b) => {
  if (isNumber(a) && isNumber(b)) return Number(a) - Number(b);
  if (!isArray(a) || !isArray(b)) throw cannot(a, b, "subtracted");
  return a.filter((item) => !b.some((other) => compare(item, other) === 0));
};

const multiply: Operator = (a, b) => {
  if (isNumber(a) && isNumber(b)) return Number(a) * Number(b);
  if (typeof a === "string" && isNumber(b)) return repeated(a, Number(b));
  if (isNumber(a) && typeof b === "string") return repeated(b, Number(a));
  if (isObject(a) && isObject(b)) return merged(a, b);
  throw cannot(a, b, "multiplied");
};

/** Characters of a repeated text. */
const MAX_REPEATED = 50_000_000;

function repeated(text: string, times: number): Json {
  if (Number.isNaN(times) || times < 0) return null;
  const count = Math.floor(times);
  if (text.length * count > MAX_REPEATED) throw new JqError("Repeat string result too long");
  return text.repeat(count);
}

function merged(a: JsonObject, b: JsonObject): JsonObject {
  const both = new Map(a);
  for (const [key, value] of b) {
    const old = a.get(key) ?? null;
    both.set(key, isObject(old) && isObject(value) ? merged(old, value) : value);
  }
  return both;
}

const divide: Operator = (a, b) => {
  if (typeof a === "string" && typeof b === "string") return split(a, b);
  if (!isNumber(a) || !isNumber(b)) throw cannot(a, b, "divided");
  if (Number(b) === 0) throw cannot(a, b, "divided because the divisor is zero");
  return Number(a) / Number(b);
};

export function split(text: string, separator: string): Json {
  if (text === "") return [];
  return separator === "" ? Array.from(text) : text.split(separator);
}

const remainder: Operator = (a, b) => {
  if (!isNumber(a) || !isNumber(b)) throw cannot(a, b, "divided");
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.NaN;
  const [dividend, divisor] = [integer(a), integer(b)];
  if (divisor === 0n) throw cannot(a, b, "divided (remainder) because the divisor is zero");
  return Number(dividend % divisor);
};

/** As far as 64 bits reach. */
function integer(value: number | bigint): bigint {
  return BigInt.asIntN(
    64,
    BigInt(Number.isFinite(value) ? Math.trunc(Number(value)) : 2n ** 63n - (value > 0 ? 1n : 0n)),
  );
}

export const OPERATORS: Readonly<Record<string, Operator>> = {
  "+": add,
  "-": subtract,
  "*": multiply,
  "/": divide,
  "%": remainder,
  "==": (a, b) => compare(a, b) === 0,
  "!=": (a, b) => compare(a, b) !== 0,
  "<": (a, b) => compare(a, b) < 0,
  "<=": (a, b) => compare(a, b) <= 0,
  ">": (a, b) => compare(a, b) > 0,
  ">=": (a, b) => compare(a, b) >= 0,
  "//": (a, b) => (isTrue(a) ? a : b),
};

export function negated(value: Json): Json {
  if (typeof value === "bigint") return -value;
  if (typeof value !== "number") throw new JqError(`${describe(value)} cannot be negated`);
  return -value;
}

export function binary(operator: string, left: Filter, right: Filter): Filter {
  const apply = OPERATORS[operator];
  switch (operator) {
    case "?//":
    case "//":
      return alternative(left, right);
    case "and":
      return logic(left, right, false);
    case "or":
      return logic(left, right, true);
    default:
      return apply === undefined ? assigned(operator, left, right) : operation(left, right, apply);
  }
}

/** Implements assignment operators, which yield one document for each value; `|=` yields one in all. */
function assigned(operator: string, path: Filter, value: Filter): Filter {
  if (operator === "|=") return single((place, env) => computed(modified(place, env, { path, value }), place));
  const apply = OPERATORS[operator.slice(0, -1)];
  return (place, env, emit) =>
    each(
      value,
      place,
      env,
    )((given) => {
      const paths = pathsOf(path, place, env);
      const change = (old: Json) => (apply === undefined ? given : apply(old, given));
      emit(computed(changedAt(place.value, paths, change), place));
    });
}

interface Update {
  readonly path: Filter;
  readonly value: Filter;
}

export function modified(place: PathValue, env: Env, { path, value }: Update): Json {
  return changedAt(place.value, pathsOf(path, place, env), (old) => firstOf(value, old, env));
}

function firstOf(filter: Filter, value: Json, env: Env): Json | undefined {
  let first: Json | undefined;
  withEarlyStop((enough) =>
    filter({ value, path: null }, env, (place) => {
      first = place.value;
      enough();
    }),
  );
  return first;
}

/** Replaces the value at each path by its changed value, or removes it if the change yields none. */
function changedAt(document: Json, paths: readonly Path[], change: (old: Json) => Json | undefined): Json {
  let owned = new WeakSet<object>();
  let output = document;
  const emptied: Path[] = [];
  for (const path of paths) {
    const old = getAt(output, path);
    // The filter may put this value into its result more than once, so it must not change in place any more.
    if (typeof old === "object" && old !== null && owned.has(old)) owned = new WeakSet();
    const value = change(old);
    if (value === undefined) emptied.push(path);
    else output = path.length === 0 ? value : changed(output, path, { value, owned });
  }
  return deleteAll(output, emptied);
}

export function picked(document: Json, paths: readonly Path[]): Json {
  return paths.reduce<Json>((output, path) => setAt(output, path, getAt(document, path)), null);
}
