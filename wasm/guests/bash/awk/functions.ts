import { type Arrays, arrayName, type Expression } from "./arrays.ts";

interface Defined {
  readonly name: string;
  params: readonly string[];
  readonly body: object;
}

interface State extends Arrays {
  readonly vars: Record<string, unknown>;
  readonly currentRecursionDepth: number;
}

interface Call {
  readonly args: readonly Expression[];
  readonly evaluate: (argument: Expression) => Promise<unknown>;
}

/** Fields that hold variable names, by type of syntax node. */
const NAMED = new Map([
  ["variable", ["name"]],
  ["array_access", ["array"]],
  ["in", ["array"]],
  ["for_in", ["array", "variable"]],
  ["getline", ["variable"]],
]);

/** Renames a function's parameters to unique names, so that functions it calls see the global variables. */
export function withUniqueParameters(defined: Defined): Defined {
  const names = new Map(defined.params.map((param) => [param, `${defined.name}(${param})`]));
  rename(defined.body, names);
  defined.params = [...names.values()];
  return defined;
}

function rename(part: object, names: ReadonlyMap<string, string>): void {
  const fields: Record<string, unknown> = Object.fromEntries(Object.entries(part));
  for (const key of NAMED.get(String(fields["type"])) ?? [])
    Object.assign(part, { [key]: names.get(String(fields[key])) ?? fields[key] });
  for (const value of Object.values(fields)) if (typeof value === "object" && value !== null) rename(value, names);
}

/** Binds a function's arguments; the returned function restores the variables and deletes local arrays. */
export async function bindArguments(state: State, { params }: Defined, { args, evaluate }: Call): Promise<() => void> {
  const values: unknown[] = [];
  for (const argument of args) values.push(await evaluate(argument));
  const given = params.map((param, at) => {
    const { type, name = "" } = args[at] ?? { type: "none" };
    const own = `${param}${state.currentRecursionDepth}`;
    const array = type === "variable" ? arrayName(state, name) : own;
    return { param, own, value: values[at], array };
  });
  const before = params.map((param) => [param, state.vars[param], state.arrayAliases.get(param)] as const);
  for (const { param, value, array } of given) {
    put(state, param, value);
    state.arrayAliases.set(param, array);
  }
  return () => {
    for (const { own } of given) {
      state.arrayElementCount -= Object.keys(state.arrays[own] ?? {}).length;
      delete state.arrays[own];
    }
    for (const [param, value, array] of before) {
      put(state, param, value);
      if (array === undefined) state.arrayAliases.delete(param);
      else state.arrayAliases.set(param, array);
    }
  };
}

/** Sets a variable, or deletes it if the value is undefined. */
function put({ vars }: State, name: string, value: unknown): void {
  if (value === undefined) delete vars[name];
  else vars[name] = value;
}
