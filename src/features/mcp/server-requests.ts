import { statSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { ElicitRequestFormParams, ElicitResult } from "@modelcontextprotocol/client";
import type { Clock } from "../../core/protocol/runtime.ts";
import { unlessSystem } from "../../core/protocol/system-code.ts";
import { CallGroups } from "./call-groups.ts";
import type { McpServer } from "./server-settings.ts";

/** The thread that a call is made for, and what the server may ask of it meanwhile. */
export interface Caller {
  readonly sessionId: string;
  readonly sandboxRoot: string;
  /** Called while the call waits its turn; `before` counts the calls ahead of it. */
  queued(before: number): void;
  /** Shows the progress that the server reports, in the server's words. */
  progress(text: string): void;
  /** Asks the people of the thread to fill in the server's form. */
  elicit(request: ElicitRequestFormParams, signal: AbortSignal): Promise<ElicitResult>;
}

/** A call under way, and the clock of its timeout. */
interface Current {
  readonly caller: Caller;
  readonly signal: AbortSignal;
  /** Stops the clock of the timeout; the returned function starts it again. */
  readonly hold: () => () => void;
}

interface CallArgs<T> {
  /** Notifies the server that its roots have changed. */
  readonly rootsChanged: () => Promise<void>;
  readonly call: () => Promise<T>;
}

/** Milliseconds that a server gets to ask for changed roots. */
const ROOTS_MS = 1_000;
/** Milliseconds that the server then gets to apply the new roots, since it sends no acknowledgement. */
const LOOK_MS = 250;

/**
 * Answers what a server asks during calls: its roots, and questions for people. The server does not say which call it
 * asks for, so once it has asked, calls of different threads or different roots take turns.
 */
export class ServerRequests {
  readonly #clock: Clock;
  readonly #groups = new CallGroups();
  readonly #current = new Set<Current>();
  #hasElicited = false;
  /** Null until the server has asked for roots. */
  #announcedRoot: string | null = null;
  #rootsAsked = Promise.withResolvers<void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async during<T>(current: Current, { rootsChanged, call }: CallArgs<T>): Promise<T> {
    const { caller, signal } = current;
    const key = `${this.#hasElicited ? caller.sessionId : ""}\n${this.#announcedRoot === null ? "" : caller.sandboxRoot}`;
    const leave = await this.#groups.enter(key, signal, (before) => caller.queued(before));
    this.#current.add(current);
    try {
      if (this.#announcedRoot !== null && this.#announcedRoot !== caller.sandboxRoot)
        await this.#announceRoot(rootsChanged, signal);
      return await call();
    } finally {
      this.#current.delete(current);
      leave();
    }
  }

  roots(): { uri: string; name: string }[] {
    const [current] = this.#current;
    const root = current?.caller.sandboxRoot;
    this.#announcedRoot = root ?? "";
    this.#rootsAsked.resolve();
    return root === undefined ? [] : [{ uri: pathToFileURL(root).href, name: path.basename(root) }];
  }

  async elicit(request: ElicitRequestFormParams, signal: AbortSignal): Promise<ElicitResult> {
    this.#hasElicited = true;
    const currents = [...this.#current];
    const [first] = currents;
    const isClear = currents.every(({ caller }) => caller.sessionId === first?.caller.sessionId);
    // With no call, or calls of several threads, the question could reach the wrong people.
    if (first === undefined || !isClear) return { action: "cancel" };
    const resume = currents.map(({ hold }) => hold());
    try {
      return await first.caller.elicit(request, AbortSignal.any([signal, first.signal]));
    } finally {
      for (const end of resume) end();
    }
  }

  async #announceRoot(rootsChanged: () => Promise<void>, signal: AbortSignal): Promise<void> {
    this.#rootsAsked = Promise.withResolvers();
    await rootsChanged();
    await Promise.race([this.#rootsAsked.promise, this.#clock.sleep(ROOTS_MS, signal)]);
    await this.#clock.sleep(LOOK_MS, signal);
  }
}

/**
 * Whether the server is offered roots. One whose arguments name a directory already knows where to work, and roots
 * would override that.
 */
export function takesRoots(settings: McpServer): boolean {
  if (!("command" in settings)) return false;
  return !(settings.args ?? []).some((arg) => path.isAbsolute(arg) && isDirectory(arg));
}

/** False also for a path that cannot be inspected, since the argument may be no path at all. */
function isDirectory(file: string): boolean {
  const stats = unlessSystem(["EACCES", "EPERM", "ELOOP", "ENAMETOOLONG"], () =>
    statSync(file, { throwIfNoEntry: false }),
  );
  return stats?.isDirectory() === true;
}
