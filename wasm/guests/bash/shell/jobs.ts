import type { ExecResult } from "just-bash/browser";

interface State {
  jobs?: Map<string, number>;
  /** Process ids of jobs that were waited for, which only another `wait` for them finds. */
  waited?: Set<string>;
  lastBackgroundPid: number;
  nextVirtualPid: number;
}

interface Context {
  readonly state: State;
}

/** Wraps a statement in a subshell. */
export function asSubshell(statement: object): object {
  return { type: "Subshell", body: [{ ...statement, background: false }], redirections: [] };
}

/** Records the exit code of a statement with `&` for `wait`; the statement ends before the next one begins. */
export function recordJob<T extends ExecResult>({ state }: Context, result: T): T {
  state.lastBackgroundPid = state.nextVirtualPid++;
  state.jobs ??= new Map();
  state.jobs.set(String(state.lastBackgroundPid), result.exitCode);
  return { ...result, exitCode: 0 };
}

/** The `wait` builtin. */
export function wait({ state }: Context, args: readonly string[]): ExecResult {
  const jobs = state.jobs ?? new Map<string, number>();
  state.waited ??= new Set();
  const isNext = args.includes("-n");
  const oldest = [...jobs.keys()].find((pid) => state.waited?.has(pid) !== true);
  const names = isNext ? [oldest ?? ""] : args.filter((arg) => !arg.startsWith("-"));
  let exitCode = 0;
  let stderr = "";
  for (const name of names.length > 0 ? names : jobs.keys()) {
    const pid = name.startsWith("%") ? ([...jobs.keys()][Number(name.slice(1)) - 1] ?? name) : name;
    const found = jobs.get(pid);
    exitCode = found ?? 127;
    if (found === undefined && !isNext) stderr += `bash: wait: pid ${name} is not a child of this shell\n`;
    if (names.length === 0) jobs.delete(pid);
    else state.waited.add(pid);
  }
  return { stdout: "", stderr, exitCode: names.length > 0 ? exitCode : 0 };
}
