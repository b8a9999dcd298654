import { preview } from "./json.ts";
import { child, isArray, isObject, isTrue, JqError, type Json, type Path, typeOf } from "./values.ts";

/** A value, with its path in the input of a path expression; the path is null outside such expressions. */
export interface PathValue {
  readonly value: Json;
  readonly path: Path | null;
}

export type Emit = (place: PathValue) => void;

/** Calls `emit` with each result. An exception thrown by `emit` ends the filter, too. */
export interface Filter {
  (place: PathValue, env: Env, emit: Emit): void;
  /** Returns the result of a filter that always has exactly one; faster than `emit` and without nested calls. */
  readonly one?: One;
}

type One = (place: PathValue, env: Env) => PathValue;

export function single(one: One): Filter {
  return Object.assign((place: PathValue, env: Env, emit: Emit) => emit(one(place, env)), { one });
}

/** Makes a filter that has exactly one result if all its parts do. */
function singleIfParts(parts: readonly Filter[], many: Filter, one: One): Filter {
  return parts.every((part) => part.one !== undefined) ? single(one) : many;
}

/** The value of a part that has exactly one result. */
function valueOf(part: Filter, place: PathValue, env: Env): Json {
  return part.one?.({ value: place.value, path: null }, env).value ?? null;
}

/** Environment that all filters of a program share. */
export interface Host {
  /** The next input; undefined when there are no more. */
  readonly input: () => Json | undefined;
  readonly lineNumber: () => number;
  readonly fileName: () => string | null;
  readonly complain: (text: string) => void;
  readonly env: ReadonlyMap<string, string>;
  readonly functions: () => string[];
  /** Throws once the program has run for too long. */
  readonly step: () => void;
}

/** Names that a filter sees, the innermost first. */
export interface Env {
  readonly host: Host;
  /** `$x`, `f/1`, or `*x` for a label. */
  readonly name: string;
  readonly next: Env | null;
  readonly value?: Json;
  readonly definition?: Definition;
  /** A filter passed to a function, with the scope of the call. */
  readonly argument?: { readonly filter: Filter; readonly env: Env };
}

export interface Definition {
  readonly params: readonly string[];
  readonly body: Filter;
}

/** Wraps an error thrown by the consumer of a filter's results while it passes through the filter. */
class ConsumerError {
  readonly error: unknown;
  readonly owner: object;

  constructor(error: unknown, owner: object) {
    this.error = error;
    this.owner = owner;
  }
}

/** Path of a value that is not a part of the input of the path expression. */
const NOWHERE: Path = [];

/** Wraps a value that a filter computes, which has no path. */
export function computed(value: Json, { path }: PathValue): PathValue {
  return { value, path: path && NOWHERE };
}

export const identity = single((place) => place);

export function constant(value: Json): Filter {
  return single((place) => computed(value, place));
}

export function pipe(left: Filter, right: Filter): Filter {
  const { one } = left;
  if (one === undefined) return (place, env, emit) => left(place, env, (inner) => right(inner, env, emit));
  const { one: next } = right;
  return next === undefined
    ? (place, env, emit) => right(one(place, env), env, emit)
    : single((place, env) => next(one(place, env), env));
}

export function comma(left: Filter, right: Filter): Filter {
  return (place, env, emit) => {
    left(place, env, emit);
    right(place, env, emit);
  };
}

/** Runs a filter whose results are needed only as values, without paths. */
export function each(filter: Filter, { value }: PathValue, env: Env): (emit: (value: Json) => void) => void {
  const place: PathValue = { value, path: null };
  if (filter.one !== undefined) {
    const found = filter.one(place, env).value;
    return (emit) => emit(found);
  }
  return (emit) => filter(place, env, (inner) => emit(inner.value));
}

export function valuesOf(filter: Filter, place: PathValue, env: Env): Json[] {
  const all: Json[] = [];
  each(filter, place, env)((value) => all.push(value));
  return all;
}

export function resultsOf(filter: Filter, place: PathValue, env: Env): PathValue[] {
  const all: PathValue[] = [];
  filter(place, env, (one) => all.push(one));
  return all;
}

/** Yields the paths of a filter's results. Throws if a result is computed rather than part of the input. */
export function paths(filter: Filter): Filter {
  return (place, env, emit) =>
    filter({ value: place.value, path: [] }, env, ({ value, path }) => {
      if (path === NOWHERE) throw new JqError(`Invalid path expression with result ${preview(value)}`);
      emit(computed(path, place));
    });
}

export function pathsOf(filter: Filter, place: PathValue, env: Env): Path[] {
  return valuesOf(paths(filter), place, env).filter(isArray);
}

export function childOf({ value, path }: PathValue, step: Json): PathValue {
  if (path === NOWHERE) throw notAPath(`access element ${preview(step)} of`, value);
  return { value: child(value, step), path: path && [...path, step] };
}

function notAPath(attempt: string, value: Json): JqError {
  return new JqError(`Invalid path expression near attempt to ${attempt} ${preview(value)}`);
}

export function children(place: PathValue, emit: Emit): void {
  const { value, path } = place;
  if (path === NOWHERE) throw notAPath("iterate through", value);
  const at = (step: Json) => path && [...path, step];
  if (isArray(value)) for (const [index, item] of value.entries()) emit({ value: item, path: at(index) });
  else if (isObject(value)) for (const [key, item] of value) emit({ value: item, path: at(key) });
  else throw new JqError(`Cannot iterate over ${typeOf(value)}${value === null ? "" : ` (${preview(value)})`}`);
}

export function iterate(base: Filter): Filter {
  return (place, env, emit) => base(place, env, (inner) => children(inner, emit));
}

/** Indexes a value; the index is evaluated on the input of the whole expression, not on the indexed value. */
export function index(base: Filter, step: Filter): Filter {
  const { one } = base;
  if (one !== undefined && step.one !== undefined)
    return single((place, env) => childOf(one(place, env), valueOf(step, place, env)));
  return (place, env, emit) =>
    each(step, place, env)((found) => base(place, env, (inner) => emit(childOf(inner, found))));
}

export function slice(base: Filter, start: Filter, end: Filter): Filter {
  return (place, env, emit) =>
    each(
      start,
      place,
      env,
    )((from) =>
      each(
        end,
        place,
        env,
      )((to) => {
        const step: Json = new Map([
          ["start", from],
          ["end", to],
        ]);
        base(place, env, (inner) => emit(childOf(inner, step)));
      }),
    );
}

/** Runs a filter up to its first error, which the handler receives; errors of the consumer pass through. */
export function attempt(body: Filter, handler: Filter | null): Filter {
  return (place, env, emit) => {
    const owner = {};
    try {
      body(place, env, (inner) => {
        try {
          emit(inner);
        } catch (error) {
          throw new ConsumerError(error, owner);
        }
      });
    } catch (error) {
      if (error instanceof ConsumerError && error.owner === owner) throw error.error;
      if (!(error instanceof JqError)) throw error;
      handler?.(computed(error.value, place), env, emit);
    }
  };
}

/** The operator `//`: yields the true results of the first filter, or all of the other if there are none. */
export function alternative(first: Filter, others: Filter): Filter {
  const attempted = attempt(first, null);
  return (place, env, emit) => {
    let found = false;
    attempted(place, env, (inner) => {
      if (!isTrue(inner.value)) return;
      found = true;
      emit(inner);
    });
    if (!found) others(place, env, emit);
  };
}

export function condition(cond: Filter, then: Filter, otherwise: Filter): Filter {
  const branch = (value: Json) => (isTrue(value) ? then : otherwise);
  return singleIfParts(
    [cond, then, otherwise],
    (place, env, emit) => each(cond, place, env)((value) => branch(value)(place, env, emit)),
    (place, env) => branch(valueOf(cond, place, env)).one?.(place, env) ?? place,
  );
}

export function logic(left: Filter, right: Filter, decides: boolean): Filter {
  return (place, env, emit) =>
    each(
      left,
      place,
      env,
    )((a) => {
      if (isTrue(a) === decides) emit(computed(decides, place));
      else each(right, place, env)((b) => emit(computed(isTrue(b), place)));
    });
}

/** Applies an operator to each pair of operands; the left operand varies fastest. */
export function operation(left: Filter, right: Filter, apply: (a: Json, b: Json) => Json): Filter {
  return singleIfParts(
    [left, right],
    (place, env, emit) =>
      each(right, place, env)((b) => each(left, place, env)((a) => emit(computed(apply(a, b), place)))),
    (place, env) => {
      const b = valueOf(right, place, env);
      return computed(apply(valueOf(left, place, env), b), place);
    },
  );
}

/** Applies a function to each result. */
export function mapped(filter: Filter, change: (value: Json) => Json): Filter {
  return singleIfParts(
    [filter],
    (place, env, emit) => each(filter, place, env)((value) => emit(computed(change(value), place))),
    (place, env) => computed(change(valueOf(filter, place, env)), place),
  );
}

export function list(items: Filter): Filter {
  return single((place, env) => computed(valuesOf(items, place, env), place));
}

/** Yields an object for each combination of keys and values; the last entry varies fastest. */
export function object(entries: readonly (readonly [key: Filter, value: Filter])[]): Filter {
  return (place, env, emit) => {
    const add = (at: number, object: ReadonlyMap<string, Json>): void => {
      const [key, value] = entries[at] ?? [];
      if (key === undefined || value === undefined) return emit(computed(object, place));
      each(
        key,
        place,
        env,
      )((name) => {
        if (typeof name !== "string")
          throw new JqError(`Object keys must be strings, not ${typeOf(name)} (${preview(name)})`);
        each(value, place, env)((item) => add(at + 1, new Map(object).set(name, item)));
      });
    };
    add(0, new Map());
  };
}

/** Exception that ends a filter after enough results, or by `break`. */
class StopSignal {
  readonly of: object;

  constructor(of: object) {
    this.of = of;
  }
}

/** Runs until `enough` is called. */
export function withEarlyStop(run: (enough: () => never) => void): void {
  const here = {};
  catchStop(here, () => run(() => stopAt(here)));
}

export function stopAt(to: object): never {
  throw new StopSignal(to);
}

export function catchStop(here: object, run: () => void): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof StopSignal) || error.of !== here) throw error;
  }
}
