import { statSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { ElicitRequestFormParams, ElicitResult } from "@modelcontextprotocol/client";
import type { Clock } from "../../core/protocol/runtime.ts";
import { unlessSystem } from "../../core/protocol/system-code.ts";
import { CallGroups } from "./call-groups.ts";
import type { McpServer } from "./server-settings.ts";

/** Who calls, and what the server may want of them meanwhile. */
export interface Caller {
  readonly sessionId: string;
  readonly sandboxRoot: string;
  /** The call waits for its turn. */
  queued(before: number): void;
  /** How far the server is, in its words. */
  progress(text: string): void;
  /** Has the people of the thread fill in what the server asks for. */
  elicit(request: ElicitRequestFormParams, signal: AbortSignal): Promise<ElicitResult>;
}

/** A call that is under way, with its claim on our patience. */
interface Current {
  readonly caller: Caller;
  readonly signal: AbortSignal;
  /** Stops its clock until it is called again. */
  readonly hold: () => () => void;
}

interface CallArgs<T> {
  /** Tells the server so. */
  readonly rootsChanged: () => Promise<void>;
  readonly call: () => Promise<T>;
}

/** Milliseconds that a server gets to ask for roots that have changed. */
const ROOTS_MS = 1_000;
/** Milliseconds that it then gets to look at them, since it says nothing when it has. */
const LOOK_MS = 250;

/**
 * What a server asks of us while it works for a call: the roots, and questions for people. It does not say for which of
 * its calls; from the first time on those of different threads, or of different roots, take turns.
 */
export class AsksBack {
  readonly #clock: Clock;
  readonly #groups = new CallGroups();
  readonly #current = new Set<Current>();
  #hasElicited = false;
  /** Null until the server has asked for roots. */
  #toldRoot: string | null = null;
  #rootsAsked = Promise.withResolvers<void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async during<T>(current: Current, { rootsChanged, call }: CallArgs<T>): Promise<T> {
    const { caller, signal } = current;
    const key = `${this.#hasElicited ? caller.sessionId : ""}\n${this.#toldRoot === null ? "" : caller.sandboxRoot}`;
    const leave = await this.#groups.enter(key, signal, (before) => caller.queued(before));
    this.#current.add(current);
    try {
      if (this.#toldRoot !== null && this.#toldRoot !== caller.sandboxRoot) await this.#tell(rootsChanged, signal);
      return await call();
    } finally {
      this.#current.delete(current);
      leave();
    }
  }

  roots(): { uri: string; name: string }[] {
    const [current] = this.#current;
    const root = current?.caller.sandboxRoot;
    this.#toldRoot = root ?? "";
    this.#rootsAsked.resolve();
    return root === undefined ? [] : [{ uri: pathToFileURL(root).href, name: path.basename(root) }];
  }

  async elicit(request: ElicitRequestFormParams, signal: AbortSignal): Promise<ElicitResult> {
    this.#hasElicited = true;
    const currents = [...this.#current];
    const [first] = currents;
    const isClear = currents.every(({ caller }) => caller.sessionId === first?.caller.sessionId);
    // Nobody, or one of several threads: the wrong people must not be asked.
    if (first === undefined || !isClear) return { action: "cancel" };
    const resume = currents.map(({ hold }) => hold());
    try {
      return await first.caller.elicit(request, AbortSignal.any([signal, first.signal]));
    } finally {
      for (const end of resume) end();
    }
  }

  async #tell(rootsChanged: () => Promise<void>, signal: AbortSignal): Promise<void> {
    this.#rootsAsked = Promise.withResolvers();
    await rootsChanged();
    await Promise.race([this.#rootsAsked.promise, this.#clock.sleep(ROOTS_MS, signal)]);
    await this.#clock.sleep(LOOK_MS, signal);
  }
}

/** A server whose arguments name a directory was told where to work; roots would take its place. */
export function takesRoots(settings: McpServer): boolean {
  if (!("command" in settings)) return false;
  return !(settings.args ?? []).some((arg) => path.isAbsolute(arg) && isDirectory(arg));
}

/** What cannot be looked at is none: it may be no path at all. */
function isDirectory(file: string): boolean {
  const stats = unlessSystem(["EACCES", "EPERM", "ELOOP", "ENAMETOOLONG"], () =>
    statSync(file, { throwIfNoEntry: false }),
  );
  return stats?.isDirectory() === true;
}
