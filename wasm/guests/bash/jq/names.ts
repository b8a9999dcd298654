import {
  catchStop,
  computed,
  constant,
  type Definition,
  type Env,
  each,
  type Filter,
  single,
  stopAt,
} from "./filters.ts";
import type { Json } from "./values.ts";

export function label(name: string, body: Filter): Filter {
  return (place, env, emit) => {
    const here: Env = { host: env.host, name: `*${name}`, next: env };
    catchStop(here, () => body(place, here, emit));
  };
}

export function breakTo(name: string): Filter {
  return (_, env) => stopAt(lookup(env, `*${name}`));
}

/** Finds a name, which exists because the parser has checked it. */
export function lookup(env: Env, name: string): Env {
  let at: Env | null = env;
  while (at !== null && at.name !== name) at = at.next;
  if (at === null) throw new Error(`${name} is not defined`);
  return at;
}

export function withValue(env: Env, name: string, value: Json): Env {
  return { host: env.host, name: `$${name}`, next: env, value };
}

export function variable(name: string): Filter {
  const key = `$${name}`;
  return single((place, env) => computed(lookup(env, key).value ?? null, place));
}

export function define(name: string, definition: Definition, rest: Filter): Filter {
  return (place, env, emit) => rest(place, { host: env.host, name, next: env, definition }, emit);
}

/** Calls a function or an argument that the program defines. */
export function call(name: string, args: readonly Filter[]): Filter {
  return (place, env, emit) => {
    const callee = lookup(env, name);
    if (callee.argument !== undefined) callee.argument.filter(place, callee.argument.env, emit);
    else if (callee.definition !== undefined) enter(callee.definition, { args, callee })(place, env, emit);
  };
}

/** Calls a built-in function that is defined in jq itself. */
export function callDefined(name: string, definition: Definition, args: readonly Filter[]): Filter {
  return (place, env, emit) => {
    const callee: Env = { host: env.host, name, next: outermost(env), definition };
    enter(definition, { args, callee })(place, env, emit);
  };
}

function outermost(env: Env): Env {
  let at = env;
  while (at.next !== null) at = at.next;
  return at;
}

interface Entered {
  readonly args: readonly Filter[];
  /** Scope of the body. */
  readonly callee: Env;
}

/** Runs a body once for each combination of the values of its `$parameters`. */
function enter({ params, body }: Definition, { args, callee }: Entered): Filter {
  return (place, env, emit) => {
    env.host.step();
    if (params.length === 0) return body(place, callee, emit);
    const bind = (at: number, inner: Env): void => {
      const [param, arg] = [params[at], args[at]];
      if (param === undefined || arg === undefined) return body(place, inner, emit);
      if (!param.startsWith("$"))
        return bind(at + 1, { host: env.host, name: `${param}/0`, next: inner, argument: { filter: arg, env } });
      each(
        arg,
        place,
        env,
      )((value) => {
        const argument = { filter: constant(value), env };
        const named: Env = { host: env.host, name: `${param.slice(1)}/0`, next: inner, argument };
        bind(at + 1, withValue(named, param.slice(1), value));
      });
    };
    bind(0, callee);
  };
}
