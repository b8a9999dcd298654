import { COLLECTIONS, extreme, grouped, listOf, ordered } from "./collections.ts";
import { DATES, LOCAL_DATES } from "./dates.ts";
import * as filters from "./filters.ts";
import {
  computed,
  type Definition,
  type Env,
  each,
  type Filter,
  type PathValue,
  resultsOf,
  valuesOf,
} from "./filters.ts";
import { type Language, parseDefinitions } from "./grammar.ts";
import { textOf } from "./json.ts";
import { callDefined } from "./names.ts";
import { NUMBERS, numeric } from "./numbers.ts";
import { picked } from "./operators.ts";
import { DEFINITIONS } from "./prelude.ts";
import { fromStream, streamed } from "./streams.ts";
import { FORMATS, TEXTS, text, type ValueFunction } from "./texts.ts";
import { charactersOf, deleteAll, isNumber, isObject, isTrue, JqError, type Json } from "./values.ts";

/** Exception that ends the program with an exit code and an optional message. */
export class Halt extends Error {
  readonly exitCode: number;
  readonly text: string;

  constructor(exitCode: number, text: string) {
    super("halted");
    this.exitCode = exitCode;
    this.text = text;
  }
}

const VALUES: Readonly<Record<string, ValueFunction>> = {
  ...TEXTS,
  ...NUMBERS,
  ...DATES,
  ...COLLECTIONS,
  "format/1": (input, name = null) => {
    const format = FORMATS[`@${text(name)}`];
    if (format === undefined) throw new JqError(`${text(name)} is not a valid format`);
    return format(input);
  },
};

/** Walks depth first; `visit` returns the places below a place. */
function descend(start: PathValue, env: Env, visit: (place: PathValue) => readonly PathValue[]): void {
  const open = [start];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    env.host.step();
    for (const below of visit(place).toReversed()) open.push(below);
  }
}

function recurse(next: Filter): Filter {
  return (place, env, emit) =>
    descend(place, env, (at) => {
      emit(at);
      return resultsOf(next, at, env);
    });
}

const empty: Filter = () => {};
const iterated = filters.iterate(filters.identity);
const optional = filters.attempt(iterated, null);

/** Filters results by their numbers, which start at 0; `emits` decides, and "last" ends the filter. */
function counted(filter: Filter, count: Filter, emits: (at: number, count: number) => boolean | "last"): Filter {
  return (place, env, emit) =>
    each(
      count,
      place,
      env,
    )((given) => {
      const wanted = numeric(given);
      if (wanted < 0) throw new JqError("a count must not be negative");
      let at = 0;
      filters.withEarlyStop((enough) => {
        if (emits(0, wanted) === false && wanted === 0) return;
        filter(place, env, (one) => {
          const emitted = emits(at++, wanted);
          if (emitted !== false) emit(one);
          if (emitted === "last") enough();
        });
      });
    });
}

/** Makes a function that compares items by all values that a filter yields for each. */
function by(make: (items: readonly Json[], keyOf: (item: Json) => Json) => Json): (args: readonly Filter[]) => Filter {
  return ([key = empty]) =>
    (place, env, emit) => {
      const items = listOf(place.value, "cannot be sorted, as it is not an array");
      emit(
        computed(
          make(items, (item) => valuesOf(key, { value: item, path: null }, env)),
          place,
        ),
      );
    };
}

/** Implements `any` and `all`: stops at the first value that decides the result. */
function decided(generator: Filter, condition: Filter, decides: boolean): Filter {
  return (place, env, emit) => {
    let result = !decides;
    filters.withEarlyStop((enough) =>
      each(
        filters.pipe(generator, condition),
        place,
        env,
      )((value) => {
        if (isTrue(value) !== decides) return;
        result = decides;
        enough();
      }),
    );
    emit(computed(result, place));
  };
}

function substituted(isGlobal: boolean): (args: readonly Filter[]) => Filter {
  return ([pattern = empty, replacement = empty, flags = filters.constant("")]) =>
    (place, env, emit) =>
      each(
        flags,
        place,
        env,
      )((given) =>
        each(
          pattern,
          place,
          env,
        )((regex) => {
          const found = TEXTS["_matches/2"]?.(
            place.value,
            regex,
            `${given === null ? "" : text(given)}${isGlobal ? "g" : ""}`,
          );
          const replace = (match: Json) => valuesOf(replacement, { value: capturesOf(match), path: null }, env);
          for (const result of replaced(place.value, listOf(found), replace)) emit(computed(result, place));
        }),
      );
}

/** The named groups. */
function capturesOf(match: Json): Json {
  const captures = isObject(match) ? match.get("captures") : [];
  const named = listOf(captures)
    .filter(isObject)
    .filter((capture) => capture.get("name") !== null);
  return new Map(named.map((capture) => [text(capture.get("name") ?? null), capture.get("string") ?? null]));
}

/** A text for each of the replacements that a match may have. */
function replaced(input: Json, matches: readonly Json[], replace: (match: Json) => readonly Json[]): Json[] {
  const characters = charactersOf(text(input));
  const results: string[] = [];
  let end = 0;
  for (const match of matches.filter(isObject)) {
    const [offset, length] = [Number(match.get("offset")), Number(match.get("length"))];
    const gap = characters.slice(end, offset).join("");
    for (const [at, instead] of replace(match).entries()) {
      if (typeof instead !== "string") throw new JqError(`${textOf(instead)} cannot be added to a string`);
      results[at] = `${results[at] ?? ""}${gap}${instead}`;
    }
    end = offset + length;
  }
  const rest = characters.slice(end).join("");
  return results.length === 0 ? [input] : results.map((result) => result + rest);
}

function range([from = empty, to = empty, step = empty]: readonly Filter[]): Filter {
  return (place, env, emit) =>
    each(
      from,
      place,
      env,
    )((first) =>
      each(
        to,
        place,
        env,
      )((bound) =>
        each(
          step,
          place,
          env,
        )((by) => {
          if (![first, bound, by].every(isNumber)) throw new JqError("Range bounds must be numeric");
          const [start, end, stride] = [Number(first), Number(bound), Number(by)];
          if (stride === 0 || Number.isNaN(stride)) return;
          for (let at = start; stride > 0 ? at < end : at > end; at += stride) {
            env.host.step();
            emit(computed(at, place));
          }
        }),
      ),
    );
}

function inputs(place: PathValue, env: Env): PathValue {
  const value = env.host.input();
  if (value === undefined) throw new JqError("No more inputs");
  return computed(value, place);
}

/** Functions of filters. */
const FILTERS: Readonly<Record<string, (args: readonly Filter[]) => Filter>> = {
  "null/0": () => filters.constant(null),
  "true/0": () => filters.constant(true),
  "false/0": () => filters.constant(false),
  "empty/0": () => empty,
  "error/0": () => (place) => {
    throw new JqError(place.value);
  },
  "error/1":
    ([message = empty]) =>
    (place, env) =>
      each(
        message,
        place,
        env,
      )((value) => {
        throw new JqError(value);
      }),
  "select/1": ([test = empty]) => filters.condition(test, filters.identity, empty),
  "map/1": ([change = empty]) => filters.list(filters.pipe(iterated, change)),
  "recurse/0": () => recurse(optional),
  "recurse/1": ([next = empty]) => recurse(next),
  "repeat/1":
    ([filter = empty]) =>
    (place, env, emit) => {
      for (;;) {
        env.host.step();
        filter(place, env, emit);
      }
    },
  "while/2":
    ([test = empty, next = empty]) =>
    (place, env, emit) =>
      descend(place, env, (at) =>
        valuesOf(test, at, env)
          .filter(isTrue)
          .flatMap(() => {
            emit(at);
            return resultsOf(next, at, env);
          }),
      ),
  "until/2":
    ([test = empty, next = empty]) =>
    (place, env, emit) =>
      descend(place, env, (at) =>
        valuesOf(test, at, env).flatMap((value) => {
          if (!isTrue(value)) return resultsOf(next, at, env);
          emit(at);
          return [];
        }),
      ),
  "range/3": range,
  "limit/2": ([count = empty, filter = empty]) =>
    counted(filter, count, (at, wanted) => at < wanted && (at + 1 >= wanted ? "last" : true)),
  "skip/2": ([count = empty, filter = empty]) => counted(filter, count, (at, wanted) => at >= wanted),
  "nth/2": ([count = empty, filter = empty]) => counted(filter, count, (at, wanted) => at >= wanted && "last"),
  "first/1": ([filter = empty]) => counted(filter, filters.constant(1), () => "last"),
  "last/1":
    ([filter = empty]) =>
    (place, env, emit) => {
      let last: PathValue | null = null;
      filter(place, env, (one) => {
        last = one;
      });
      if (last !== null) emit(last);
    },
  "isempty/1": ([filter = empty]) => decided(filter, filters.constant(false), false),
  "any/2": ([generator = empty, test = empty]) => decided(generator, test, true),
  "all/2": ([generator = empty, test = empty]) => decided(generator, test, false),
  "path/1": ([filter = empty]) => filters.paths(filter),
  "getpath/1":
    ([path = empty]) =>
    (place, env, emit) =>
      each(
        path,
        place,
        env,
      )((steps) => emit(listOf(steps, "Path must be specified as an array").reduce<PathValue>(filters.childOf, place))),
  "del/1":
    ([filter = empty]) =>
    (place, env, emit) =>
      emit(computed(deleteAll(place.value, filters.pathsOf(filter, place, env)), place)),
  "pick/1":
    ([filter = empty]) =>
    (place, env, emit) =>
      emit(computed(picked(place.value, filters.pathsOf(filter, place, env)), place)),
  "sort_by/1": by((items, keyOf) => ordered(items, keyOf).map(({ item }) => item)),
  "group_by/1": by(grouped),
  "unique_by/1": by((items, keyOf) => grouped(items, keyOf).map(([item]) => item ?? null)),
  "min_by/1": by((items, keyOf) => extreme(items, keyOf, false)),
  "max_by/1": by((items, keyOf) => extreme(items, keyOf, true)),
  "sub/2": substituted(false),
  "sub/3": substituted(false),
  "gsub/2": substituted(true),
  "gsub/3": substituted(true),
  "_captures/0": () => filters.mapped(filters.identity, capturesOf),
  "tostream/0": () => (place, _, emit) => {
    for (const event of streamed(place.value)) emit(computed(event, place));
  },
  "builtins/0": () => (place, env, emit) => emit(computed(env.host.functions(), place)),
  "fromstream/1": ([events = empty]) => fromStream(events),
  "input/0": () => (place, env, emit) => emit(inputs(place, env)),
  "inputs/0": () => (place, env, emit) => {
    for (let value = env.host.input(); value !== undefined; value = env.host.input()) emit(computed(value, place));
  },
  "debug/0": () => (place, env, emit) => {
    env.host.complain(`["DEBUG:",${textOf(place.value)}]\n`);
    emit(place);
  },
  "stderr/0": () => (place, env, emit) => {
    env.host.complain(typeof place.value === "string" ? place.value : textOf(place.value));
    emit(place);
  },
  ...LOCAL_DATES,
  "env/0": () => (place, env, emit) => emit(computed(env.host.env, place)),
  "input_line_number/0": () => (place, env, emit) => emit(computed(env.host.lineNumber(), place)),
  "input_filename/0": () => (place, env, emit) => emit(computed(env.host.fileName(), place)),
  "halt/0": () => () => {
    throw new Halt(0, "");
  },
  "halt_error/1":
    ([code = empty]) =>
    (place, env) =>
      each(
        code,
        place,
        env,
      )((value) => {
        const { value: said } = place;
        throw new Halt(numeric(value), typeof said === "string" ? said : `${textOf(said)}\n`);
      }),
};

/** Applies a function to all combinations of its arguments' values; the first argument varies fastest. */
function ofValues(apply: ValueFunction, args: readonly Filter[]): Filter {
  const [first, ...others] = args;
  if (first === undefined) return filters.mapped(filters.identity, apply);
  if (others.length === 0) return filters.operation(filters.identity, first, apply);
  return (place, env, emit) => {
    const take = (rest: readonly Filter[], given: readonly Json[]): void => {
      const last = rest.at(-1);
      if (last === undefined) emit(computed(apply(place.value, ...given), place));
      else each(last, place, env)((value) => take(rest.slice(0, -1), [value, ...given]));
    };
    take(args, []);
  };
}

const DEFINED = new Map<string, Definition>();

export const LANGUAGE: Language = {
  functions: (name, args) => {
    const [definition, make, apply] = [DEFINED.get(name), FILTERS[name], VALUES[name]];
    if (definition !== undefined) return callDefined(name, definition, args);
    if (make !== undefined) return make(args);
    return apply === undefined ? null : ofValues(apply, args);
  },
  formats: (name) => FORMATS[name] ?? null,
};

for (const { name, params, body } of parseDefinitions(DEFINITIONS, LANGUAGE)) DEFINED.set(name, { params, body });

/** The functions that programs may call, as `builtins` lists them. */
export function functionNames(): string[] {
  return [...DEFINED.keys(), ...Object.keys(FILTERS), ...Object.keys(VALUES)].filter((name) => !name.startsWith("_"));
}
