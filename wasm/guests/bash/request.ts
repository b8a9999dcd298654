import type { Output } from "../runtime/output.ts";

/** The tool's request to this guest. */
export interface BashRequest {
  readonly command: string;
  /** Working directory, relative to the sandbox root. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Maximum number of characters kept of stdout and of stderr, counted from the end. */
  readonly maxChars: number;
  /** Path prefix, relative to the sandbox root, of the files that store longer outputs; unique to the call. */
  readonly overflow: string;
  /** 32 bits. */
  readonly seed: number;
  /** Digest of the approved binding; the command is refused if its binding differs. Null to skip this check. */
  readonly bound: string | null;
  /** True to return the binding without running the command. */
  readonly looks: boolean;
}

/** What a command's effect depends on besides its text. */
export interface BashBinding {
  readonly cwd: string;
  /** Variables of the session that the command or its scripts name. */
  readonly env: Readonly<Record<string, string>>;
  /** SHA-256 of executed files by path relative to the root; null if the file does not exist. */
  readonly files: Readonly<Record<string, string | null>>;
  /** Digest of the directory, the variables and the files. */
  readonly digest: string;
  /** True if the command may execute more than these files. */
  readonly isOpen: boolean;
}

export interface BashReply {
  readonly exitCode: number;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly cwd: string;
  /** Variables that the shell does not set itself. */
  readonly env: Readonly<Record<string, string>>;
  /** Sentences about what the sandbox refused and why, without duplicates. */
  readonly notes: readonly string[];
  readonly timedOut: boolean;
  /** Whether a person stopped the command before its time limit. */
  readonly stopped: boolean;
}
