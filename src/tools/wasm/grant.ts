/** All that one call may do and use; enforced by the sandbox host, whatever the guest tries. */
export interface Grant {
  /** Absolute path of the only directory the guest reaches; made when it does not exist. */
  readonly root: string;
  readonly writable: boolean;
  /** The one instruction file that a person has allowed this call to write, by its path beneath the root. */
  readonly instructionFile?: string;
  /** Where contents are kept before files change, so that changes can be taken back; absent: nowhere. */
  readonly snapshots?: string;
  /** Wall clock from the start of the guest. */
  readonly timeoutMs: number;
  /** Of the guest's linear memory. */
  readonly memoryMb: number;
  /** Bytes of the guest's output in UTF-8. */
  readonly outputBytes: number;
}

export type GrantLimits = Pick<Grant, "timeoutMs" | "memoryMb" | "outputBytes">;

/** For tools on files: room for one 8 MB file in its several copies, and for an image in base64. */
export const FILE_LIMITS: GrantLimits = { timeoutMs: 30_000, memoryMb: 128, outputBytes: 16_777_216 };

/** For programs that a model wrote. */
export const PROGRAM_LIMITS: GrantLimits = { timeoutMs: 60_000, memoryMb: 64, outputBytes: 1_048_576 };

/** For shell scripts: the shell itself takes 20 MB. */
export const SHELL_LIMITS: GrantLimits = { timeoutMs: 60_000, memoryMb: 256, outputBytes: 1_048_576 };
