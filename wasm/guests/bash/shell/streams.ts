import { utf8Bytes } from "../../runtime/text-encoding.ts";

/** What just-bash's interpreter keeps of a shell's descriptors, and what its statement has to print besides. */
export interface StreamState {
  readonly fileDescriptors?: Map<number, string>;
  /** Those of them that are read. */
  readonly inputFds?: Set<number>;
  stray?: string[];
}

export interface StreamContext {
  readonly state: StreamState;
  readonly fs: {
    readFile(path: string, encoding: "binary"): Promise<string>;
    writeFile(path: string, content: string): Promise<void>;
    rm(path: string): Promise<void>;
  };
}

interface Result {
  readonly stdout: string;
  readonly stdoutKind?: string;
}

/** How just-bash writes down that a descriptor is a copy of stdout, or a file. */
const COPY_OF_STDOUT = "__dupout__:1";
const FILE = "__file_append__:";

let files = 0;

/**
 * Runs what prints into a pipe or a variable: descriptors that were copies of stdout before mean the stdout outside, and
 * what is written to them is kept.
 */
export async function apart<T>({ state, fs }: StreamContext, keep: string[], run: () => Promise<T>): Promise<T> {
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

/** A result behind what was kept, which has one character for each byte. */
export function behind<T extends Result>(keep: readonly string[], result: T): T {
  if (keep.length === 0) return result;
  const bytes = result.stdoutKind === "bytes" ? result.stdout : utf8Bytes(result.stdout);
  return { ...result, stdout: keep.join("") + bytes, stdoutKind: "bytes" };
}

/** A statement's result behind what its command substitutions have written to the stdout outside them. */
export function withStray<T extends Result>({ state }: StreamContext, result: T): T {
  return behind(state.stray?.splice(0) ?? [], result);
}

/** Takes away what `exec <` has let the shell read; the function puts it back. */
export function unplugged({ fileDescriptors, inputFds }: StreamState): () => void {
  const input = fileDescriptors?.get(0);
  if (input === undefined) return () => {};
  const isRead = inputFds?.delete(0) === true;
  fileDescriptors?.delete(0);
  return () => {
    fileDescriptors?.set(0, input);
    if (isRead) inputFds?.add(0);
  };
}
