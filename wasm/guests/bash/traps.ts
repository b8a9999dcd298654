import type { ExecResult } from "just-bash/browser";
import { decodeInput } from "./shell/decode-input.ts";
import { lineOf } from "./shell/discarded.ts";
import { type StreamContext, type StreamState, withSeparateStdout } from "./shell/streams.ts";

/** What just-bash's interpreter keeps of a shell, as far as traps need it. */
interface ShellState extends StreamState {
  traps?: Map<string, string> | undefined;
  /** What is left of the standard input. */
  readonly groupStdin?: string | undefined;
  readonly processSubstitutions?: readonly { readonly path: string; readonly stdout?: string }[];
  options: { readonly [name: string]: boolean };
  lastExitCode: number;
  readonly callDepth: number;
  currentLine: number;
  /** Lines before the text of the command substitution that runs, from which its lines are counted. */
  lineOffset?: number;
  /** The statement that started last. */
  readonly statement?: Statement;
  readonlyVars?: ReadonlySet<string> | undefined;
  /** What ends the shell from outside. */
  signal?: AbortSignal | undefined;
  /** `$$`. */
  readonly virtualPid: number;
  readonly env: Map<string, string>;
}

interface Statement {
  readonly sourceText?: string;
  readonly pipelines: readonly { readonly commands: readonly { readonly type: string; readonly line?: number }[] }[];
}

interface Script {
  readonly statements: readonly Statement[];
}

interface Context extends StreamContext {
  readonly state: ShellState;
  executeScript(script: object): Promise<ExecResult>;
}

/** Error that ends a script and carries the output printed so far. */
interface End extends Error {
  stdout: string;
  stderr: string;
  exitCode: number;
}

/** Collects the output of a statement. */
interface Printed {
  appendResult(result: ExecResult): void;
  prependTo(error: unknown): void;
}

/** Accepted signals. Only the shell itself sends them, with `kill $$`. */
const SIGNALS = "HUP INT QUIT ABRT ALRM TERM PIPE USR1 USR2 TSTP CONT WINCH CHLD".split(" ");
/** All signals of Linux, from 1; those of real time begin with 34. */
const ALL_SIGNALS = [
  ..."HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU".split(
    " ",
  ),
  ..."URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS RTMIN".split(" "),
  ...Array.from({ length: 29 }, (_, at) => (at < 15 ? `RTMIN+${at + 1}` : `RTMAX-${29 - at}`)),
  "RTMAX",
];
const KNOWN = ["EXIT", "ERR", ...SIGNALS];
const NUMBERS = new Map([
  ["0", "EXIT"],
  ["1", "HUP"],
  ["2", "INT"],
  ["3", "QUIT"],
  ["15", "TERM"],
]);

/** The `trap` builtin. */
export function trap({ state }: Context, args: readonly string[]): ExecResult {
  if (args[0] === "-l") return { stdout: signalTable(), stderr: "", exitCode: 0 };
  const words = args[0] === "--" ? args.slice(1) : args;
  const [action = "-p", ...names] = words.length === 1 && words[0] !== "-p" ? ["-", ...words] : words;
  state.traps ??= new Map();
  if (action === "-p") {
    const wanted = names.map(nameOf);
    const lines = [...state.traps]
      .filter(([name]) => wanted.length === 0 || wanted.includes(name))
      .map(([name, text]) => `trap -- '${text.replaceAll("'", "'\\''")}' ${shown(name)}\n`);
    return { stdout: lines.join(""), stderr: "", exitCode: 0 };
  }
  for (const given of names) {
    const name = nameOf(given);
    if (!KNOWN.includes(name)) return refused(`${given}: there is no trap for it here`);
    if (action === "-") state.traps.delete(name);
    else state.traps.set(name, action);
  }
  return { stdout: "", stderr: "", exitCode: 0 };
}

function nameOf(signal: string): string {
  return NUMBERS.get(signal) ?? signal.toUpperCase().replace(/^SIG/, "");
}

function shown(name: string): string {
  return SIGNALS.includes(name) ? `SIG${name}` : name;
}

function refused(why: string): ExecResult {
  return { stdout: "", stderr: `bash: trap: ${why}\n`, exitCode: 1 };
}

/** Runs the commands of `>(…)` that were begun after the first `from`, on what was written to them. */
type Finish = (context: Context, from: number) => Promise<{ readonly stdout: string; readonly stderr: string }>;

/** Runs a script as a shell with its own traps. */
export async function runShell(context: Context, script: object, finish: Finish): Promise<ExecResult> {
  const given = context.state.groupStdin?.length ?? 0;
  try {
    const ended = await withTraps(context, () => context.executeScript(script));
    const left = context.state.groupStdin?.length ?? 0;
    const result = given === 0 ? ended : { ...ended, internalStdinConsumed: given - left };
    const last = await lastOutput(context, finish);
    return last === null
      ? result
      : { ...result, stdout: result.stdout + last.stdout, stderr: result.stderr + last.stderr };
  } catch (error) {
    if (!isEnd(error)) throw error;
    const last = await lastOutput(context, finish);
    error.stdout += last?.stdout ?? "";
    error.stderr += last?.stderr ?? "";
    throw error;
  }
}

/**
 * Runs the commands of `exec > >(…)`, the last first, which print to where the shell did before it; null if there are
 * none.
 */
async function lastOutput(context: Context, finish: Finish): Promise<Pick<ExecResult, "stdout" | "stderr"> | null> {
  const { fs, state } = context;
  const { processSubstitutions = [] } = state;
  if (processSubstitutions.length === 0) return null;
  for (const number of [1, 2]) state.fileDescriptors?.delete(number);
  const printed = { stdout: "", stderr: "" };
  for (let at = processSubstitutions.length - 1; at >= 0; at--) {
    const target = processSubstitutions[at]?.stdout ?? "";
    const { stdout, stderr } = await finish(context, at);
    const earlier = processSubstitutions.find(({ path }) => target.endsWith(`:${path}`));
    if (earlier === undefined) printed.stdout += decodeInput(stdout);
    else await fs.writeFile(earlier.path, (await fs.readFile(earlier.path, "binary")) + stdout, "binary");
    printed.stderr += stderr;
  }
  return printed;
}

/** Runs a shell or a subshell with its own traps, and the EXIT trap at its end. */
export async function withTraps<T extends ExecResult>(context: Context, run: () => Promise<T>): Promise<T> {
  const { state } = context;
  const outer = state.traps;
  state.traps = new Map();
  try {
    const result = await run();
    const last = await atExit(context, result.exitCode);
    return {
      ...result,
      stdout: result.stdout + last.stdout,
      stderr: result.stderr + last.stderr,
      exitCode: last.exitCode,
    };
  } catch (error) {
    if (isAbort(error)) await atAbort(context, error);
    if (!isEnd(error)) throw error;
    const last = await atExit(context, error.exitCode);
    error.stdout += last.stdout;
    error.stderr += last.stderr;
    error.exitCode = last.exitCode;
    throw error;
  } finally {
    state.traps = outer;
  }
}

/** Signals that the shells which were ended ignored. */
let ignored: readonly string[] = [];

/** Whether the shells that were ended, one within the other, ignored a signal. */
export function takeIgnored(signal: string): boolean {
  const found = ignored.includes(signal);
  ignored = [];
  return found;
}

/** Runs the traps of a shell that `timeout` ends; nothing runs if the whole call is over. */
async function atAbort(context: Context, error: End): Promise<void> {
  const { state } = context;
  const { signal, traps = new Map<string, string>() } = state;
  ignored = [...ignored, ...[...traps].flatMap(([name, action]) => (action === "" ? [name] : []))];
  state.signal = undefined;
  try {
    for (const name of ["TERM", "EXIT"]) {
      const last = await runTrap(context, name, error.exitCode).catch((end: unknown) => {
        if (isEnd(end)) return end;
        throw end;
      });
      error.stdout += last.stdout;
      error.stderr += last.stderr;
    }
  } catch (end) {
    if (!isAbort(end)) throw end;
  } finally {
    state.signal = signal;
  }
}

async function atExit(context: Context, exitCode: number): Promise<ExecResult> {
  try {
    return { ...(await runTrap(context, "EXIT", exitCode)), exitCode };
  } catch (error) {
    if (!isEnd(error)) throw error;
    return error;
  }
}

/** Runs the ERR trap after a failed statement, except compound commands: the statement inside has already run it. */
export async function runErrTrap(
  context: Context,
  printed: Printed,
  { exitCode, statement }: { readonly exitCode: number; readonly statement: Statement },
): Promise<true> {
  const { callDepth, options } = context.state;
  if (callDepth > 0 && options["errtrace"] !== true) return true;
  const [command, ...piped] = statement.pipelines.at(-1)?.commands ?? [];
  if (piped.length === 0 && /^(?:Group|If|For|CStyleFor|While|Until|Case)$/.test(command?.type ?? "")) return true;
  context.state.currentLine = (piped.at(-1) ?? command)?.line ?? context.state.currentLine;
  try {
    printed.appendResult(await runTrap(context, "ERR", exitCode));
    setStatus(context.state, exitCode);
  } catch (error) {
    printed.prependTo(error);
    throw error;
  }
  return true;
}

/** Number of a signal, which is named without `SIG`; null if it is not known. */
export function signalNumber(name: string): number | null {
  const at = ALL_SIGNALS.indexOf(name);
  return at < 0 ? null : numberAt(at);
}

function numberAt(at: number): number {
  return ALL_SIGNALS[at]?.startsWith("RT") === true ? at + 3 : at + 1;
}

/** The table of signals that `trap -l` and `kill -l` print. */
function signalTable(): string {
  const names = ALL_SIGNALS.map((name, at) => `${String(numberAt(at)).padStart(2)}) SIG${name}`);
  return `${names.map((name, at) => name + (at % 5 === 4 ? "\n" : "\t")).join("")}\n`;
}

/** What `kill -l` prints for signals: the numbers of names, and the names of numbers and exit codes. */
function signalNames(given: readonly string[]): ExecResult {
  const lines = given.map((one) => {
    const number = /^\d+$/.test(one) ? Number(one) % 128 : null;
    const name = number === 0 ? "EXIT" : ALL_SIGNALS.find((_, at) => numberAt(at) === number);
    const given = one.toUpperCase().replace(/^SIG/, "");
    return { one, text: number !== null ? (name ?? null) : given === "EXIT" ? 0 : signalNumber(given) };
  });
  const unknown = lines.filter(({ text }) => text === null);
  return {
    stdout: lines.map(({ text }) => (text === null ? "" : `${text}\n`)).join(""),
    stderr: unknown.map(({ one }) => `bash: kill: ${one}: invalid signal specification\n`).join(""),
    exitCode: unknown.length === 0 ? 0 : 1,
  };
}

/** The `kill` builtin, which reaches the shell itself; commands in the background have ended. */
export async function kill(context: Context, args: readonly string[]): Promise<ExecResult> {
  if (args.length === 1 && args[0] === "-l") return { stdout: signalTable(), stderr: "", exitCode: 0 };
  if (args[0] === "-l") return signalNames(args.slice(1));
  const own = String(context.state.virtualPid);
  const [first = "", ...others] = args;
  const isApart = /^-[sn]$/.test(first);
  const signal = nameOf((isApart ? others.shift() : /^-./.test(first) ? first.slice(1) : undefined) ?? "TERM");
  const pids = first.startsWith("-") ? others : args;
  const missing = pids.filter((pid) => pid !== own);
  const stderr = missing.map((pid) => `bash: kill: (${pid}) - No such process\n`).join("");
  if (pids.length === 0)
    return { stdout: "", stderr: "bash: kill: usage: kill [-s sigspec | -sigspec] pid\n", exitCode: 2 };
  const code = { HUP: 1, INT: 2, QUIT: 3, KILL: 9, TERM: 15 }[signal];
  if (missing.length === pids.length || signal === "EXIT")
    return { stdout: "", stderr, exitCode: stderr === "" ? 0 : 1 };
  if (context.state.traps?.has(signal) === true) return runTrap(context, signal, 0);
  if (code === undefined)
    return { stdout: "", stderr: `bash: kill: ${signal}: there is no such signal here\n`, exitCode: 1 };
  return context.executeScript(evaluating(`exit ${128 + code}`));
}

/** Runs the action of a trap, which is unset meanwhile so that it cannot trigger itself. */
async function runTrap(context: Context, name: string, exitCode: number): Promise<ExecResult> {
  const { state } = context;
  const action = state.traps?.get(name) ?? "";
  if (action === "") return { stdout: "", stderr: "", exitCode };
  state.traps?.delete(name);
  setStatus(state, exitCode);
  state.env.set("BASH_COMMAND", lastCommand(state));
  const result = await context.executeScript(
    evaluating(action.replace(/\$(?:LINENO\b|\{LINENO\})/g, `${state.currentLine}`)),
  );
  if (name !== "EXIT") state.traps?.set(name, action);
  return result;
}

function lastCommand({ statement }: ShellState): string {
  const text = statement?.sourceText?.trim() ?? "";
  return (statement?.pipelines.length ?? 0) > 1 ? (text.split(/&&|\|\|/).at(-1) ?? "").trim() : text;
}

function setStatus(state: ShellState, exitCode: number): void {
  state.lastExitCode = exitCode;
  state.env.set("?", String(exitCode));
}

/** Runs a command substitution in a subshell without `set -e`. */
export async function runSubstitution(context: Context, body: Script): Promise<ExecResult> {
  const { state } = context;
  const { options } = state;
  const outside = state.substitutionOutput ?? [];
  state.options = { ...options, errexit: false };
  state.substitutionOutput = [];
  const { readonlyVars, currentLine, lineOffset = 0 } = state;
  state.readonlyVars = new Set(readonlyVars);
  const [first] = body.statements;
  state.lineOffset = currentLine + lineOffset - (first === undefined ? 1 : lineOf(first));
  try {
    return await withSeparateStdout(context, outside, () => withTraps(context, () => context.executeScript(body)));
  } catch (error) {
    if (!isLoopEnd(error)) throw error;
    return { stdout: error.stdout, stderr: error.stderr, exitCode: 0 };
  } finally {
    state.options = options;
    state.substitutionOutput = outside;
    state.readonlyVars = readonlyVars;
    Object.assign(state, { currentLine, lineOffset });
  }
}

function isAbort(error: unknown): error is End {
  return error instanceof Error && error.name === "ExecutionAbortedError";
}

function isEnd(error: unknown): error is End {
  return error instanceof Error && error.name === "ExitError";
}

/** Whether an error is `break` or `continue`, which end a command substitution, not a loop around it. */
function isLoopEnd(error: unknown): error is Omit<End, "exitCode"> {
  return error instanceof Error && /^(?:Break|Continue)Error$/.test(error.name);
}

/** Builds the syntax tree of a script that calls `eval` on a text. */
export function evaluating(text: string): object {
  const word = (value: string) => ({ type: "Word", parts: [{ type: "SingleQuoted", value }] });
  const command = { type: "SimpleCommand", assignments: [], name: word("eval"), args: [word(text)], redirections: [] };
  const pipeline = { type: "Pipeline", commands: [command], negated: false };
  return {
    type: "Script",
    statements: [{ type: "Statement", pipelines: [pipeline], operators: [], background: false }],
  };
}
