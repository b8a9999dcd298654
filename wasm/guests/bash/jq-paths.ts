import { child, isArray, isObject, isTrue, type Json, type Path, type Step, typeOf } from "./jq-values.ts";

/** What the shell's evaluator hands to all parts of a filter. */
export interface Scope {
  readonly vars: ReadonlyMap<string, Json>;
  readonly funcs?: ReadonlyMap<string, Definition>;
}

export interface Definition {
  readonly params: readonly string[];
  readonly body: Filter;
  readonly closure?: ReadonlyMap<string, Definition>;
  readonly vars?: ReadonlyMap<string, Json>;
  /** Under which a function finds itself; arguments do not. */
  readonly name?: string;
}

/** The parts of a filter that say a path. Source: just-bash, query-engine/parser-types.d.ts. */
export type Filter =
  | { readonly type: "Identity" | "Recurse" }
  | { readonly type: "Field"; readonly name: string; readonly base?: Filter }
  | { readonly type: "Index"; readonly index: Filter; readonly base?: Filter }
  | { readonly type: "Slice"; readonly start?: Filter; readonly end?: Filter; readonly base?: Filter }
  | { readonly type: "Iterate"; readonly base?: Filter }
  | { readonly type: "Pipe" | "Comma"; readonly left: Filter; readonly right: Filter }
  | { readonly type: "Paren" | "Optional"; readonly expr: Filter }
  | { readonly type: "Try"; readonly body: Filter; readonly catch?: Filter }
  | { readonly type: "BinaryOp"; readonly op: string; readonly left: Filter; readonly right: Filter }
  | {
      readonly type: "Cond";
      readonly cond: Filter;
      readonly then: Filter;
      readonly elifs: readonly Branch[];
      readonly else?: Filter;
    }
  | { readonly type: "Call"; readonly name: string; readonly args: readonly Filter[] }
  | {
      readonly type: "VarBind";
      readonly name: string;
      readonly value: Filter;
      readonly body: Filter;
      readonly pattern?: object;
      readonly alternatives?: object;
    }
  | {
      readonly type: "Def";
      readonly name: string;
      readonly params: readonly string[];
      readonly funcBody: Filter;
      readonly body: Filter;
    }
  | { readonly type: "Literal"; readonly value: Json };

interface Branch {
  readonly cond: Filter;
  readonly then: Filter;
}

/** The shell's evaluator; throws where a filter has run for too long. */
export type Evaluate = (input: Json, filter: Filter, scope: Scope) => readonly Json[];

/** What a filter is evaluated with. */
export interface Within {
  readonly evaluate: Evaluate;
  readonly scope: Scope;
}

export interface Place {
  readonly path: Path;
  readonly value: Json;
}

const KINDS = new Set("values nulls booleans numbers strings arrays objects iterables scalars select".split(" "));

/** Where the results of a filter lie in what it is given; throws where a filter makes something of its own. */
export function* placesOf({ evaluate, scope }: Within, filter: Filter, place: Place): Generator<Place> {
  evaluate(null, IDENTITY, scope); // Counts against the limits.
  const inner = (part: Filter, at = place, seen = scope) => placesOf({ evaluate, scope: seen }, part, at);
  const values = (part: Filter) => evaluate(place.value, part, scope);
  switch (filter.type) {
    case "Identity":
      yield place;
      return;
    case "Field":
    case "Index":
    case "Slice":
    case "Iterate":
      for (const base of inner(filter.base ?? IDENTITY)) yield* stepsFrom(base, filter, values);
      return;
    case "Recurse":
      yield* descendants(place);
      return;
    case "Pipe":
      for (const left of inner(filter.left)) yield* inner(filter.right, left);
      return;
    case "Comma":
      yield* inner(filter.left);
      yield* inner(filter.right);
      return;
    case "Paren":
      yield* inner(filter.expr);
      return;
    case "Optional":
      yield* attempted(inner(filter.expr));
      return;
    case "Try":
      if (filter.catch !== undefined && filter.catch.type !== "Call") throw notAPath("try … catch");
      yield* attempted(inner(filter.body));
      return;
    case "Cond":
      for (const cond of values(filter.cond)) {
        const branch = isTrue(cond) ? filter.then : filter.elifs.find((elif) => values(elif.cond).some(isTrue))?.then;
        yield* inner(branch ?? filter.else ?? IDENTITY);
      }
      return;
    case "BinaryOp":
      if (filter.op !== "//") throw notAPath(filter.op);
      yield* either(inner(filter.left), inner(filter.right));
      return;
    case "VarBind":
      if (filter.pattern !== undefined || filter.alternatives !== undefined) throw notAPath("as […]");
      for (const value of values(filter.value))
        yield* inner(filter.body, place, { ...scope, vars: new Map(scope.vars).set(filter.name, value) });
      return;
    case "Def":
      yield* inner(filter.body, place, defined(filter, scope));
      return;
    case "Call":
      yield* called({ evaluate, scope }, filter, place);
      return;
    default:
      throw notAPath(filter.type);
  }
}

type StepFilter = Filter & { type: "Field" | "Index" | "Slice" | "Iterate" };

/** Places one step on from a place of the filter's base. */
function* stepsFrom(base: Place, filter: StepFilter, values: (part: Filter) => readonly Json[]): Generator<Place> {
  switch (filter.type) {
    case "Field":
      yield stepTo(base, filter.name);
      return;
    case "Index":
      for (const index of values(filter.index)) yield stepTo(base, stepOf(index));
      return;
    case "Slice":
      for (const end of filter.end ? values(filter.end) : [null])
        for (const start of filter.start ? values(filter.start) : [null]) yield stepTo(base, stepOf({ start, end }));
      return;
    case "Iterate":
      yield* children(base);
  }
}

const IDENTITY: Filter = { type: "Identity" };

function* called(within: Within, { name, args }: Filter & { type: "Call" }, place: Place): Generator<Place> {
  const { evaluate, scope } = within;
  const inner = (part: Filter, at = place, seen = scope) => placesOf({ evaluate, scope: seen }, part, at);
  const own = scope.funcs?.get(`${name}/${args.length}`);
  if (own !== undefined) {
    for (const seen of scopesOf(within, own, { args, input: place.value })) yield* inner(own.body, place, seen);
    return;
  }
  const [first, second] = args;
  if (KINDS.has(name)) {
    for (const _ of evaluate(place.value, { type: "Call", name, args }, scope)) yield place;
  } else if (name === "empty" || name === "error") {
    evaluate(place.value, { type: "Call", name, args }, scope);
  } else if (name === "recurse" && second === undefined) {
    yield* first === undefined ? descendants(place) : repeated(place, (at) => inner(first, at));
  } else if (name === "first" || name === "last") {
    const all = first === undefined ? [stepTo(place, name === "first" ? 0 : -1)] : [...inner(first)];
    const one = name === "first" ? all[0] : all.at(-1);
    if (one !== undefined) yield one;
  } else if (name === "limit" && first !== undefined && second !== undefined) {
    for (const count of evaluate(place.value, first, scope)) yield* [...inner(second)].slice(0, Number(count));
  } else if (name === "getpath" && first !== undefined) {
    for (const path of evaluate(place.value, first, scope)) {
      if (!isArray(path)) throw new Error("Path must be specified as an array");
      yield path.map(stepOf).reduce(stepTo, place);
    }
  } else throw notAPath(`${name}/${args.length}`);
}

export function* descendants(place: Place): Generator<Place> {
  yield* repeated(place, (at) => (isArray(at.value) || isObject(at.value) ? children(at) : []));
}

function* repeated(place: Place, next: (place: Place) => Iterable<Place>): Generator<Place> {
  yield place;
  for (const inner of next(place)) yield* repeated(inner, next);
}

function* children(place: Place): Generator<Place> {
  const { value } = place;
  if (isArray(value)) for (const index of value.keys()) yield stepTo(place, index);
  else if (isObject(value)) for (const key of Object.keys(value)) yield stepTo(place, key);
  else throw new Error(`Cannot iterate over ${typeOf(value)}`);
}

/** As `//` chooses: the others count only where none of the first is true. */
function* either(first: Generator<Place>, others: Generator<Place>): Generator<Place> {
  const found = [...attempted(first)].filter(({ value }) => isTrue(value));
  yield* found.length > 0 ? found : others;
}

function* attempted(places: Generator<Place>): Generator<Place> {
  const next = () => {
    try {
      return places.next();
    } catch (error) {
      if (isFinal(error)) throw error;
      return null;
    }
  };
  for (let one = next(); one !== null && !one.done; one = next()) yield one.value;
}

/** What `?` and `try` must not hold back: limits, and `break`. */
function isFinal(error: unknown): boolean {
  return error instanceof Error && /^(?:Execution\w+|BreakError)$/.test(error.name);
}

function stepTo({ path, value }: Place, step: Step): Place {
  return { path: [...path, step], value: child(value, step) };
}

/** A step as filters write it. */
export function stepOf(value: Json): Step {
  if (typeof value === "string" || (typeof value === "number" && Number.isFinite(value))) return value;
  const isBound = (bound: Json | undefined) => bound === undefined || bound === null || typeof bound === "number";
  if (isObject(value) && isBound(value["start"]) && isBound(value["end"]))
    return { start: numberOf(value["start"]), end: numberOf(value["end"]) };
  throw new Error(`Invalid path component: ${JSON.stringify(value)}`);
}

function numberOf(value: Json | undefined): number | null {
  return typeof value === "number" ? value : null;
}

function notAPath(what: string): Error {
  return new Error(`Invalid path expression: this jq cannot say where the result of ${what} lies`);
}

function defined({ name, params, funcBody }: Filter & { type: "Def" }, scope: Scope): Scope {
  const key = `${name}/${params.length}`;
  const definition = { params, body: funcBody, closure: new Map(scope.funcs ?? []), vars: scope.vars, name: key };
  return { ...scope, funcs: new Map(scope.funcs ?? []).set(key, definition) };
}

interface Given {
  readonly args: readonly Filter[];
  readonly input: Json;
}

/** The scopes a function's body runs in: one for each combination of what its `$parameters` are given. */
export function scopesOf(
  { evaluate, scope }: Within,
  { params, closure, vars, name, ...own }: Definition,
  given: Given,
): Scope[] {
  const funcs = new Map(closure ?? scope.funcs ?? []);
  if (name !== undefined) funcs.set(name, { params, ...own, ...(closure && { closure }), ...(vars && { vars }), name });
  let scopes: Scope[] = [{ ...scope, funcs, vars: vars ?? scope.vars }];
  for (const [at, param] of params.entries()) {
    const arg = given.args[at] ?? IDENTITY;
    const bind = (seen: Scope, key: string, body: Filter) =>
      new Map(seen.funcs ?? []).set(key, { params: [], body, closure: scope.funcs ?? new Map(), vars: scope.vars });
    scopes = scopes.flatMap((seen) => {
      if (!param.startsWith("$")) return [{ ...seen, funcs: bind(seen, `${param}/0`, arg) }];
      return evaluate(given.input, arg, scope).map((value) => ({
        ...seen,
        vars: new Map(seen.vars).set(param, value),
        funcs: bind(seen, `${param.slice(1)}/0`, { type: "Literal", value }),
      }));
    });
  }
  return scopes;
}
