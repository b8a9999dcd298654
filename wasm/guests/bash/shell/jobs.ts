import type { ExecResult } from "just-bash/browser";

interface Job {
  /** The number behind `%`. */
  readonly number: number;
  readonly exitCode: number;
  /** Whether it was waited for; from then on only another `wait` for its process id finds it. */
  wasAwaited: boolean;
}

interface State {
  /** Jobs by process id, oldest first. */
  jobs?: Map<string, Job>;
  readonly env: Map<string, string>;
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
  const number = Math.max(0, ...waiting(state.jobs).map(([, job]) => job.number)) + 1;
  state.jobs.set(String(state.lastBackgroundPid), { number, exitCode: result.exitCode, wasAwaited: false });
  return { ...result, exitCode: 0 };
}

/** Jobs that nobody waited for, oldest first. */
function waiting(jobs: ReadonlyMap<string, Job>): (readonly [pid: string, job: Job])[] {
  return [...jobs].filter(([, job]) => !job.wasAwaited);
}

/** The process id that `%1`, `%+`, `%-` or a number means. */
function pidOf(name: string, jobs: ReadonlyMap<string, Job>): string {
  if (!name.startsWith("%")) return name;
  const open = waiting(jobs);
  const found = /^%[%+]?$/.test(name)
    ? open.at(-1)
    : name === "%-"
      ? open.at(-2)
      : open.find(([, { number }]) => name === `%${number}`);
  return found?.[0] ?? name;
}

/** The `wait` builtin. */
export function wait({ state }: Context, args: readonly string[]): ExecResult {
  const jobs = (state.jobs ??= new Map<string, Job>());
  const variable = args.indexOf("-p");
  const given = variable === -1 ? args : args.toSpliced(variable, 2);
  const names = given.filter((arg) => !arg.startsWith("-"));
  if (names.length === 0 && !given.includes("-n")) {
    jobs.clear();
    return { stdout: "", stderr: "", exitCode: 0 };
  }
  const pids = names.map((name) => pidOf(name, jobs));
  const next = () => waiting(jobs).find(([pid]) => pids.length === 0 || pids.includes(pid))?.[0];
  let exitCode = 127;
  let stderr = "";
  for (const pid of given.includes("-n") ? [next()] : pids) {
    const job = jobs.get(pid ?? "");
    exitCode = job?.exitCode ?? 127;
    if (job !== undefined) job.wasAwaited = true;
    else if (pid?.startsWith("%") === true) stderr += `bash: wait: ${pid}: no such job\n`;
    else if (pid !== undefined) stderr += `bash: wait: pid ${pid} is not a child of this shell\n`;
    if (variable !== -1 && pid !== undefined) state.env.set(args[variable + 1] ?? "", pid);
  }
  return { stdout: "", stderr, exitCode };
}

/** The mask of permissions, which cannot be changed. */
const MASK = "0022";

/** The `umask` builtin. */
export function umask(args: readonly string[]): ExecResult {
  const [mask] = args.filter((arg) => !arg.startsWith("-"));
  if (mask !== undefined && !/^0*22$/.test(mask))
    return { stdout: "", stderr: `bash: umask: only ${MASK} is known here, not ${mask}\n`, exitCode: 1 };
  const shown = args.includes("-S") ? "u=rwx,g=rx,o=rx" : MASK;
  return { stdout: mask === undefined ? `${shown}\n` : "", stderr: "", exitCode: 0 };
}
