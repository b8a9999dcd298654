/** Faults of the next calls: each is for one call of a method, in the order they were set. */
export type Fault =
  /** The call takes effect, but the connection breaks before the response. */
  | { readonly kind: "lost" }
  | { readonly kind: "status"; readonly status: number }
  | { readonly kind: "rate_limited"; readonly retryAfterS: number }
  | { readonly kind: "error"; readonly error: string }
  /** The call takes effect when the promise resolves, even if its sender is gone. */
  | { readonly kind: "late"; readonly until: Promise<void> }
  /** The call takes effect, but the response waits until the promise resolves. */
  | { readonly kind: "slow"; readonly until: Promise<void> };

export class SlackFaults {
  /** If set, every call rejects the bot's token. */
  isTokenExpired = false;
  readonly #next = new Map<string, Fault[]>();

  add(method: string, fault: Fault): void {
    this.#next.set(method, [...(this.#next.get(method) ?? []), fault]);
  }

  /** True until the faults set for the method have been used up. */
  isPending(method: string): boolean {
    return (this.#next.get(method) ?? []).length > 0;
  }

  take(method: string): Fault | undefined {
    return this.#next.get(method)?.shift();
  }
}
