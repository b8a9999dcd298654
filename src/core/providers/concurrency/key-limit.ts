import type { Runtime } from "../../protocol/runtime.ts";
import type { KeyHolders, KeyWord } from "./key-holders.ts";

/** A refusal that tells of no longer wait than is known already is no news to the others. Milliseconds. */
const TOGETHER_MS = 250;
/** How often a call may be refused without another one beside it, and nobody be answered, until the fault is its own. */
const LONE_REFUSALS = 5;
/** The same while others are answered: they leave room between their calls. */
const EXCUSED_REFUSALS = 24;
/** Such calls are made again over a span that begins with this and doubles up to the other. Milliseconds. */
const SPREAD_MS = 1_000;
const WIDEST_SPREAD_MS = 16_000;
/** By how much the others let such a call go first. Milliseconds. */
const HEAD_START_MS = 500;

/** A call of this process that was refused, and what went on beside it. */
export interface RefusedCall {
  /** How long the provider wants to be left alone. Milliseconds. */
  readonly waitMs: number;
  /** No other call of this process has gone on beside it. */
  readonly isAlone: boolean;
  /** How often the limit had been lowered when it began. */
  readonly lowered: number;
  /** Calls of this process that go on, it included. */
  readonly going: number;
}

/**
 * What is known of how much a key takes: how many calls at once over all processes, of which each makes its share, and
 * until when none. Nothing is limited until a call is refused; that halves the limit, and each call that succeeds raises
 * it a little (AIMD): by one for as many calls as go on at once over all processes, since each sees its own only.
 */
export class KeyLimit {
  readonly #runtime: Pick<Runtime, "clock" | "random">;
  readonly #holders: KeyHolders;
  /** Calls at once, over all processes. */
  #limit = Number.POSITIVE_INFINITY;
  #lowered = 0;
  /** Milliseconds since the epoch. */
  #pausedUntil = 0;
  /** Calls that were refused alone since the provider has last answered one. */
  #lone = 0;
  /** So many of them have met calls of other processes. */
  #excused = 0;
  /** Another process wants to know whether anybody is answered. */
  #isAsked = false;

  constructor(runtime: Pick<Runtime, "clock" | "random">, holders: KeyHolders) {
    this.#runtime = runtime;
    this.#holders = holders;
  }

  /** How many calls this process makes at once; at least 1. */
  share(): number {
    return Math.max(1, Math.floor(this.#limit / this.#holders.size()));
  }

  /** Until the next call may begin. Milliseconds. */
  waitMs(): number {
    return this.#pausedUntil - this.#runtime.clock.now();
  }

  /** How often the limit was lowered. */
  get lowered(): number {
    return this.#lowered;
  }

  /** The provider has begun to answer a call. */
  answered(): void {
    this.#lone = 0;
    this.#excused = 0;
    if (this.#isAsked) this.#holders.tell({ type: "answered" });
    this.#isAsked = false;
  }

  succeeded(): void {
    this.#limit += this.#holders.size() / this.#limit;
  }

  /** `alone` where no other call can have been the reason. */
  refused({ waitMs, isAlone, lowered, going }: RefusedCall): "alone" | "crowded" {
    const isShared = this.#holders.size() > 1;
    if (isAlone) this.#lone += 1;
    const isItsOwn = isAlone && (!isShared || this.#isProven());
    // Calls that began together are refused together: that lowers the limit once.
    if (lowered === this.#lowered && (isShared || !isAlone))
      this.#lower(Math.max(1, Math.floor(Math.min(this.share(), going) / 2)));
    const againMs = isAlone && !isItsOwn ? waitMs + this.#spreadMs() : null;
    const isNews = this.#pause(againMs ?? waitMs) > TOGETHER_MS;
    if (isShared && (isNews || isAlone)) this.#holders.tell({ type: "refused", waitMs, limit: this.#limit, againMs });
    return isItsOwn ? "alone" : "crowded";
  }

  /** `going`: calls of this process that go on; `isAnswered`: the provider answers one of them. */
  heard(word: KeyWord, { going, isAnswered }: { readonly going: number; readonly isAnswered: boolean }): void {
    if (word.type === "answered") {
      this.#excused = this.#lone;
      return;
    }
    const { waitMs, limit, againMs } = word;
    // What is refused while all wait began before it.
    if (this.waitMs() <= 0) this.#lower(Math.max(limit / this.#holders.size(), Math.floor(going / 2)));
    // Whoever is refused alone goes before those that are answered.
    this.#pause(againMs === null || this.#lone > 0 ? waitMs : againMs + HEAD_START_MS);
    if (againMs === null) return;
    this.#isAsked = true;
    if (isAnswered) this.answered();
  }

  /** Calls were refused alone so often that other processes' calls cannot be why. */
  #isProven(): boolean {
    return this.#lone > EXCUSED_REFUSALS || this.#lone - this.#excused > LONE_REFUSALS;
  }

  #lower(share: number): void {
    const limit = share * this.#holders.size();
    if (limit >= this.#limit) return;
    this.#limit = limit;
    this.#lowered += 1;
  }

  /** Returns by how many milliseconds that is longer than was known. */
  #pause(ms: number): number {
    const until = this.#runtime.clock.now() + ms;
    const before = Math.max(this.#pausedUntil, this.#runtime.clock.now());
    this.#pausedUntil = Math.max(before, until);
    return this.#pausedUntil - before;
  }

  #spreadMs(): number {
    const spanMs = Math.min(WIDEST_SPREAD_MS, SPREAD_MS * 2 ** (this.#lone - 1));
    return Math.round(this.#runtime.random.next() * spanMs);
  }
}
