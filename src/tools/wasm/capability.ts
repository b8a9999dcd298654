import type { Capabilities } from "../../core/capabilities.ts";
import type { ToolContext } from "../../core/tool.ts";
import type { HostRules } from "../../core/trust/host-patterns.ts";
import type { Bucket } from "../quotas/bucket.ts";

/** All that one call may do and use, enforced by the sandbox host whatever the guest tries. */
export interface SandboxCapability {
  /** Absolute path of the only directory that the guest can access; created if missing. */
  readonly root: string;
  readonly writable: boolean;
  /** The one instruction file that a person has allowed this call to write, by its path beneath the root. */
  readonly instructionFile?: string;
  /** Patterns from the settings of further files that no call may change unasked. */
  readonly guardedFiles?: readonly string[];
  /** The one secret file that a person has allowed this call to read, by its path beneath the root. */
  readonly secretFile?: string;
  /** sha256 of contents that the session has read or written before; none of these is refused as a secret. */
  readonly knownContents?: readonly string[];
  /** Directory where former contents are kept, so that changes can be undone; if absent, none are kept. */
  readonly snapshots?: string;
  /** Limits of what the call writes; if absent, there are none. */
  readonly growth?: readonly Bucket[];
  /**
   * Hosts that the guest may reach and URLs that it may not; if absent, it has no network. The bot itself enforces
   * this.
   */
  readonly network?: HostRules;
  /** Whether the guest may read the clock. */
  readonly clock: boolean;
  /** Wall-clock time from the start of the guest. */
  readonly timeoutMs: number;
  /** Limit of the guest's linear memory in megabytes. */
  readonly memoryMb: number;
  /** Limit of the guest's output in bytes of UTF-8. */
  readonly outputBytes: number;
}

export type CapabilityLimits = Pick<SandboxCapability, "clock" | "timeoutMs" | "memoryMb" | "outputBytes">;

/** Builds the capability that the sandbox host enforces for a call. */
export function capabilityFor(
  { sandboxRoot: root, blockedUrls, knownFiles }: Pick<ToolContext, "sandboxRoot" | "blockedUrls" | "knownFiles">,
  { files, hosts, clock, timeoutMs, memoryMb, outputBytes }: GuestCapabilities,
): SandboxCapability {
  const network = hosts.length === 0 ? {} : { network: { allowedHosts: hosts, blockedUrls } };
  const knownContents = [...knownFiles.values()];
  return { root, writable: files === "write", ...network, knownContents, clock, timeoutMs, memoryMb, outputBytes };
}

/** The capabilities of a call that runs in a guest. */
export type GuestCapabilities = Capabilities & Pick<SandboxCapability, "memoryMb">;

/** What a call needs beyond its guest, and whether its place forbids changes. */
export interface GuestReach {
  readonly files: Capabilities["files"];
  readonly readOnly: boolean;
  /** Defaults to none. */
  readonly hosts?: readonly string[];
}

/** Builds a guest's capabilities: it may change files only if the call and its place both permit that. */
export function guestCapabilities(
  { clock, timeoutMs, memoryMb, outputBytes }: CapabilityLimits,
  { files, readOnly, hosts = [] }: GuestReach,
): GuestCapabilities {
  return { files: files === "write" && readOnly ? "read" : files, hosts, clock, timeoutMs, memoryMb, outputBytes };
}

/** Limits for file tools: memory for several copies of one 8 MB file, and for an image in base64. */
export const FILE_LIMITS: CapabilityLimits = {
  clock: false,
  timeoutMs: 30_000,
  memoryMb: 128,
  outputBytes: 16_777_216,
};

export const PROGRAM_LIMITS: CapabilityLimits = {
  clock: true,
  timeoutMs: 60_000,
  memoryMb: 64,
  outputBytes: 1_048_576,
};

/** Limits for shell scripts; the shell itself takes 20 MB. */
export const SHELL_LIMITS: CapabilityLimits = { clock: true, timeoutMs: 60_000, memoryMb: 256, outputBytes: 1_048_576 };
