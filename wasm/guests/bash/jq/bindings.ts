import { attempt, computed, type Env, each, type Filter, type PathValue, valuesOf } from "./filters.ts";
import { preview } from "./json.ts";
import { withValue } from "./names.ts";
import { child, isArray, isObject, JqError, type Json, typeOf } from "./values.ts";

/** A destructuring pattern after `as`. */
export type Pattern =
  | { readonly name: string }
  | { readonly items: readonly Pattern[] }
  | { readonly fields: readonly Field[] };

export interface Field {
  readonly key: Filter;
  /** Variable of `{$name}` and `{$name: …}`, which is bound to the value of the key; null for other keys. */
  readonly name: string | null;
  readonly pattern: Pattern | null;
}

export function namesOf(pattern: Pattern): string[] {
  if ("name" in pattern) return [pattern.name];
  if ("items" in pattern) return pattern.items.flatMap(namesOf);
  return pattern.fields.flatMap(({ name, pattern }) => [
    ...(name === null ? [] : [name]),
    ...(pattern === null ? [] : namesOf(pattern)),
  ]);
}

/** Binds the variables of a pattern to a value; one scope for each combination of keys. */
export function bindPattern(pattern: Pattern, value: Json, env: Env): Env[] {
  if ("name" in pattern) return [withValue(env, pattern.name, value)];
  if ("items" in pattern) {
    if (value !== null && !isArray(value)) throw new JqError(`Cannot index ${typeOf(value)} with number`);
    return pattern.items.reduce<Env[]>(
      (envs, item, at) => envs.flatMap((inner) => bindPattern(item, child(value, at), inner)),
      [env],
    );
  }
  return pattern.fields.reduce<Env[]>((envs, field) => envs.flatMap((inner) => boundField(field, value, inner)), [env]);
}

function boundField({ key, name, pattern }: Field, value: Json, env: Env): Env[] {
  return valuesOf(key, { value, path: null }, env).flatMap((found) => {
    if (typeof found !== "string") throw new JqError(`Cannot index ${typeOf(value)} with ${preview(found)}`);
    if (value !== null && !isObject(value)) throw new JqError(`Cannot index ${typeOf(value)} with "${found}"`);
    const inner = name === null ? env : withValue(env, name, child(value, found));
    return pattern === null ? [inner] : bindPattern(pattern, child(value, found), inner);
  });
}

export interface Source {
  readonly filter: Filter;
  readonly patterns: readonly Pattern[];
}

/** Runs the body for each value of the source, with the first pattern that raises no error. */
export function bind({ filter, patterns }: Source, body: Filter): Filter {
  const names = patterns.length > 1 ? patterns.flatMap(namesOf) : [];
  return (place, env, emit) => {
    const nulls = names.reduce((inner, name) => withValue(inner, name, null), env);
    each(
      filter,
      place,
      env,
    )((value) => {
      const tries = patterns.map((pattern): Filter => {
        return (place, _, emit) => {
          for (const inner of bindPattern(pattern, value, nulls)) body(place, inner, emit);
        };
      });
      tries.reduceRight((next, one) => attempt(one, ignoringError(next, place)))(place, env, emit);
    });
  };
}

/** Turns a filter into an error handler that ignores the error and gets the original input. */
function ignoringError(filter: Filter, place: PathValue): Filter {
  return (_, env, emit) => filter(place, env, emit);
}

export interface Folding {
  readonly source: Source;
  readonly init: Filter;
  readonly update: Filter;
}

/** Implements `reduce`, which yields the last state, and `foreach`, which extracts results from each state. */
export function fold({ source, init, update }: Folding, extract: Filter | null): Filter {
  return (place, env, emit) =>
    init(place, env, (start) => {
      let state = start;
      const step: Filter = (_, inner) => {
        let last: PathValue | null = null;
        update(state, inner, (next) => {
          last = next;
          extract?.(next, inner, emit);
        });
        state = last ?? computed(null, place);
      };
      bind(source, step)({ value: place.value, path: null }, env, () => {});
      if (extract === null) emit(state);
    });
}
