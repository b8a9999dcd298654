import type { Capabilities } from "../../core/capabilities.ts";
import type { ToolContext } from "../../core/tool.ts";
import type { HostRules } from "../../core/trust/host-patterns.ts";
import type { Bucket } from "../quotas/bucket.ts";

/** All that one call may do and use; enforced by the sandbox host, whatever the guest tries. */
export interface SandboxCapability {
  /** Absolute path of the only directory the guest reaches; made when it does not exist. */
  readonly root: string;
  readonly writable: boolean;
  /** The one instruction file that a person has allowed this call to write, by its path beneath the root. */
  readonly instructionFile?: string;
  /** What the settings add to the files that no call changes by itself. */
  readonly guardedFiles?: readonly string[];
  /** The one file that looks like a secret and that a person has allowed this call to read, by its path beneath the root. */
  readonly secretFile?: string;
  /** sha256 of what the session has read or written before: of these contents none is a secret to it. */
  readonly knownContents?: readonly string[];
  /** Where contents are kept before files change, so that changes can be taken back; absent: nowhere. */
  readonly snapshots?: string;
  /** The limits of what it writes; absent: none. */
  readonly growth?: readonly Bucket[];
  /** The hosts that the guest may reach, and the URLs that it may not; absent: no network. Enforced by the bot itself. */
  readonly network?: HostRules;
  /** Whether the guest may know the time. */
  readonly clock: boolean;
  /** Wall clock from the start of the guest. */
  readonly timeoutMs: number;
  /** Megabytes of the guest's linear memory. */
  readonly memoryMb: number;
  /** Bytes of the guest's output in UTF-8. */
  readonly outputBytes: number;
}

export type CapabilityLimits = Pick<SandboxCapability, "clock" | "timeoutMs" | "memoryMb" | "outputBytes">;

/** A call's capabilities as the sandbox enforces them: the host, not the guest. */
export function capabilityFor(
  { sandboxRoot: root, blockedUrls, knownFiles }: Pick<ToolContext, "sandboxRoot" | "blockedUrls" | "knownFiles">,
  { files, hosts, clock, timeoutMs, memoryMb, outputBytes }: GuestCapabilities,
): SandboxCapability {
  const network = hosts.length === 0 ? {} : { network: { allowedHosts: hosts, blockedUrls } };
  const knownContents = [...knownFiles.values()];
  return { root, writable: files === "write", ...network, knownContents, clock, timeoutMs, memoryMb, outputBytes };
}

/** What a call may use that runs in a guest. */
export type GuestCapabilities = Capabilities & Pick<SandboxCapability, "memoryMb">;

/** What a call wants of the outside, and whether its place forbids changes. */
export interface GuestReach {
  readonly files: Capabilities["files"];
  readonly readOnly: boolean;
  /** None unless given. */
  readonly hosts?: readonly string[];
}

/** A guest's capabilities: it changes files only where the call and its place both permit that. */
export function guestCapabilities(
  { clock, timeoutMs, memoryMb, outputBytes }: CapabilityLimits,
  { files, readOnly, hosts = [] }: GuestReach,
): GuestCapabilities {
  return { files: files === "write" && readOnly ? "read" : files, hosts, clock, timeoutMs, memoryMb, outputBytes };
}

/** For tools on files: room for one 8 MB file in its several copies, and for an image in base64. */
export const FILE_LIMITS: CapabilityLimits = {
  clock: false,
  timeoutMs: 30_000,
  memoryMb: 128,
  outputBytes: 16_777_216,
};

/** For programs that a model wrote. */
export const PROGRAM_LIMITS: CapabilityLimits = {
  clock: true,
  timeoutMs: 60_000,
  memoryMb: 64,
  outputBytes: 1_048_576,
};

/** For shell scripts: the shell itself takes 20 MB. */
export const SHELL_LIMITS: CapabilityLimits = { clock: true, timeoutMs: 60_000, memoryMb: 256, outputBytes: 1_048_576 };
