import { AppError } from "../protocol/errors.ts";

/** How long until a run that could not go on is tried again: doubles with each failure. Milliseconds. */
const RETRY_MS = { first: 5_000, most: 300_000 };

/** How soon a session is offered again that only programs of a newer version can go on with. Milliseconds. */
const NEWER_RETRY_MS = 1_000;

/** When sessions are woken again whose wakes fail. */
export class Retries {
  /** How often in a row the session's run could not go on. */
  readonly #failures = new Map<string, number>();

  /** How long to wait after one more failure. Milliseconds. */
  waitMs(sessionId: string, error: unknown): number {
    if (error instanceof AppError && error.code === "database_newer") return NEWER_RETRY_MS;
    const failures = this.#failures.get(sessionId) ?? 0;
    this.#failures.set(sessionId, failures + 1);
    return Math.min(RETRY_MS.most, RETRY_MS.first * 2 ** failures);
  }

  succeeded(sessionId: string): void {
    this.#failures.delete(sessionId);
  }
}
