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
    writeFile(path: string, content: string): Promise<void>;
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

interface Loops {
  loopDepth: number;
}

interface ShellState extends StreamState, Loops {
  cwd: string;
  previousDir: string;
}

/**
 * Begins a command of a pipe: without the loops around it and, behind a `|`, without the input that `exec <` opened. The
 * returned function restores them and the directory.
 */
export function enterPipe(state: ShellState, isFirst: boolean): () => void {
  const { fileDescriptors, inputFds, loopDepth, cwd, previousDir } = state;
  const input = isFirst ? undefined : fileDescriptors?.get(0);
  const isRead = input !== undefined && inputFds?.delete(0) === true;
  if (input !== undefined) fileDescriptors?.delete(0);
  state.loopDepth = 0;
  return () => {
    Object.assign(state, { loopDepth, cwd, previousDir });
    if (input !== undefined) fileDescriptors?.set(0, input);
    if (isRead) inputFds?.add(0);
  };
}

/** Runs a function of the shell, whose `break` and `continue` do not concern the loops around its call. */
export async function outsideLoops<T>(state: Loops, run: () => Promise<T>): Promise<T> {
  const { loopDepth } = state;
  state.loopDepth = 0;
  try {
    return await run();
  } finally {
    state.loopDepth = loopDepth;
  }
}
