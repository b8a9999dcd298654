import type {
  InboundDeletion,
  InboundEvent,
  InboundMessage,
  Receipt,
  Receive,
} from "../../src/core/platform/inbound.ts";

/**
 * A stand-in for the core behind an adapter: durable in memory, deduplicating by key. A test awaits its events, holds
 * receipts back, or makes them fail.
 */
export class Inbox {
  /** Everything received, duplicates included, in order. */
  readonly events: InboundEvent[] = [];
  readonly deletions: InboundDeletion[] = [];
  readonly #seen = new Set<string>();
  readonly #fresh: InboundEvent[] = [];
  #taken = 0;
  #wake: (() => void)[] = [];
  #held: Promise<void> | undefined;
  #refusing = false;
  #receipt: Receipt = { type: "accepted" };

  readonly receive: Receive = async (event) => {
    // Completions are requested while somebody types and leave no trace.
    if (event.kind === "completion") return { type: "completions", words: [] };
    if (event.kind === "deletion") this.deletions.push(event);
    else this.events.push(event);
    if (this.#refusing) {
      this.#notify();
      throw new Error("the database is away");
    }
    if (event.kind === "deletion") {
      this.#notify();
      return { type: "ignored" };
    }
    const fresh = !this.#seen.has(event.key);
    this.#seen.add(event.key);
    if (fresh) this.#fresh.push(event);
    this.#notify();
    await this.#held;
    return fresh ? this.#receipt : { type: "duplicate" };
  };

  /** Events whose keys were new, in order. */
  get fresh(): readonly InboundEvent[] {
    return this.#fresh;
  }

  /** The next fresh event; waits for it if necessary. */
  async next(): Promise<InboundEvent> {
    await this.until(() => this.#fresh.length > this.#taken);
    const event = this.#fresh[this.#taken];
    this.#taken += 1;
    if (event === undefined) throw new Error("no event came");
    return event;
  }

  async nextMessage(): Promise<InboundMessage> {
    const event = await this.next();
    if (event.kind !== "message") throw new Error(`expected a message, got a ${event.kind}`);
    return event;
  }

  /** Resolves as soon as the condition holds, which is checked after each event. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await new Promise<void>((resolve) => {
        this.#wake.push(resolve);
      });
    }
  }

  /** Holds receipts back until the returned function is called. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held = promise;
    return () => {
      this.#held = undefined;
      resolve();
    };
  }

  /** Makes `receive` reject events until the returned function is called. */
  refuse(): () => void {
    this.#refusing = true;
    return () => {
      this.#refusing = false;
    };
  }

  /** Sets the receipt of fresh events from now on. */
  answerWith(receipt: Receipt): void {
    this.#receipt = receipt;
  }

  #notify(): void {
    const wake = this.#wake;
    this.#wake = [];
    for (const resume of wake) resume();
  }
}
