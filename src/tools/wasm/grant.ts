import type { Capabilities } from "../../core/capabilities.ts";

/** All that one call may do and use; enforced by the sandbox host, whatever the guest tries. */
export interface Grant {
  /** Absolute path of the only directory the guest reaches; made when it does not exist. */
  readonly root: string;
  readonly writable: boolean;
  /** The one instruction file that a person has allowed this call to write, by its path beneath the root. */
  readonly instructionFile?: string;
  /** Where contents are kept before files change, so that changes can be taken back; absent: nowhere. */
  readonly snapshots?: string;
  /** Whether the guest may know the time. */
  readonly clock: boolean;
  /** Wall clock from the start of the guest. */
  readonly timeoutMs: number;
  /** Of the guest's linear memory. */
  readonly memoryMb: number;
  /** Bytes of the guest's output in UTF-8. */
  readonly outputBytes: number;
}

export type GrantLimits = Pick<Grant, "clock" | "timeoutMs" | "memoryMb" | "outputBytes">;

/** The part of a call's capabilities that concerns its guest, as the sandbox enforces it: the host, not the guest. */
export function grantFor(root: string, { files, clock, timeoutMs, memoryMb, outputBytes }: GuestCapabilities): Grant {
  return { root, writable: files === "write", clock, timeoutMs, memoryMb, outputBytes };
}

/** Of a call that runs in a guest, which reaches no network. */
export type GuestCapabilities = Capabilities & Pick<Grant, "memoryMb">;

/** A guest's capabilities: it changes files only where the call and its place both permit that. */
export function guestCapabilities(
  limits: GrantLimits,
  { files, readOnly }: { readonly files: Capabilities["files"]; readonly readOnly: boolean },
): GuestCapabilities {
  const { clock, timeoutMs, memoryMb, outputBytes } = limits;
  return { files: files === "write" && readOnly ? "read" : files, hosts: [], clock, timeoutMs, memoryMb, outputBytes };
}

/** For tools on files: room for one 8 MB file in its several copies, and for an image in base64. */
export const FILE_LIMITS: GrantLimits = { clock: false, timeoutMs: 30_000, memoryMb: 128, outputBytes: 16_777_216 };

/** For programs that a model wrote. */
export const PROGRAM_LIMITS: GrantLimits = { clock: true, timeoutMs: 60_000, memoryMb: 64, outputBytes: 1_048_576 };

/** For shell scripts: the shell itself takes 20 MB. */
export const SHELL_LIMITS: GrantLimits = { clock: true, timeoutMs: 60_000, memoryMb: 256, outputBytes: 1_048_576 };
