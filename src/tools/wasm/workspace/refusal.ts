import { SandboxError } from "../../../core/protocol/errors.ts";
import { systemCode } from "../../../core/protocol/system-code.ts";

/**
 * Thrown if the workspace refuses something, with a sentence for the model. `payload` makes it a guest's error value.
 */
export class Refusal extends SandboxError {
  readonly payload: string;

  constructor(sentence: string) {
    super("sandbox_failed", sentence);
    this.payload = sentence;
  }
}

const SENTENCES: Readonly<Record<string, (path: string) => string>> = {
  ENOENT: (path) => `${path} does not exist.`,
  ENOTDIR: (path) => `A part of ${path} is a file, not a directory.`,
  EISDIR: (path) => `${path} is a directory.`,
  EACCES: (path) => `The system does not permit this on ${path}.`,
  EPERM: (path) => `The system does not permit this on ${path}.`,
  EROFS: (path) => `${path} is on a read-only file system.`,
  ELOOP: (path) => `${path} is a symbolic link that does not point to an allowed place.`,
  EEXIST: (path) => `${path} already exists; it appeared in the meantime.`,
  ENAMETOOLONG: (path) => `The path ${path} is too long.`,
  ENOSPC: () => "The disk is full.",
  EDQUOT: () => "The disk quota is used up.",
  ENXIO: (path) => `${path} is not a regular file.`,
  EMFILE: () => "Too many files are open at the moment; try again later.",
  ENFILE: () => "Too many files are open at the moment; try again later.",
};
/** What the system lacks, which says nothing about the file. */
const SHORTAGES: readonly string[] = ["EMFILE", "ENFILE"];

/** Runs file work; the system's errors become refusals that name the path, and defects are rethrown. */
export function refusing<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const code = refusedBySystem(error);
    if (code === null) throw error;
    throw new Refusal(SENTENCES[code]?.(path || ".") ?? `${path || "."}: ${code}`);
  }
}

/** The code of a refusal by the system; null for any other error. */
export function refusedBySystem(error: unknown): string | null {
  const code = systemCode(error) ?? "";
  return !(error instanceof SandboxError) && /^E[A-Z0-9]+$/.test(code) ? code : null;
}

/** Null if the workspace or the system refuses; too many open files are no such refusal. */
export function unlessRefused<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    const code = systemCode(error);
    if (error instanceof SandboxError || (code !== undefined && !SHORTAGES.includes(code))) return null;
    throw error;
  }
}
