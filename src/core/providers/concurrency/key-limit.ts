import type { Runtime } from "../../protocol/runtime.ts";
import type { KeyHolders, KeyMessage } from "./key-holders.ts";

/** A refusal that prolongs the known wait by less than this is not announced to other processes. In milliseconds. */
const MIN_ANNOUNCED_MS = 250;
/** How often a call may be refused alone while nobody is answered before it counts as its own fault. */
const MAX_LONE_REFUSALS = 5;
/** The same while others are answered, since these leave gaps between their calls. */
const MAX_SHARED_REFUSALS = 24;
/** Such calls are repeated within a random span, from this length doubling up to the other. In milliseconds. */
const MIN_JITTER_MS = 1_000;
const MAX_JITTER_MS = 16_000;
/** Head start that other processes give to such a call. In milliseconds. */
const HEAD_START_MS = 500;

/** A refused call of this process, and what ran beside it. */
export interface RefusedCall {
  /** How long the provider asks to wait. In milliseconds. */
  readonly waitMs: number;
  /** Whether no other call of this process ran beside it. */
  readonly isAlone: boolean;
  /** How often the limit had been decreased when the call began. */
  readonly decreases: number;
  /** Number of running calls of this process, including this one. */
  readonly running: number;
}

/**
 * What is known of a key's limits: how many concurrent calls all processes together may make, of which each makes its
 * share, and until when none may begin. There is no limit until a call is refused, which halves it. Each success raises
 * it a little (AIMD): by one after as many successes as all processes make calls at once.
 */
export class KeyLimit {
  readonly #runtime: Pick<Runtime, "clock" | "random">;
  readonly #holders: KeyHolders;
  /** Concurrent calls of all processes. */
  #limit = Number.POSITIVE_INFINITY;
  #decreases = 0;
  /** In milliseconds since the epoch. */
  #pausedUntil = 0;
  /** Calls refused alone since the provider last answered one. */
  #loneRefusals = 0;
  /** The number of these that met calls of other processes. */
  #sharedRefusals = 0;
  /** Whether another process wants to know if anybody is answered. */
  #isAsked = false;

  constructor(runtime: Pick<Runtime, "clock" | "random">, holders: KeyHolders) {
    this.#runtime = runtime;
    this.#holders = holders;
  }

  /** Maximum number of concurrent calls of this process, at least 1. */
  share(): number {
    return Math.max(1, Math.floor(this.#limit / this.#holders.size()));
  }

  /** Milliseconds until the next call may begin. */
  waitMs(): number {
    return this.#pausedUntil - this.#runtime.clock.now();
  }

  /** How often the limit was decreased. */
  get decreases(): number {
    return this.#decreases;
  }

  /** Records that the provider has begun to answer a call. */
  answered(): void {
    this.#loneRefusals = 0;
    this.#sharedRefusals = 0;
    if (this.#isAsked) this.#holders.publish({ type: "answered" });
    this.#isAsked = false;
  }

  succeeded(): void {
    this.#limit += this.#holders.size() / this.#limit;
  }

  /** Records a refusal; `alone` if no other call can have caused it. */
  refused({ waitMs, isAlone, decreases, running }: RefusedCall): "alone" | "crowded" {
    const isShared = this.#holders.size() > 1;
    if (isAlone) this.#loneRefusals += 1;
    const isItsOwn = isAlone && (!isShared || this.#isProven());
    // Calls that began together are refused together, which lowers the limit only once.
    if (decreases === this.#decreases && (isShared || !isAlone))
      this.#decrease(Math.max(1, Math.floor(Math.min(this.share(), running) / 2)));
    const againMs = isAlone && !isItsOwn ? waitMs + this.#jitterMs() : null;
    const isNews = this.#pause(againMs ?? waitMs) > MIN_ANNOUNCED_MS;
    if (isShared && (isNews || isAlone))
      this.#holders.publish({ type: "refused", waitMs, limit: this.#limit, againMs });
    return isItsOwn ? "alone" : "crowded";
  }

  /** `running`: number of running calls of this process; `isAnswered`: whether the provider answers one of them. */
  received(
    message: KeyMessage,
    { running, isAnswered }: { readonly running: number; readonly isAnswered: boolean },
  ): void {
    if (message.type === "answered") {
      this.#sharedRefusals = this.#loneRefusals;
      return;
    }
    const { waitMs, limit, againMs } = message;
    // A refusal during a wait concerns a call that began before it.
    if (this.waitMs() <= 0) this.#decrease(Math.max(limit / this.#holders.size(), Math.floor(running / 2)));
    // A process whose calls are refused alone goes before those that are answered.
    this.#pause(againMs === null || this.#loneRefusals > 0 ? waitMs : againMs + HEAD_START_MS);
    if (againMs === null) return;
    this.#isAsked = true;
    if (isAnswered) this.answered();
  }

  /** Whether calls were refused alone so often that other processes' calls cannot be the cause. */
  #isProven(): boolean {
    return this.#loneRefusals > MAX_SHARED_REFUSALS || this.#loneRefusals - this.#sharedRefusals > MAX_LONE_REFUSALS;
  }

  #decrease(share: number): void {
    const limit = share * this.#holders.size();
    if (limit >= this.#limit) return;
    this.#limit = limit;
    this.#decreases += 1;
  }

  /** Returns by how many milliseconds this prolongs the known wait. */
  #pause(ms: number): number {
    const until = this.#runtime.clock.now() + ms;
    const before = Math.max(this.#pausedUntil, this.#runtime.clock.now());
    this.#pausedUntil = Math.max(before, until);
    return this.#pausedUntil - before;
  }

  #jitterMs(): number {
    const spanMs = Math.min(MAX_JITTER_MS, MIN_JITTER_MS * 2 ** (this.#loneRefusals - 1));
    return Math.round(this.#runtime.random.next() * spanMs);
  }
}
