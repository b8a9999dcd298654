import type { RateBucket } from "../../../core/platform/descriptor.ts";
import type { Lane } from "../../../core/platform/outgoing.ts";
import { PlatformError } from "../../../core/protocol/errors.ts";
import type { Clock } from "../../../core/protocol/runtime.ts";
import type { RateResult, SharedRates } from "../../../core/shared-rates.ts";
import { TokenBucket } from "./token-bucket.ts";

const LANES: readonly Lane[] = ["approval", "answer", "first", "progress"];

/** Maximum number of requests waiting in each dispensable lane. Approvals and answers are never rejected. */
const MAX_WAITING = 1_000;

/** Wait after a 429 that names no time. */
const DEFAULT_RETRY_AFTER_MS = 5_000;

/** How long unanswered requests may hold back others. A request that hangs for longer is not what delays them. */
const MAX_SILENCE_MS = 10_000;

/** A shorter silence is the platform's normal latency, which other processes need not know about. */
const MIN_SHARED_SILENCE_MS = 1_000;

/** How often a queue checks again while responses are outstanding. */
const SILENT_WAKE_MS = 250;

/** A method of the platform. After a 429, every queue that calls it waits until the gate opens again. */
export interface Gate {
  closedUntil: number;
  /** How long the gate was closed for. In milliseconds. */
  closedForMs: number;
}

export interface Turn {
  readonly lane: Lane;
  readonly signal: AbortSignal;
  /** Whether a token was already taken for this request. */
  readonly reserved?: boolean;
}

/** Names of the bucket and the gate in the rates shared with other processes. */
export interface SharedBucket {
  readonly rates: SharedRates;
  readonly bucket: string;
  readonly gate: string;
}

export interface PacedQueueOptions {
  readonly rate: RateBucket;
  readonly gate: Gate;
  readonly clock: Clock;
  /** When the burst may have been used up. In milliseconds since the epoch. */
  readonly emptyAt?: number | null;
  /** Asked for each token. Its answer overrides this process's own count until the next one. */
  readonly shared?: SharedBucket | null;
}

/**
 * Requests that share a token bucket: most urgent lane first, in order within a lane. A 429 closes the gate for as long
 * as the platform asks, and puts the request back at the head of its lane.
 */
export class PacedQueue {
  readonly #rate: RateBucket;
  readonly #bucket: TokenBucket;
  readonly #gate: Gate;
  readonly #clock: Clock;
  /** Callbacks that release the waiting requests, by lane. */
  readonly #lanes: Readonly<Record<Lane, (() => void)[]>> = { approval: [], answer: [], first: [], progress: [] };
  #cancelWake: (() => void) | undefined;
  /** Number of requests without a response yet. */
  #underWay = 0;
  /** Time of the last response, or of the first request sent while none was outstanding. */
  #busySince = 0;
  readonly #shared: SharedBucket | null;
  /** Whether a shared token has been requested; it goes to the most urgent request when it arrives. */
  #isAsking = false;

  constructor({ rate, gate, clock, emptyAt = null, shared = null }: PacedQueueOptions) {
    this.#rate = rate;
    this.#shared = shared;
    this.#bucket = new TokenBucket(rate);
    if (emptyAt !== null) this.#bucket.drain(emptyAt);
    this.#gate = gate;
    this.#clock = clock;
  }

  /** Runs `send` when its turn comes. Rejects with the error of `send` (never a 429) or with the signal's reason. */
  async run<T>(send: () => Promise<T>, { lane, signal, reserved = false }: Turn): Promise<T> {
    if (!reserved) await this.#turn({ lane, signal, isRetry: false });
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
      await this.#turn({ lane, signal, isRetry: true });
    }
  }

  /** How long the outstanding requests have gone without a response. The bucket does not refill meanwhile. */
  #silentMs(now: number): number {
    return this.#underWay === 0 ? 0 : Math.min(now - this.#busySince, MAX_SILENCE_MS);
  }

  /**
   * Counts a request as under way until the returned function is called. The platform may count it at any time before
   * then; otherwise a stalled connection could let one burst arrive right behind another.
   */
  #sent(): () => void {
    if (this.#underWay === 0) this.#busySince = this.#clock.now();
    this.#underWay += 1;
    return () => {
      const now = this.#clock.now();
      const silentMs = this.#silentMs(now);
      this.#bucket.pause(silentMs);
      if (silentMs >= MIN_SHARED_SILENCE_MS) this.#shareDeficit(now);
      this.#busySince = now;
      this.#underWay -= 1;
      this.#pump();
    };
  }

  /** Resolves once a token is taken for the caller; `refund` returns it unused. */
  reserve(lane: Lane, signal: AbortSignal): Promise<void> {
    return this.#turn({ lane, signal, isRetry: false });
  }

  refund(): void {
    this.#bucket.refund();
    this.#shared?.rates.refund(this.#shared.bucket, this.#rate);
    this.#pump();
  }

  /** Whether a request in this lane would be sent at once. */
  isFree(lane: Lane): boolean {
    const ahead = LANES.slice(0, LANES.indexOf(lane) + 1).some((lane) => this.#lanes[lane].length > 0);
    return !ahead && !this.#isAsking && this.#waitMs(lane) === 0;
  }

  /** Whether nothing waits and the bucket is full, so that a fresh queue would behave the same. */
  get isIdle(): boolean {
    const isWaiting = this.#isAsking || LANES.some((lane) => this.#lanes[lane].length > 0);
    return !isWaiting && this.#bucket.isFull(this.#clock.now());
  }

  #turn({ lane, signal, isRetry }: Turn & { isRetry: boolean }): Promise<void> {
    const queue = this.#lanes[lane];
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      if (!isRetry && queue.length >= MAX_WAITING && (lane === "first" || lane === "progress")) {
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
      if (isRetry) queue.unshift(start);
      else queue.push(start);
      this.#pump();
    });
  }

  #close(retryAfterMs: number): void {
    this.#closeFor(retryAfterMs);
    const now = this.#clock.now();
    this.#bucket.drain(now);
    this.#shared?.rates.closeGate(this.#shared.gate, retryAfterMs);
    this.#shareDeficit(now);
  }

  /** Shares what only this process knows about the bucket. */
  #shareDeficit(now: number): void {
    this.#shared?.rates.reportDeficit(this.#shared.bucket, this.#rate, this.#bucket.lacksMs(now));
  }

  #closeFor(ms: number): void {
    const now = this.#clock.now();
    if (now + ms <= this.#gate.closedUntil) return;
    this.#gate.closedUntil = now + ms;
    this.#gate.closedForMs = ms;
  }

  #waitMs(lane: Lane): number {
    const now = this.#clock.now();
    // More time is left than the gate was closed for, so the clock was set back.
    if (this.#gate.closedUntil - now > this.#gate.closedForMs) this.#gate.closedUntil = now + this.#gate.closedForMs;
    return Math.max(this.#gate.closedUntil - now, this.#bucket.waitMs(now - this.#silentMs(now), this.#kept(lane)));
  }

  /** Number of tokens that a lane leaves to more urgent ones, which may be waiting in other processes. */
  #kept(lane: Lane): number {
    return this.#shared === null ? 0 : Math.min(LANES.indexOf(lane), this.#rate.burst - 1);
  }

  #pump(): void {
    this.#cancelWake?.();
    this.#cancelWake = undefined;
    for (let lane = this.#next(); lane !== undefined && !this.#isAsking; lane = this.#next()) {
      const waitMs = this.#waitMs(lane);
      if (waitMs > 0) {
        // While a response is outstanding, time alone brings no tokens; the response itself triggers the next check.
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
    rates.take({ bucket, gate, rate: this.#rate, reserved: this.#kept(lane) }, (answer) => this.#answered(answer));
  }

  #answered({ isTaken, lacksMs, closedMs }: RateResult): void {
    this.#isAsking = false;
    this.#bucket.set(this.#clock.now(), lacksMs);
    if (closedMs > 0) this.#closeFor(closedMs);
    const lane = this.#next();
    // Every request that could use the token was cancelled meanwhile.
    if (isTaken && lane === undefined) this.refund();
    else if (isTaken && lane !== undefined) this.#lanes[lane].shift()?.();
    this.#pump();
  }

  /** The most urgent lane with a waiting request. */
  #next(): Lane | undefined {
    return LANES.find((lane) => this.#lanes[lane].length > 0);
  }
}
