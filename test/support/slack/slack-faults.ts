/** What goes wrong next: each fault is for one call of a method, in the order they were set. */
export type Fault =
  /** The call has its effect, but the connection breaks before the response. */
  | { readonly kind: "lost" }
  | { readonly kind: "status"; readonly status: number }
  | { readonly kind: "rate_limited"; readonly retryAfterS: number }
  | { readonly kind: "error"; readonly error: string }
  /** The call takes effect when the promise resolves, whether or not its sender still lives. */
  | { readonly kind: "late"; readonly until: Promise<void> }
  /** The call has its effect, and the response waits until the promise resolves. */
  | { readonly kind: "slow"; readonly until: Promise<void> };

export class SlackFaults {
  /** The bot's token is refused, whatever is called. */
  isTokenExpired = false;
  readonly #next = new Map<string, Fault[]>();

  add(method: string, fault: Fault): void {
    this.#next.set(method, [...(this.#next.get(method) ?? []), fault]);
  }

  /** True until the faults set for the method have met their calls. */
  isPending(method: string): boolean {
    return (this.#next.get(method) ?? []).length > 0;
  }

  take(method: string): Fault | undefined {
    return this.#next.get(method)?.shift();
  }
}
