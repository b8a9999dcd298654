import type { Output } from "../runtime/output.ts";

/** What the tool asks of this guest. */
export interface BashRequest {
  readonly command: string;
  /** Where the command runs, relative to the sandbox root. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Characters of each of the two outputs, from its end. */
  readonly maxChars: number;
  /** Where an output goes that is longer, relative to the sandbox root; names one file of its own. */
  readonly overflow: string;
  /** 32 bits. */
  readonly seed: number;
}

export interface BashReply {
  readonly exitCode: number;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly cwd: string;
  /** What differs from a new shell's variables. */
  readonly env: Readonly<Record<string, string>>;
  /** What the sandbox refused and why, each once. */
  readonly notes: readonly string[];
  readonly timedOut: boolean;
  /** By a person, before its time. */
  readonly stopped: boolean;
}
