import { computed, each, type Filter } from "./filters.ts";
import { changed, isArray, isObject, JqError, type Json, type Path } from "./values.ts";

/** A value as events: a leaf with its path, and the path of the last of each list or object as its end. */
export function* streamed(value: Json, path: Path = []): Generator<Json> {
  const entries = isArray(value) ? [...value.entries()] : isObject(value) ? [...value] : [];
  const last = entries.at(-1);
  for (const [step, item] of entries) yield* streamed(item, [...path, step]);
  yield last === undefined ? [path, value] : [[...path, last[0]]];
}

/** Rebuilds values from streamed events. */
export function fromStream(events: Filter): Filter {
  return (place, env, emit) => {
    let whole: Json = null;
    let owned = new WeakSet<object>();
    each(
      events,
      place,
      env,
    )((event) => {
      const [path = null, leaf] = isArray(event) ? event : [];
      if (!isArray(path)) throw new JqError("Invalid streaming format");
      if (leaf !== undefined) whole = changed(whole, path, { value: leaf, owned });
      if (path.length > (leaf === undefined ? 1 : 0)) return;
      const done = whole;
      whole = null;
      owned = new WeakSet();
      emit(computed(done, place));
    });
  };
}
