import { indexElement } from "./indices.ts";

interface ShellArray {
  readonly kind: "indexed" | "associative";
  readonly elements: Map<string, string>;
}

interface State {
  readonly arrays?: ReadonlyMap<string, ShellArray>;
  readonly env: Map<string, string>;
  readonly namerefs?: ReadonlySet<string>;
  /** Variables that are set for one command only. */
  readonly tempExportedVars?: ReadonlySet<string>;
  associativeArrays?: Set<string>;
}

/** Value of `BASH_VERSINFO`, consistent with `BASH_VERSION`. */
const VERSION: ShellArray = {
  kind: "indexed",
  elements: new Map(["5", "1", "0", "1", "release", "wasm"].map((part, index) => [String(index), part])),
};
const MAX_STEPS = 10;

/** Resolves a name reference (`local -n`) to its target; other names are returned unchanged. */
export function resolveReference(state: State, name: string): string {
  let found = name;
  for (let step = 0; step < MAX_STEPS && state.namerefs?.has(found) === true; step++) {
    const target = state.env.get(found) ?? "";
    if (!/^[A-Za-z_]\w*$/.test(target)) return found;
    found = target;
  }
  return found;
}

/**
 * The array of a name. What `read`, `printf -v`, `for`, arithmetic and the like set without an index, which the
 * interpreter keeps apart, becomes its first element.
 */
export function arrayOf(state: State, name: string): ShellArray | undefined {
  const resolved = resolveReference(state, name);
  const found = state.arrays?.get(resolved);
  if (found === undefined) return name === "BASH_VERSINFO" ? VERSION : undefined;
  const first = state.env.get(resolved);
  if (first !== undefined && state.tempExportedVars?.has(resolved) !== true) {
    indexElement(found.elements, "0");
    found.elements.set("0", first);
    state.env.delete(resolved);
  }
  return found;
}

/** Marks a new reference as an associative array if its target is one. */
export function inheritArrayKind(state: State, args: readonly string[]): void {
  if (!args.some((arg) => /^-\w*n/.test(arg))) return;
  for (const arg of args) {
    const [, name = "", target = ""] = /^(\w+)=(\w+)$/.exec(arg) ?? [];
    if (name === "") continue;
    if (state.associativeArrays?.has(resolveReference(state, target)) === true) state.associativeArrays.add(name);
    else state.associativeArrays?.delete(name);
  }
}

/** Options at the start of a script; a nested script inherits none. */
export function startingOptions(options: Readonly<Record<string, boolean>>, depth: number): Record<string, boolean> {
  return Object.fromEntries(Object.entries(options).map(([name, isSet]) => [name, isSet && depth === 0]));
}

/**
 * Undoes a command's prefix assignments until the returned function is called; `before` holds the old values. Meanwhile
 * a process substitution may replace the shell's variables by a copy.
 */
export function withoutAssignments(
  state: { readonly env: Map<string, string> },
  before: Map<string, string | undefined>,
): () => void {
  const values = [...before.keys()].map((name) => [name, state.env.get(name)] as const);
  for (const [name, value] of before) put(state.env, name, value);
  return () => {
    for (const [name, value] of values) {
      before.set(name, state.env.get(name));
      put(state.env, name, value);
    }
  };
}

function put(env: Map<string, string>, name: string, value: string | undefined): void {
  if (value === undefined) env.delete(name);
  else env.set(name, value);
}
