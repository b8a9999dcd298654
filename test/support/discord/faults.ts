export type RequestKind = "post" | "edit" | "read" | "thread" | "react" | "callback" | "other";

/** What goes wrong at the local Discord, by kind of request; each fault is used up by the request it meets. */
export class Faults {
  /** Permissions that the bot lacks, as Discord's settings call them. */
  readonly withheld = new Set<string>();
  /** Ids of people who take no direct messages. */
  readonly closedDms = new Set<string>();
  /** Files are answered with a web page, as by a proxy that wants a login. */
  htmlInsteadOfFiles = false;
  readonly #lost: RequestKind[] = [];
  readonly #failures: { readonly kind: RequestKind; readonly status: number }[] = [];
  readonly #rateLimits: { readonly kind: RequestKind; readonly retryAfterMs: number }[] = [];
  readonly #held = new Map<RequestKind, Promise<void>>();
  readonly #expired = new Set<string>();

  /** The next request of the kind is carried out, and its connection cut before the response. */
  loseNextResponse(kind: RequestKind): void {
    this.#lost.push(kind);
  }

  failNext(kind: RequestKind, status: number): void {
    this.#failures.push({ kind, status });
  }

  rateLimitNext(kind: RequestKind, retryAfterMs: number): void {
    this.#rateLimits.push({ kind, retryAfterMs });
  }

  /** Requests of the kind are carried out and their responses held back until the returned function is called. */
  holdResponses(kind: RequestKind): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held.set(kind, promise);
    return () => {
      this.#held.delete(kind);
      resolve();
    };
  }

  /** A file's URL is no longer good; a fresh one, which differs, is. */
  expire(url: string): void {
    this.#expired.add(url);
  }

  expiredUrl(url: string): boolean {
    return this.#expired.has(url);
  }

  async held(kind: RequestKind): Promise<void> {
    await this.#held.get(kind);
  }

  losesResponse(kind: RequestKind): boolean {
    const index = this.#lost.indexOf(kind);
    if (index >= 0) this.#lost.splice(index, 1);
    return index >= 0;
  }

  failure(kind: RequestKind): number | null {
    const index = this.#failures.findIndex((fault) => fault.kind === kind);
    return index < 0 ? null : (this.#failures.splice(index, 1)[0]?.status ?? null);
  }

  rateLimit(kind: RequestKind): number | null {
    const index = this.#rateLimits.findIndex((fault) => fault.kind === kind);
    return index < 0 ? null : (this.#rateLimits.splice(index, 1)[0]?.retryAfterMs ?? null);
  }
}
