import { type Attributes, hideAttributes } from "./attributes.ts";

interface State extends Attributes {
  /** What restores the attributes of the variables that the running function hides. */
  readonly hidden?: (() => void)[];
  readonly env: Map<string, string>;
  readonly arrays?: Map<string, object>;
  readonly associativeArrays?: Set<string>;
  /** What the variables that a function declared were before, with one map for each running function. */
  readonly localScopes: readonly Map<string, string | undefined>[];
  readonly localArrayScopes?: readonly Map<string, object | undefined>[];
  /** Variables that are assigned before the name of a running function. */
  readonly tempEnvBindings?: readonly { has(name: string): boolean }[];
}

/** Options with which `declare` prints, concerns functions, or declares a global variable. */
const NOT_LOCAL = /^-\w*[pfFg]/;

/**
 * Hides the outer value of each variable that `local` or `declare` declares in a function for the first time; it is
 * restored when the function ends.
 */
export function hideOuter(state: State, args: readonly string[]): void {
  const [scope, arrays] = [state.localScopes.at(-1), state.localArrayScopes?.at(-1)];
  if (scope === undefined || arrays === undefined || args.some((arg) => NOT_LOCAL.test(arg))) return;
  for (const arg of args) {
    const [name] = /^[A-Za-z_]\w*/.exec(arg) ?? [];
    const isKnown = name === undefined || scope.has(name) || arrays.has(name);
    if (isKnown || state.tempEnvBindings?.some((bindings) => bindings.has(name)) === true) continue;
    state.hidden?.push(hideAttributes(state, name));
    scope.set(name, state.env.get(name));
    arrays.set(name, state.arrays?.get(name));
    state.env.delete(name);
    state.arrays?.delete(name);
    state.associativeArrays?.delete(name);
  }
}
