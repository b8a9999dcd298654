import type { Output } from "../runtime/output.ts";

/** The tool's request to this guest: code or a file, and the few outside facts that a program receives. */
export interface ProgramRequest {
  readonly code: string | null;
  /** A program in the sandbox, by its path relative to the root. */
  readonly file: string | null;
  /** Maximum characters of the printed output, and of the value. */
  readonly maxChars: number;
  /** File for longer output, relative to the sandbox root. */
  readonly overflow: string;
  /** 32 random bits. Instances start from one snapshot, so without a seed all would draw the same numbers. */
  readonly seed: number;
}

export interface ProgramReply {
  readonly output: Output;
  readonly value: string | null;
  readonly error: string | null;
  /** What the sandbox refused and why, each once. */
  readonly notes: readonly string[];
}
