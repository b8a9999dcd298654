export type RequestKind = "post" | "edit" | "read" | "thread" | "react" | "callback" | "other";

/** How a connection ends: orderly, which clients report to their callers, or by a reset, after which they retry. */
export type Loss = "closed" | "reset";

/** A response sent in place of the real one; a text body is a web page. */
export interface Refusal {
  readonly status: number;
  readonly body: unknown;
}

/** Faults of the local Discord by kind of request; each is used up by the request it affects. */
export class Faults {
  /** Permissions that the bot lacks, by their names in Discord's settings. */
  readonly withheld = new Set<string>();
  /** Ids of people who accept no direct messages. */
  readonly closedDms = new Set<string>();
  /** URL to which the application has Discord send interactions instead of the gateway; null for the gateway. */
  interactionsEndpoint: string | null = null;
  /** If set, files are answered with a web page, as by a proxy that requires a login. */
  htmlInsteadOfFiles = false;
  /** Redirect target of requests for files; null for none. */
  filesMovedTo: string | null = null;
  /** Part of every file's URL, like Discord's signature. */
  urlGeneration = 1;
  readonly #lost: { readonly kind: RequestKind; readonly how: Loss }[] = [];
  readonly #failures: { readonly kind: RequestKind; readonly refusal: Refusal }[] = [];
  readonly #rateLimits: { readonly kind: RequestKind; readonly retryAfterMs: number }[] = [];
  readonly #held = new Map<RequestKind, Promise<void>>();

  /** Carries out the next request of the kind, and closes its connection before the response. */
  loseNextResponse(kind: RequestKind, how: Loss = "closed"): void {
    this.#lost.push({ kind, how });
  }

  failNext(kind: RequestKind, status: number): void {
    this.refuseNext(kind, { status, body: { message: "local failure", code: 0 } });
  }

  refuseNext(kind: RequestKind, refusal: Refusal): void {
    this.#failures.push({ kind, refusal });
  }

  rateLimitNext(kind: RequestKind, retryAfterMs: number): void {
    this.#rateLimits.push({ kind, retryAfterMs });
  }

  /** Carries out requests of the kind, but holds their responses back until the returned function is called. */
  holdResponses(kind: RequestKind): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held.set(kind, promise);
    return () => {
      this.#held.delete(kind);
      resolve();
    };
  }

  /** Invalidates all file URLs handed out so far. */
  expireUrls(): void {
    this.urlGeneration += 1;
  }

  async held(kind: RequestKind): Promise<void> {
    await this.#held.get(kind);
  }

  lostResponse(kind: RequestKind): Loss | null {
    const index = this.#lost.findIndex((fault) => fault.kind === kind);
    return index < 0 ? null : (this.#lost.splice(index, 1)[0]?.how ?? null);
  }

  failure(kind: RequestKind): Refusal | null {
    const index = this.#failures.findIndex((fault) => fault.kind === kind);
    return index < 0 ? null : (this.#failures.splice(index, 1)[0]?.refusal ?? null);
  }

  rateLimit(kind: RequestKind): number | null {
    const index = this.#rateLimits.findIndex((fault) => fault.kind === kind);
    return index < 0 ? null : (this.#rateLimits.splice(index, 1)[0]?.retryAfterMs ?? null);
  }
}
