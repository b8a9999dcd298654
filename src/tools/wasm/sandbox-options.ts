import type { TakeLock } from "../../core/cluster.ts";
import type { Log } from "../../core/protocol/log.ts";
import type { NetworkOptions } from "../network/exchange.ts";
import type { GuestFetchLimits } from "../network/limits.ts";
import type { Quotas } from "../quotas/quotas.ts";
import type { QueueLimits } from "./call-queue.ts";
import type { Confinement } from "./confinement.ts";

export interface SandboxLimits extends QueueLimits {
  /** How long the child process stays without work. */
  readonly idleMs: number;
  /** What a child gets beyond a call's time limit before it counts as hung. */
  readonly graceMs: number;
}

export interface SandboxOptions {
  readonly log?: Log;
  /** Where wasm/build.ts put the guests. */
  readonly buildDir?: string;
  /** What runs them: the child's program; the one beside this file by default. */
  readonly childFile?: string;
  /** Where contents are kept before files change; absent: nowhere. */
  readonly snapshots?: string;
  /** Files that no call changes by itself, beside those that always are. */
  readonly guardedFiles?: readonly string[];
  /** How much calls may write; absent: as much as they like. */
  readonly quotas?: Pick<Quotas, "begin"> | undefined;
  /** Keeps other processes from a root while a call changes files in it; absent: there are none. */
  readonly lock?: TakeLock;
  /** How the system confines the child; absent: not at all. */
  readonly confinement?: Confinement;
  readonly limits?: Partial<SandboxLimits>;
  /** How guests that may fetch do it; look-ups are the sandbox's own where it gives none. */
  readonly network?: Partial<NetworkOptions<GuestFetchLimits>>;
}

export const SANDBOX_LIMITS: SandboxLimits = {
  perSession: 1,
  perChannel: 2,
  inAll: 16,
  idleMs: 60_000,
  graceMs: 5_000,
};
