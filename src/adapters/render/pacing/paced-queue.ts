import { PlatformError } from "../../../core/protocol/errors.ts";
import type { Lane, RateBucket } from "../../../core/protocol/platform.ts";
import type { Clock } from "../../../core/protocol/runtime.ts";
import type { RateAnswer, SharedRates } from "../../../core/shared-rates.ts";
import { TokenBucket } from "./token-bucket.ts";

const LANES: readonly Lane[] = ["approval", "answer", "first", "progress"];

/** Most requests that may wait in the lanes that can be done without. Approvals and answers are never turned away. */
const MAX_WAITING = 1_000;

/** What is waited after a 429 that names no time. */
const DEFAULT_RETRY_AFTER_MS = 5_000;

/** How long unanswered requests may hold others back; a request that hangs for longer is not what stalls them. */
const MAX_SILENCE_MS = 10_000;

/** A silence that is as short is the platform's usual delay: other processes need not know of it. */
const TOLD_SILENCE_MS = 1_000;

/** How often a queue looks again while answers are awaited. */
const SILENT_WAKE_MS = 250;

/** A method of the platform that asked us to wait: every queue that calls it stands still until then. */
export interface Gate {
  closedUntil: number;
  /** For how long it was closed. Milliseconds. */
  closedForMs: number;
}

export interface Turn {
  readonly lane: Lane;
  readonly signal: AbortSignal;
  /** A token was taken for this request before. */
  readonly reserved?: boolean;
}

/** The bucket and the gate, where other processes take from them and close them, too. */
export interface SharedBucket {
  readonly rates: SharedRates;
  readonly bucket: string;
  readonly gate: string;
}

export interface PacedQueueOptions {
  readonly rate: RateBucket;
  readonly gate: Gate;
  readonly clock: Clock;
  /** When nothing of the burst was there; milliseconds since the epoch. */
  readonly emptyAt?: number | null;
  /** Asked for each token; what it answers stands in for this process's own count until it is asked again. */
  readonly shared?: SharedBucket | null;
}

/**
 * Requests that share a token bucket, most urgent lane first, in order within a lane. A 429 closes the
 * gate for as long as the platform says and puts the request back at the head of its lane.
 */
export class PacedQueue {
  readonly #rate: RateBucket;
  readonly #bucket: TokenBucket;
  readonly #gate: Gate;
  readonly #clock: Clock;
  /** What lets those go that wait. */
  readonly #lanes: Readonly<Record<Lane, (() => void)[]>> = { approval: [], answer: [], first: [], progress: [] };
  #cancelWake: (() => void) | undefined;
  /** Requests whose answers have not come. */
  #underWay = 0;
  /** Since when no answer has come while some were awaited. */
  #busySince = 0;
  readonly #shared: SharedBucket | null;
  /** A token is asked for, for whoever is the most urgent when it comes. */
  #isAsking = false;

  constructor({ rate, gate, clock, emptyAt = null, shared = null }: PacedQueueOptions) {
    this.#rate = rate;
    this.#shared = shared;
    this.#bucket = new TokenBucket(rate);
    if (emptyAt !== null) this.#bucket.drain(emptyAt);
    this.#gate = gate;
    this.#clock = clock;
  }

  /** Runs `send` when its turn comes. Rejects with what `send` rejects with (never a 429), or the signal's reason. */
  async run<T>(send: () => Promise<T>, { lane, signal, reserved = false }: Turn): Promise<T> {
    if (!reserved) await this.#turn({ lane, signal, again: false });
    for (;;) {
      const answered = this.#sent();
      try {
        return await send();
      } catch (error) {
        if (!(error instanceof PlatformError) || error.code !== "platform_rate_limited") throw error;
        this.#close(error.retryAfterMs ?? DEFAULT_RETRY_AFTER_MS);
      } finally {
        answered();
      }
      await this.#turn({ lane, signal, again: true });
    }
  }

  /** For how long no answer has come though some are awaited: no tokens come in meanwhile. */
  #silentMs(now: number): number {
    return this.#underWay === 0 ? 0 : Math.min(now - this.#busySince, MAX_SILENCE_MS);
  }

  /**
   * Counts a request as under way until the returned function is called. The platform may count it at any
   * time until then: a stalled connection would otherwise let a whole burst arrive behind another.
   */
  #sent(): () => void {
    if (this.#underWay === 0) this.#busySince = this.#clock.now();
    this.#underWay += 1;
    return () => {
      const now = this.#clock.now();
      const silentMs = this.#silentMs(now);
      this.#bucket.pause(silentMs);
      if (silentMs >= TOLD_SILENCE_MS) this.#tellLacking(now);
      this.#busySince = now;
      this.#underWay -= 1;
      this.#pump();
    };
  }

  /** Resolves when a token is taken for the caller; `giveBack` returns it unused. */
  reserve(lane: Lane, signal: AbortSignal): Promise<void> {
    return this.#turn({ lane, signal, again: false });
  }

  giveBack(): void {
    this.#bucket.giveBack();
    this.#shared?.rates.giveBack(this.#shared.bucket, this.#rate);
    this.#pump();
  }

  /** Whether a request of the lane would be sent at once. */
  isFree(lane: Lane): boolean {
    const ahead = LANES.slice(0, LANES.indexOf(lane) + 1).some((lane) => this.#lanes[lane].length > 0);
    return !ahead && !this.#isAsking && this.#waitMs(lane) === 0;
  }

  /** Nothing waits and the bucket is full: a fresh queue would behave the same. */
  get isIdle(): boolean {
    const isWaiting = this.#isAsking || LANES.some((lane) => this.#lanes[lane].length > 0);
    return !isWaiting && this.#bucket.isFull(this.#clock.now());
  }

  #turn({ lane, signal, again }: Turn & { again: boolean }): Promise<void> {
    const queue = this.#lanes[lane];
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      if (!again && queue.length >= MAX_WAITING && (lane === "first" || lane === "progress")) {
        reject(
          new PlatformError("platform_rate_limited", `more than ${MAX_WAITING} requests wait in the ${lane} lane`),
        );
        return;
      }
      const onAbort = () => {
        queue.splice(queue.indexOf(start), 1);
        reject(signal.reason);
      };
      const start = () => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      };
      signal.addEventListener("abort", onAbort, { once: true });
      if (again) queue.unshift(start);
      else queue.push(start);
      this.#pump();
    });
  }

  #close(retryAfterMs: number): void {
    this.#closeFor(retryAfterMs);
    const now = this.#clock.now();
    this.#bucket.drain(now);
    this.#shared?.rates.close(this.#shared.gate, retryAfterMs);
    this.#tellLacking(now);
  }

  /** What this process alone knows of the bucket. */
  #tellLacking(now: number): void {
    this.#shared?.rates.lacks(this.#shared.bucket, this.#rate, this.#bucket.lacksMs(now));
  }

  #closeFor(ms: number): void {
    const now = this.#clock.now();
    if (now + ms <= this.#gate.closedUntil) return;
    this.#gate.closedUntil = now + ms;
    this.#gate.closedForMs = ms;
  }

  #waitMs(lane: Lane): number {
    const now = this.#clock.now();
    // Longer than it was closed for: the clock was set back.
    if (this.#gate.closedUntil - now > this.#gate.closedForMs) this.#gate.closedUntil = now + this.#gate.closedForMs;
    return Math.max(this.#gate.closedUntil - now, this.#bucket.waitMs(now - this.#silentMs(now), this.#kept(lane)));
  }

  /** Tokens that a lane leaves to those that are more urgent: in other processes they may wait behind it. */
  #kept(lane: Lane): number {
    return this.#shared === null ? 0 : Math.min(LANES.indexOf(lane), this.#rate.burst - 1);
  }

  #pump(): void {
    this.#cancelWake?.();
    this.#cancelWake = undefined;
    for (let lane = this.#next(); lane !== undefined && !this.#isAsking; lane = this.#next()) {
      const waitMs = this.#waitMs(lane);
      if (waitMs > 0) {
        // An answer looks again by itself; time alone moves nothing on while it is awaited.
        const wakeMs = this.#underWay === 0 ? waitMs : Math.max(waitMs, SILENT_WAKE_MS);
        this.#cancelWake = this.#clock.after(wakeMs, () => this.#pump());
        return;
      }
      if (this.#shared !== null) {
        this.#ask(this.#shared, lane);
        return;
      }
      this.#lanes[lane].shift()?.();
      this.#bucket.take(this.#clock.now());
    }
  }

  #ask({ rates, bucket, gate }: SharedBucket, lane: Lane): void {
    this.#isAsking = true;
    rates.take({ bucket, gate, rate: this.#rate, kept: this.#kept(lane) }, (answer) => this.#answered(answer));
  }

  #answered({ isTaken, lacksMs, closedMs }: RateAnswer): void {
    this.#isAsking = false;
    this.#bucket.set(this.#clock.now(), lacksMs);
    if (closedMs > 0) this.#closeFor(closedMs);
    const lane = this.#next();
    // Whoever it was for has given up meanwhile.
    if (isTaken && lane === undefined) this.giveBack();
    else if (isTaken && lane !== undefined) this.#lanes[lane].shift()?.();
    this.#pump();
  }

  /** The most urgent lane in which something waits. */
  #next(): Lane | undefined {
    return LANES.find((lane) => this.#lanes[lane].length > 0);
  }
}
