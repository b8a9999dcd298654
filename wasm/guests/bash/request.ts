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
  /** The digest of what was allowed, without which it does not run; null: whatever it is. */
  readonly bound: string | null;
  /** True when nothing is run, and only its binding is wanted. */
  readonly looks: boolean;
}

/** What a command does depends on these beside its text. */
export interface BashBinding {
  readonly cwd: string;
  /** The variables of the session that it or its scripts name. */
  readonly env: Readonly<Record<string, string>>;
  /** What it executes: sha256 by path, relative to the root; null where there is no such file. */
  readonly files: Readonly<Record<string, string | null>>;
  /** Identifies the three. */
  readonly digest: string;
  /** True when it may execute more than these files. */
  readonly isOpen: boolean;
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
