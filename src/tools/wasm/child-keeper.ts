import { addAbortListener } from "node:events";
import { mkdirSync } from "node:fs";
import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";
import type { ClusterLock } from "../../core/cluster.ts";
import { SandboxError, toAppError } from "../../core/protocol/errors.ts";
import { unlessAborted } from "../../core/unless-aborted.ts";
import { monotonicMs } from "./child/fence.ts";
import type { Outcome, RunMessage } from "./child/messages.ts";
import { type ConfinedView, canAccess } from "./confinement.ts";
import { type CallEvents, CHILD_FILE, type ChildParts, type SandboxChild, startChild } from "./sandbox-child.ts";
import type { SandboxLimits, SandboxOptions } from "./sandbox-options.ts";

const BUILD_DIR = fileURLToPath(new URL("../../../build/wasm", import.meta.url));

interface RunningChild {
  readonly process: SandboxChild;
  readonly view: ConfinedView | null;
  /** The quota keys of each running call. */
  readonly calls: Set<readonly string[]>;
}

/** A call that needs a child. */
export interface EnteringCall extends Pick<RunMessage, "guest" | "capability"> {
  /** Keys of the quotas that the call counts against. Calls in two children never share a key. */
  readonly counts: readonly string[];
  readonly signal: AbortSignal;
}

/** A slot of a call in a child, until disposed of. */
export interface ChildSlot extends Disposable {
  run(message: RunMessage, events: RunEvents): Promise<Outcome>;
}

interface RunEvents extends CallEvents {
  readonly signal: AbortSignal;
  /** Keeps other processes from the files that the call changes; null if there are none. */
  readonly lock: Pick<ClusterLock, "validForMs"> | null;
}

/** How often the child learns until when fenced calls may change files, in milliseconds. */
const CERTAIN_EVERY_MS = 250;

/** Keeps a child while there is work, and starts another if the current one cannot see what a call needs. */
export class ChildKeeper {
  readonly #options: SandboxOptions;
  readonly #limits: SandboxLimits;
  #child: RunningChild | null = null;
  #idle: NodeJS.Timeout | undefined;
  #closed = false;
  #ready: Promise<boolean> | undefined;
  readonly #stopping = new Set<Promise<void>>();
  readonly #children = new Set<RunningChild>();
  /** Resolves when the next call ends. */
  #left = Promise.withResolvers<void>();

  constructor(options: SandboxOptions, limits: SandboxLimits) {
    this.#options = options;
    this.#limits = limits;
  }

  pid(): number | undefined {
    return this.#child?.process.pid;
  }

  async ready(): Promise<void> {
    await this.#confines();
  }

  /**
   * Gives a call its place. Children share no counters, so a call waits while one in an older child counts against the
   * same quotas.
   * Throws SandboxError `sandbox_failed`, and the signal's reason if it aborts.
   */
  async enter(call: EnteringCall): Promise<ChildSlot> {
    const confines = await this.#confines();
    const { isRequired = false } = this.#options.confinement ?? {};
    if (isRequired && !confines) {
      throw new SandboxError("sandbox_failed", "the system does not confine the sandbox");
    }
    for (;;) {
      if (this.#closed) throw new SandboxError("sandbox_failed", "the sandbox is closed");
      call.signal.throwIfAborted();
      const child = this.#childFor(call, confines);
      if (!this.#isCountedElsewhere(call, child)) return this.#placeIn(child, call);
      try {
        await unlessAborted(this.#left.promise, call.signal);
      } catch (error) {
        // The child may have been started for this call alone.
        this.#rest(child);
        throw error;
      }
    }
  }

  #isCountedElsewhere({ counts }: EnteringCall, child: RunningChild): boolean {
    const others = [...this.#children].filter((other) => other !== child);
    return others.some(({ calls }) => [...calls].flat().some((key) => counts.includes(key)));
  }

  #placeIn(child: RunningChild, { counts }: EnteringCall): ChildSlot {
    const own = [...counts];
    clearTimeout(this.#idle);
    child.calls.add(own);
    return {
      run: (message, events) => this.#runIn(child, message, events),
      [Symbol.dispose]: () => {
        child.calls.delete(own);
        this.#rest(child);
        this.#left.resolve();
        this.#left = Promise.withResolvers();
      },
    };
  }

  async #runIn(child: RunningChild, message: RunMessage, { signal, lock, ...events }: RunEvents): Promise<Outcome> {
    if (signal.aborted) return { type: "cancelled" };
    const stopTelling = lock !== null && message.capability.isFenced === true ? keepFence(child, lock) : null;
    const hung = setTimeout(() => this.#stop(child), message.capability.timeoutMs + this.#limits.graceMs);
    using _ = addAbortListener(signal, () => child.process.cancel(message.id));
    try {
      return await child.process.run(message, events);
    } finally {
      clearTimeout(hung);
      stopTelling?.();
    }
  }

  /** Handles a child without calls: the current one stays for a while, and one that was replaced is stopped. */
  #rest(child: RunningChild): void {
    if (child.calls.size > 0) return;
    if (child !== this.#child) return this.#stop(child);
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#stop(child), this.#limits.idleMs);
  }

  /** Whether children are confined. If not, the reason is logged once. */
  #confines(): Promise<boolean> {
    const { confinement, log } = this.#options;
    this.#ready ??= Promise.resolve(confinement?.problem()).then((problem) => {
      if (typeof problem === "string") log?.warn({ reason: problem }, "sandbox.not_confined");
      return problem === null;
    });
    return this.#ready;
  }

  #childFor(message: EnteringCall, confines: boolean): RunningChild {
    const before = this.#child;
    const needs = confines ? madePlaces(message) : [];
    if (before !== null && unseen(before.view, needs) === undefined) return before;
    const { buildDir = BUILD_DIR, childFile = CHILD_FILE, confinement } = this.#options;
    const view = (confines ? confinement?.view(childFile, buildDir) : null) ?? null;
    const place = unseen(view, needs);
    if (place !== undefined) {
      throw new SandboxError("sandbox_failed", `${place} is outside what the sandbox's process can see`);
    }
    const child = this.#start({ childFile, buildDir, view });
    if (before !== null) this.#rest(before);
    return child;
  }

  #start(parts: Omit<ChildParts, "log">): RunningChild {
    const { log } = this.#options;
    const { view } = parts;
    const process = startChild({ ...parts, log }, () => {
      if (this.#child === child) this.#child = null;
      this.#children.delete(child);
    });
    const child = { process, view, calls: new Set<readonly string[]>() };
    this.#child = child;
    this.#children.add(child);
    log?.debug({ pid: process.pid, confined: view !== null }, "sandbox.started");
    return child;
  }

  #stop(child: RunningChild): void {
    if (this.#child === child) this.#child = null;
    const stopping = child.process.stop().finally(() => this.#stopping.delete(stopping));
    this.#stopping.add(stopping);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const child of this.#children) this.#stop(child);
    await Promise.all(this.#stopping);
    clearTimeout(this.#idle);
  }
}

/**
 * Renews the fence regularly. If the process freezes, it stops renewing, so its child halts before other processes take
 * over.
 */
function keepFence({ process }: RunningChild, lock: Pick<ClusterLock, "validForMs">): () => void {
  const tell = () => {
    // Read the clock first: freezing between the two reads then shortens the fence instead of extending it.
    const now = monotonicMs();
    process.certain(now + lock.validForMs());
  };
  tell();
  const telling = setInterval(tell, CERTAIN_EVERY_MS);
  return () => clearInterval(telling);
}

function madePlaces(call: EnteringCall): string[] {
  try {
    return placesOf(call);
  } catch (error) {
    throw new SandboxError("sandbox_failed", toAppError(error).message);
  }
}

/**
 * The directories that a call accesses, created if missing, since a child sees only what existed when it was started.
 */
function placesOf({ guest, capability: { root, snapshots } }: EnteringCall): string[] {
  mkdirSync(root, { recursive: true });
  if (snapshots !== undefined) mkdirSync(snapshots, { recursive: true, mode: 0o700 });
  return [root, ...(snapshots === undefined ? [] : [snapshots]), ...(isAbsolute(guest) ? [guest] : [])];
}

/** The first place that a child with this view cannot access. */
function unseen(view: ConfinedView | null, places: readonly string[]): string | undefined {
  return view === null ? undefined : places.find((place) => !canAccess(view, place));
}
