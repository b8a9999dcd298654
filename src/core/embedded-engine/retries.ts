import { isDatabaseUnavailable } from "../protocol/database-failure.ts";
import { AppError } from "../protocol/errors.ts";
import type { Timers } from "./timers.ts";

/**
 * Delay before a failed wake is retried, in milliseconds. It doubles with each failure, except when the database is
 * unreachable, which says nothing about the run.
 */
const RETRY_MS = { first: 5_000, most: 300_000 };

/** Delay before offering a session again that only a newer version of the program can continue, in milliseconds. */
const NEWER_RETRY_MS = 1_000;

interface Planned {
  readonly cancel: () => void;
  /** Whether the session waits for a newer version of the program, and not for a failure to pass. */
  readonly isForNewer: boolean;
}

/** Plans retries for sessions whose wakes fail. Each session has one planned time, set by its newest failure. */
export class Retries {
  readonly #timers: Timers;
  /** Number of consecutive failures per session. */
  readonly #failures = new Map<string, number>();
  readonly #planned = new Map<string, Planned>();
  /** Sessions already reported as waiting for a newer version. */
  readonly #newer = new Set<string>();

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /**
   * Plans a retry after a failure. Returns the delay in milliseconds and whether the failure is worth logging: waiting
   * for a newer version would otherwise add a line each second.
   */
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

  /** Sessions that are retried after failures, without those waiting for a newer version. */
  waiting(): readonly string[] {
    return [...this.#planned].flatMap(([sessionId, { isForNewer }]) => (isForNewer ? [] : [sessionId]));
  }

  succeeded(sessionId: string): void {
    this.#failures.delete(sessionId);
    this.#newer.delete(sessionId);
  }

  #backOff(sessionId: string, error: unknown): number {
    if (isDatabaseUnavailable(error)) return RETRY_MS.first;
    const failures = this.#failures.get(sessionId) ?? 0;
    this.#failures.set(sessionId, failures + 1);
    return Math.min(RETRY_MS.most, RETRY_MS.first * 2 ** failures);
  }
}
