import { mkdirSync } from "node:fs";
import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";
import { SandboxError, toAppError } from "../../core/protocol/errors.ts";
import type { Outcome, RunMessage } from "./child/messages.ts";
import { type ConfinedView, sees } from "./confinement.ts";
import type { SandboxLimits, SandboxOptions } from "./sandbox.ts";
import { type CallEvents, CHILD_FILE, type SandboxChild, startChild } from "./sandbox-child.ts";

const BUILD_DIR = fileURLToPath(new URL("../../../build/wasm", import.meta.url));

/** A child that has been started, and the calls that it carries out. */
interface RunningChild {
  readonly process: SandboxChild;
  readonly view: ConfinedView | null;
  running: number;
}

/** Keeps a child while there is work, and starts another one where the present one does not see what a call needs. */
export class ChildKeeper {
  readonly #options: SandboxOptions;
  readonly #limits: SandboxLimits;
  #child: RunningChild | null = null;
  #idle: NodeJS.Timeout | undefined;
  #closed = false;
  #ready: Promise<boolean> | undefined;
  readonly #stopping = new Set<Promise<void>>();

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

  async run(message: RunMessage, { signal, ...events }: CallEvents & { signal: AbortSignal }): Promise<Outcome> {
    const confines = await this.#confines();
    if (this.#closed) return { type: "failed", message: "the sandbox is closed" };
    if (signal.aborted) return { type: "cancelled" };
    const { isRequired = false } = this.#options.confinement ?? {};
    if (isRequired && !confines) return { type: "failed", message: "the system does not confine the sandbox" };
    try {
      return await this.#runIn(this.#childFor(message, confines), message, { signal, ...events });
    } catch (error) {
      return { type: "failed", message: toAppError(error).message };
    }
  }

  async #runIn(
    child: RunningChild,
    message: RunMessage,
    { signal, ...events }: CallEvents & { signal: AbortSignal },
  ): Promise<Outcome> {
    clearTimeout(this.#idle);
    child.running++;
    const hung = setTimeout(() => this.#stop(child), message.capability.timeoutMs + this.#limits.graceMs);
    const cancel = (): void => child.process.cancel(message.id);
    signal.addEventListener("abort", cancel, { once: true });
    try {
      return await child.process.run(message, events);
    } finally {
      clearTimeout(hung);
      signal.removeEventListener("abort", cancel);
      child.running--;
      this.#rest(child);
    }
  }

  /** A child without work: one that another has taken the place of ends, the present one stays for a while. */
  #rest(child: RunningChild): void {
    if (child.running > 0) return;
    if (child === this.#child) this.#idle = setTimeout(() => this.#stop(child), this.#limits.idleMs);
    else this.#stop(child);
  }

  /** Whether a child is confined. Says in the log why not, once. */
  #confines(): Promise<boolean> {
    const { confinement, log } = this.#options;
    this.#ready ??= Promise.resolve(confinement?.problem()).then((problem) => {
      if (typeof problem === "string") log?.warn({ reason: problem }, "sandbox.not_confined");
      return problem === null;
    });
    return this.#ready;
  }

  #childFor(message: RunMessage, confines: boolean): RunningChild {
    const before = this.#child;
    const needs = confines ? placesOf(message) : [];
    if (before !== null && seesAll(before, needs)) return before;
    const child = this.#start(confines);
    if (before !== null) this.#rest(before);
    if (seesAll(child, needs)) return child;
    throw new SandboxError("sandbox_failed", `${needs[0] ?? ""} leads out of what the sandbox's process sees`);
  }

  #start(confines: boolean): RunningChild {
    const { log, buildDir = BUILD_DIR, childFile = CHILD_FILE, confinement } = this.#options;
    const view = (confines ? confinement?.view(childFile, buildDir) : null) ?? null;
    const process = startChild({ childFile, buildDir, view, log }, () => {
      if (this.#child === child) this.#child = null;
    });
    const child = { process, view, running: 0 };
    this.#child = child;
    log?.debug({ pid: process.pid, confined: view !== null }, "sandbox.started");
    return child;
  }

  #stop(child: RunningChild | null): void {
    if (child === null) return;
    if (this.#child === child) this.#child = null;
    const stopping = child.process.stop().finally(() => this.#stopping.delete(stopping));
    this.#stopping.add(stopping);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#stop(this.#child);
    await Promise.all(this.#stopping);
    clearTimeout(this.#idle);
  }
}

/** What a call reaches, made where it is not there: a child sees only what was there when it was started. */
function placesOf({ guest, capability: { root, snapshots } }: RunMessage): string[] {
  mkdirSync(root, { recursive: true });
  if (snapshots !== undefined) mkdirSync(snapshots, { recursive: true, mode: 0o700 });
  return [root, ...(snapshots === undefined ? [] : [snapshots]), ...(isAbsolute(guest) ? [guest] : [])];
}

function seesAll({ view }: RunningChild, places: readonly string[]): boolean {
  return view === null || places.every((place) => sees(view, place));
}
