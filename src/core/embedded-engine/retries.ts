import { isDatabaseAway } from "../protocol/database-failure.ts";
import { AppError } from "../protocol/errors.ts";
import type { Timers } from "./timers.ts";

/**
 * How long until a run that could not go on is tried again: doubles with each failure, unless the database was not there,
 * which says nothing of the run. Milliseconds.
 */
const RETRY_MS = { first: 5_000, most: 300_000 };

/** How soon a session is offered again that only programs of a newer version can go on with. Milliseconds. */
const NEWER_RETRY_MS = 1_000;

/** A wake that is planned. */
interface Planned {
  readonly cancel: () => void;
  /** The session waits for a program of a newer version, and not for a better time. */
  readonly isForNewer: boolean;
}

/** When sessions are woken again whose wakes fail: each has one time, and the newest failure says which. */
export class Retries {
  readonly #timers: Timers;
  /** How often in a row the session's run could not go on. */
  readonly #failures = new Map<string, number>();
  readonly #planned = new Map<string, Planned>();
  /** Sessions that wait for a program of a newer version, as has been told. */
  readonly #newer = new Set<string>();

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** After one more failure; returns how long it waits, in milliseconds, and whether that is news: a line each second is none. */
  plan(sessionId: string, error: unknown, wake: () => void): { readonly waitMs: number; readonly isNews: boolean } {
    const isForNewer = error instanceof AppError && error.code === "database_newer";
    const isNews = !isForNewer || !this.#newer.has(sessionId);
    if (isForNewer) this.#newer.add(sessionId);
    else this.#newer.delete(sessionId);
    const waitMs = isForNewer ? NEWER_RETRY_MS : this.#backOff(sessionId, error);
    this.#planned.get(sessionId)?.cancel();
    const cancel = this.#timers.after(waitMs, () => {
      this.#planned.delete(sessionId);
      wake();
    });
    this.#planned.set(sessionId, { cancel, isForNewer });
    return { waitMs, isNews };
  }

  /** Sessions that wait for a better time. */
  waiting(): readonly string[] {
    return [...this.#planned].flatMap(([sessionId, { isForNewer }]) => (isForNewer ? [] : [sessionId]));
  }

  succeeded(sessionId: string): void {
    this.#failures.delete(sessionId);
    this.#newer.delete(sessionId);
  }

  #backOff(sessionId: string, error: unknown): number {
    if (isDatabaseAway(error)) return RETRY_MS.first;
    const failures = this.#failures.get(sessionId) ?? 0;
    this.#failures.set(sessionId, failures + 1);
    return Math.min(RETRY_MS.most, RETRY_MS.first * 2 ** failures);
  }
}
