import type { ExecResult } from "just-bash/browser";
import { decodeInput } from "./shell/decode-input.ts";
import { type StreamContext, type StreamState, withSeparateStdout } from "./shell/streams.ts";

/** What just-bash's interpreter keeps of a shell, as far as traps need it. */
interface ShellState extends StreamState {
  traps?: Map<string, string> | undefined;
  readonly processSubstitutions?: readonly unknown[];
  options: { readonly [name: string]: boolean };
  lastExitCode: number;
  readonly callDepth: number;
  currentLine: number;
  /** The statement that started last. */
  readonly statement?: Statement;
  readonlyVars?: ReadonlySet<string> | undefined;
  readonly env: Map<string, string>;
}

interface Statement {
  readonly sourceText?: string;
  readonly pipelines: readonly { readonly commands: readonly { readonly type: string; readonly line?: number }[] }[];
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

/** Accepted signals. Their actions are stored but never run because no process sends signals here. */
const SIGNALS = "HUP INT QUIT ABRT ALRM TERM PIPE USR1 USR2 TSTP CONT WINCH CHLD".split(" ");
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
  try {
    const result = await withTraps(context, () => context.executeScript(script));
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

/** Runs the commands of `exec > >(…)`, which print to where the shell did before; null if there are none. */
async function lastOutput(context: Context, finish: Finish): Promise<Pick<ExecResult, "stdout" | "stderr"> | null> {
  const { processSubstitutions = [], fileDescriptors } = context.state;
  if (processSubstitutions.length === 0) return null;
  for (const number of [1, 2]) fileDescriptors?.delete(number);
  const { stdout, stderr } = await finish(context, 0);
  return { stdout: decodeInput(stdout), stderr };
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
export async function runSubstitution(context: Context, body: object): Promise<ExecResult> {
  const { state } = context;
  const { options } = state;
  const outside = state.substitutionOutput ?? [];
  state.options = { ...options, errexit: false };
  state.substitutionOutput = [];
  const { readonlyVars, currentLine } = state;
  state.readonlyVars = new Set(readonlyVars);
  try {
    return await withSeparateStdout(context, outside, () => withTraps(context, () => context.executeScript(body)));
  } catch (error) {
    if (!isLoopEnd(error)) throw error;
    return { stdout: error.stdout, stderr: error.stderr, exitCode: 0 };
  } finally {
    state.options = options;
    state.substitutionOutput = outside;
    state.readonlyVars = readonlyVars;
    state.currentLine = currentLine;
  }
}

function isEnd(error: unknown): error is End {
  return error instanceof Error && error.name === "ExitError";
}

/** Whether an error is `break` or `continue`, which end a command substitution, not a loop around it. */
function isLoopEnd(error: unknown): error is Omit<End, "exitCode"> {
  return error instanceof Error && /^(?:Break|Continue)Error$/.test(error.name);
}

/** Builds the syntax tree of a script that calls `eval` on a text. */
function evaluating(text: string): object {
  const word = (value: string) => ({ type: "Word", parts: [{ type: "SingleQuoted", value }] });
  const command = { type: "SimpleCommand", assignments: [], name: word("eval"), args: [word(text)], redirections: [] };
  const pipeline = { type: "Pipeline", commands: [command], negated: false };
  return {
    type: "Script",
    statements: [{ type: "Statement", pipelines: [pipeline], operators: [], background: false }],
  };
}
