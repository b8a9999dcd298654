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
  /** Time beyond a call's limit before the child counts as hung. */
  readonly graceMs: number;
}

export interface SandboxOptions {
  readonly log?: Log;
  /** Directory where wasm/build.ts put the guests. */
  readonly buildDir?: string;
  /** The child's program; defaults to the one beside this file. */
  readonly childFile?: string;
  /** Directory where former contents are kept before files change; if absent, none are kept. */
  readonly snapshots?: string;
  /** Patterns of further files that no call may change unasked. */
  readonly guardedFiles?: readonly string[];
  /** Limits how much calls may write; if absent, there is no limit. */
  readonly quotas?: Pick<Quotas, "begin"> | undefined;
  /** Keeps other processes from a root while a call changes its files; absent if there are none. */
  readonly lock?: TakeLock;
  /** How the system confines the child; if absent, not at all. */
  readonly confinement?: Confinement;
  readonly limits?: Partial<SandboxLimits>;
  /** Network options for guests that may fetch. By default, the sandbox resolves names itself. */
  readonly network?: Partial<NetworkOptions<GuestFetchLimits>>;
}

export const SANDBOX_LIMITS: SandboxLimits = {
  perSession: 1,
  perChannel: 2,
  inAll: 16,
  idleMs: 60_000,
  graceMs: 5_000,
};
