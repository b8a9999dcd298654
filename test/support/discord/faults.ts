export type RequestKind = "post" | "edit" | "read" | "thread" | "react" | "callback" | "other";

/** How a connection ends: orderly, which clients tell to their callers, or by a reset, after which they try again. */
export type Loss = "closed" | "reset";

/** Whatever is answered in place of what was asked for; a text is a web page. */
export interface Refusal {
  readonly status: number;
  readonly body: unknown;
}

/** What goes wrong at the local Discord, by kind of request; each fault is used up by the request it meets. */
export class Faults {
  /** Permissions that the bot lacks, as Discord's settings call them. */
  readonly withheld = new Set<string>();
  /** Ids of people who take no direct messages. */
  readonly closedDms = new Set<string>();
  /** Where the application has Discord send interactions in place of the gateway. */
  interactionsEndpoint: string | null = null;
  /** Files are answered with a web page, as by a proxy that wants a login. */
  htmlInsteadOfFiles = false;
  /** Where requests for files are sent on to; null: nowhere. */
  filesMovedTo: string | null = null;
  /** Part of every file's URL, as Discord's signature is. */
  urlGeneration = 1;
  readonly #lost: { readonly kind: RequestKind; readonly how: Loss }[] = [];
  readonly #failures: { readonly kind: RequestKind; readonly refusal: Refusal }[] = [];
  readonly #rateLimits: { readonly kind: RequestKind; readonly retryAfterMs: number }[] = [];
  readonly #held = new Map<RequestKind, Promise<void>>();

  /** The next request of the kind is carried out, and its connection cut before the response. */
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

  /** Requests of the kind are carried out and their responses held back until the returned function is called. */
  holdResponses(kind: RequestKind): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held.set(kind, promise);
    return () => {
      this.#held.delete(kind);
      resolve();
    };
  }

  /** All files' URLs handed out so far are no longer good. */
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
