import type { Output } from "../runtime/output.ts";

/** What the tool asks of this guest: one of the two, and the few things of the outside that a program gets to know. */
export interface ProgramRequest {
  readonly code: string | null;
  /** A program of the sandbox, by path relative to its root. */
  readonly file: string | null;
  /** Characters of what is printed, and of the value. */
  readonly maxChars: number;
  /** Where the output goes when it is longer, relative to the sandbox root. */
  readonly overflow: string;
  /** 32 bits. Instances start from one snapshot: without it, all would draw the same numbers. */
  readonly seed: number;
}

export interface ProgramReply {
  readonly output: Output;
  readonly value: string | null;
  readonly error: string | null;
  /** What the sandbox refused and why, each once. */
  readonly notes: readonly string[];
}
