import type { ExecResult, IFileSystem } from "just-bash/browser";
import { utf8Bytes } from "../../runtime/text-encoding.ts";

/** Descriptors of a shell in just-bash's interpreter, and additional output that its statement must print. */
export interface StreamState {
  readonly fileDescriptors?: Map<number, string>;
  /** Numbers of the descriptors that are open for reading. */
  readonly inputFds?: Set<number>;
  substitutionOutput?: string[];
}

export interface StreamContext {
  readonly state: StreamState;
  readonly fs: {
    readFile(path: string, encoding: "binary"): Promise<string>;
    writeFile(path: string, content: string, encoding?: "binary"): Promise<void>;
    rm(path: string): Promise<void>;
  };
}

/** How just-bash records that a descriptor is a copy of stdout, or a file. */
const COPY_OF_STDOUT = "__dupout__:1";
const FILE = "__file_append__:";

let files = 0;

/**
 * Runs a command that prints into a pipe or a variable. Existing copies of stdout still refer to the outer stdout;
 * text written to them is added to `keep`.
 */
export async function withSeparateStdout<T>(
  { state, fs }: StreamContext,
  keep: string[],
  run: () => Promise<T>,
): Promise<T> {
  const descriptors = state.fileDescriptors ?? new Map<number, string>();
  const copies = [...descriptors].filter(([number, what]) => number > 2 && what === COPY_OF_STDOUT);
  if (copies.length === 0) return run();
  const path = `/tmp/.stdout-${files++}`;
  await fs.writeFile(path, "");
  for (const [number] of copies) descriptors.set(number, FILE + path);
  try {
    return await run();
  } finally {
    for (const [number] of copies) if (descriptors.get(number) === FILE + path) descriptors.set(number, COPY_OF_STDOUT);
    const written = await fs.readFile(path, "binary");
    if (written !== "") keep.push(written);
    await fs.rm(path);
  }
}

/** Prepends kept output, which has one character for each byte, to a result. */
export function prependOutput<T extends ExecResult>(keep: readonly string[], result: T): T {
  if (keep.length === 0) return result;
  const bytes = result.stdoutKind === "bytes" ? result.stdout : utf8Bytes(result.stdout);
  return { ...result, stdout: keep.join("") + bytes, stdoutKind: "bytes" };
}

/** Prepends the text that command substitutions wrote to the outer stdout to the result of their statement. */
export function prependSubstitutionOutput<T extends ExecResult>({ state }: StreamContext, result: T): T {
  return prependOutput(state.substitutionOutput?.splice(0) ?? [], result);
}

const PRINTING = /^(?:>|>\||>>|&>|&>>)$/;

/** Makes the paths of opened redirections absolute, because a compound command may change the directory. */
export function resolveTargets<T extends { readonly targets?: Map<number, string> }>(
  { state, fs }: { readonly state: { readonly cwd: string }; readonly fs: Pick<IFileSystem, "resolvePath"> },
  redirections: readonly { readonly operator: string }[],
  opened: T,
): T {
  for (const [at, target] of opened.targets ?? [])
    if (PRINTING.test(redirections[at]?.operator ?? "")) opened.targets?.set(at, fs.resolvePath(state.cwd, target));
  return opened;
}

interface Calls {
  loopDepth: number;
  hidden?: (() => void)[];
  lineOffset?: number;
}

interface ShellState extends StreamState, Calls {
  cwd: string;
  previousDir: string;
}

/**
 * Begins a command of a pipe: without the loops around it and, behind a `|`, without the input that `exec <` opened. The
 * returned function restores them and the directory.
 */
export function enterPipe(state: ShellState, isFirst: boolean): () => void {
  const { loopDepth, cwd, previousDir } = state;
  const restore = isFirst ? () => {} : withoutInput(state);
  state.loopDepth = 0;
  return () => {
    Object.assign(state, { loopDepth, cwd, previousDir });
    restore();
  };
}

/** Hides the input that `exec <` opened, for a command with another input, until the returned function is called. */
export function withoutInput({ fileDescriptors, inputFds }: StreamState): () => void {
  const input = fileDescriptors?.get(0);
  if (input === undefined) return () => {};
  const isRead = inputFds?.delete(0) === true;
  fileDescriptors?.delete(0);
  return () => {
    fileDescriptors?.set(0, input);
    if (isRead) inputFds?.add(0);
  };
}

/** Commands that hand their input to another command, or look at it though they have files to read. */
const NOT_TAKING = /^(?:base64|env|rg|time|timeout)$/;

interface Reading {
  readonly result: ExecResult;
  readonly input: string;
  /** Whether the input is that of the group or loop around the command. */
  readonly isShared: boolean;
  /** Whether the command looked at the input. */
  readonly isRead: boolean;
}

interface Pipes {
  groupStdin?: string | undefined;
  /** Bytes of its input that the last command of a pipe left. */
  unread?: number;
}

/** Bytes that a pipe holds. A command that prints more than is read and fits into the pipe ends with a signal. */
const PIPE = 65_536;

export function isUnread({ unread = 0 }: Pipes): boolean {
  return unread > PIPE;
}

/** Number of bytes that a command took from its input; later commands of its group or loop go on behind them. */
export function inputTaken(state: Pipes, name: string, { result, input, isShared, isRead }: Reading): number {
  const taken = result.internalStdinConsumed ?? (isRead && !NOT_TAKING.test(name) ? input.length : 0);
  if (result.internalStdinConsumed !== undefined) state.unread = input.length - taken;
  if (isShared && taken > 0 && state.groupStdin !== undefined) state.groupStdin = state.groupStdin.slice(taken);
  return taken;
}

/**
 * Runs a function of the shell: its `break` does not concern the loops around its call, it has its own lines, and the
 * attributes of variables that are local to it end with it.
 */
export async function outsideLoops<T>(state: Calls, run: () => Promise<T>): Promise<T> {
  const { loopDepth, lineOffset = 0, hidden: outer } = state;
  const hidden: (() => void)[] = [];
  Object.assign(state, { loopDepth: 0, lineOffset: 0, hidden });
  try {
    return await run();
  } finally {
    for (const restore of hidden) restore();
    Object.assign(state, { loopDepth, lineOffset, hidden: outer });
  }
}

const NUL_IGNORED = "bash: warning: command substitution: ignored null byte in input\n";

/** The output of a command substitution without NUL characters, which no variable can hold. */
export function withoutNul(state: { expansionStderr?: string }, output: string): string {
  if (!output.includes("\0")) return output;
  state.expansionStderr = (state.expansionStderr ?? "") + NUL_IGNORED;
  return output.replaceAll("\0", "");
}
