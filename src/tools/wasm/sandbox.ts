import type { ClusterLock, TakeLock } from "../../core/cluster.ts";
import { assertNever } from "../../core/protocol/assert-never.ts";
import { SandboxError } from "../../core/protocol/errors.ts";
import type { HostRules } from "../../core/trust/host-patterns.ts";
import { createGuestFetch, type GuestFetch } from "../network/guest-fetch.ts";
import { createSystemResolve } from "../network/resolve.ts";
import type { GrowingCall } from "../quotas/quotas.ts";
import { type Caller, CallQueue } from "./call-queue.ts";
import type { SandboxCapability } from "./capability.ts";
import type { Grown, GuestInput, Outcome } from "./child/messages.ts";
import { ChildKeeper } from "./child-keeper.ts";
import type { Changed } from "./sandbox-child.ts";
import { SANDBOX_LIMITS, type SandboxOptions } from "./sandbox-options.ts";

/** On whose behalf a guest runs, and who is notified of changed files, even if the call fails or is aborted. */
export interface SandboxCaller extends Caller {
  /** The person who asked for the call; if absent, it counts against nobody's share. */
  readonly personId?: string;
  readonly changed?: Changed;
  /** Receives what a call had printed if it was interrupted. */
  readonly printed?: (text: string) => void;
  /** Receives why a fetch got no response or a file was not written, since the guest may show less of it. */
  readonly refused?: (sentence: string) => void;
}

export interface Sandbox {
  /** Patterns of further files that no call may change unasked. */
  readonly guardedFiles: readonly string[];
  /**
   * Runs a guest on one input and resolves with its output. Throws SandboxError `sandbox_limit` (`detail.limit`: time,
   * memory, output or stack; `detail.value`: how much) or `sandbox_failed`, and the signal's reason if it aborts.
   */
  // oxlint-disable-next-line max-params -- what runs, on what, with which rights, for whom
  call(guest: string, input: GuestInput, capability: SandboxCapability, caller: SandboxCaller): Promise<string>;
  /** Tries the confinement of the child in advance, so that the first call need not wait for it. */
  ready(): Promise<void>;
  /** The child's process id, if there is a child. */
  pid(): number | undefined;
  close(): Promise<void>;
}

const NO_NETWORK: HostRules = { allowedHosts: [], blockedUrls: [] };

/**
 * Runs guests in one child process, started by the first call and stopped when idle. If it dies, only the running calls
 * fail; the next call starts another one.
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const limits = { ...SANDBOX_LIMITS, ...options.limits };
  const queue = new CallQueue(limits);
  const child = new ChildKeeper(options, limits);
  const network = { resolve: createSystemResolve(), ...options.network };
  const { snapshots, guardedFiles = [] } = options;
  const all = { guardedFiles, ...(snapshots === undefined ? {} : { snapshots }) };
  let lastId = 0;
  const run = async (
    message: { guest: string; input: GuestInput; capability: SandboxCapability },
    caller: SandboxCaller,
    lock: ClusterLock | null,
  ): Promise<string> => {
    const id = ++lastId;
    const { signal, changed = () => {}, printed = () => {}, refused = () => {} } = caller;
    const { network: rules = NO_NETWORK, ...given } = message.capability;
    const fetch = reportingRefusals(createGuestFetch(rules, network), refused);
    using place = await child.enter({
      guest: message.guest,
      capability: given,
      counts: countsOf(given, caller),
      signal,
    });
    using growth = await growthOf(given, caller, options.quotas);
    const capability = { ...given, ...growth.capability, ...fenceOf(lock) };
    const grown = (added: Grown): void => {
      growth.ended(added);
      if (added.full !== null) refused(added.full);
    };
    const events = { signal, changed, printed, grown, fetch, lock };
    const outcome = await place.run({ type: "run", id, ...message, capability }, events);
    if (outcome.type === "cancelled") signal.throwIfAborted();
    return outputOf(outcome, message.capability);
  };
  return {
    guardedFiles,
    // oxlint-disable-next-line max-params -- see Sandbox
    call: (guest, input, capability, caller) => {
      const ended = async () => {
        // The lock comes before the place in the queue: waiting for another process must not block other calls here.
        using lock = await lockFor(capability, caller, options.lock);
        const leave = await queue.enter(caller);
        return await run({ guest, input, capability: { ...capability, ...all } }, caller, lock).finally(leave);
      };
      // Both are given back when the guest has really ended, for which a cancelled caller does not wait.
      return untilAborted(ended(), caller.signal);
    },
    ready: () => child.ready(),
    pid: () => child.pid(),
    close: () => child.close(),
  };
}

async function lockFor(
  { root, writable }: SandboxCapability,
  caller: SandboxCaller,
  lock: TakeLock | undefined,
): Promise<ClusterLock | null> {
  return writable && lock !== undefined ? lock(root, caller) : null;
}

/** Without other processes, exclusive access is always certain. */
function fenceOf(lock: ClusterLock | null): { readonly isFenced?: true } {
  return lock === null || lock.validForMs() === Number.POSITIVE_INFINITY ? {} : { isFenced: true };
}

/** Quota keys that a call counts against. */
function countsOf({ root, writable }: SandboxCapability, { personId, channelKey }: SandboxCaller): readonly string[] {
  if (!writable) return [];
  return [`root:${root}`, `channel:${channelKey}`, ...(personId === undefined ? [] : [`person:${personId}`])];
}

interface CallGrowth extends Disposable, Pick<GrowingCall, "ended"> {
  readonly capability: Pick<SandboxCapability, "growth">;
}

/**
 * Opens the quotas of a call. If the call ends without reporting what it has added, disposing of it has that measured.
 */
async function growthOf(
  { root, writable }: SandboxCapability,
  { personId, channelKey }: SandboxCaller,
  quotas: SandboxOptions["quotas"],
): Promise<CallGrowth> {
  const call = writable ? await quotas?.begin({ root, personId: personId ?? null, channelKey }) : undefined;
  let hasEnded = call === undefined;
  const ended: GrowingCall["ended"] = (added) => {
    if (!hasEnded) call?.ended(added);
    hasEnded = true;
  };
  return { capability: call === undefined ? {} : { growth: call.buckets }, ended, [Symbol.dispose]: () => ended(null) };
}

function reportingRefusals(fetch: GuestFetch, refused: (sentence: string) => void): GuestFetch {
  return async (request, signal) => {
    const answer = await fetch(request, signal);
    if (answer.type === "refused") refused(answer.sentence);
    return answer;
  };
}

function outputOf(outcome: Outcome, capability: SandboxCapability): string {
  switch (outcome.type) {
    case "ok":
      return outcome.output;
    case "limit":
      throw limitError(outcome.limit, capability);
    case "failed":
      throw new SandboxError("sandbox_failed", outcome.message);
    case "cancelled":
      throw new SandboxError("sandbox_failed", "the call was cancelled");
    default:
      return assertNever(outcome);
  }
}

function limitError(limit: "time" | "memory" | "output" | "stack", capability: SandboxCapability): SandboxError {
  const values = {
    time: `${capability.timeoutMs / 1_000} s`,
    memory: `${capability.memoryMb} MB`,
    output: `${capability.outputBytes} bytes`,
    stack: "its depth",
  };
  const value = values[limit];
  return new SandboxError("sandbox_limit", `stopped at the ${limit} limit of ${value}`, { detail: { limit, value } });
}

/** Milliseconds that an aborted call gets to end and report all its changes. */
const END_MS = 600;

async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  let patience: NodeJS.Timeout | undefined;
  const abort = (): void => {
    patience = setTimeout(() => reject(signal.reason), END_MS);
  };
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, late]);
  } finally {
    signal.removeEventListener("abort", abort);
    clearTimeout(patience);
    work.catch(() => {}); // nobody needs an outcome after the abort
  }
}
