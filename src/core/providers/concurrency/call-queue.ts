import type { Clock } from "../../protocol/runtime.ts";

/** A call's place: in the queue at first, among those that go on once `entered` resolves. Disposing gives it up. */
export interface Slot extends Disposable {
  /** How many wait before it; null when it need not wait. */
  readonly before: number | null;
  /** Rejects with the signal's reason when it aborts first. */
  readonly entered: Promise<void>;
}

interface Call extends Slot {
  readonly ticket: number;
  readonly enter: () => void;
  state: "waiting" | "going on" | "over";
  /** Another call has gone on at the same time. */
  hasCompany: boolean;
  /** How often the limit had been lowered when it began. */
  lowered: number;
}

/** Calls in order of their tickets, as many at once as a limit allows that refusals lower and successes raise. */
export class CallQueue {
  readonly #clock: Clock;
  readonly #calls = new Set<Call>();
  #tickets = 0;
  #limit = Number.POSITIVE_INFINITY;
  /** How often the limit was lowered. */
  #lowered = 0;
  /** Nothing begins before this time. Milliseconds since the epoch. */
  #pausedUntil = 0;
  #cancelResume = () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A place in the order that a call keeps, however often it is made again. */
  ticket(): number {
    this.#tickets += 1;
    return this.#tickets;
  }

  enter(ticket: number, signal: AbortSignal): Slot {
    const gate = Promise.withResolvers<void>();
    // The queue may be left without anybody waiting for the gate.
    gate.promise.catch(() => undefined);
    const onAbort = () => {
      gate.reject(signal.reason);
      call[Symbol.dispose]();
    };
    const call: Call = {
      ticket,
      before: null,
      entered: gate.promise,
      enter: gate.resolve,
      state: "waiting",
      hasCompany: false,
      lowered: 0,
      [Symbol.dispose]: () => {
        signal.removeEventListener("abort", onAbort);
        call.state = "over";
        this.#calls.delete(call);
        this.#advance();
      },
    };
    this.#calls.add(call);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    this.#advance();
    return call.state === "waiting" ? Object.assign(call, { before: this.#before(ticket) }) : call;
  }

  succeeded(): void {
    this.#limit += 1 / this.#limit;
    this.#advance();
  }

  /** Takes a refusal in; `alone` when no other call went on beside the refused one. */
  refused(place: Slot, waitMs: number): "alone" | "crowded" {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.now() + waitMs);
    const call = [...this.#calls].find((each) => each === place);
    if (call === undefined || !call.hasCompany) return "alone";
    // Calls that began together are refused together: that lowers the limit once.
    if (call.lowered === this.#lowered) {
      this.#limit = Math.max(1, Math.floor(Math.min(this.#limit, this.#goingOn().length) / 2));
      this.#lowered += 1;
    }
    return "crowded";
  }

  #advance(): void {
    const waitMs = this.#pausedUntil - this.#clock.now();
    this.#cancelResume();
    this.#cancelResume = () => {};
    const waiting = this.#waiting();
    if (waiting.length === 0) return;
    if (waitMs > 0) {
      this.#cancelResume = this.#clock.after(waitMs, () => this.#advance());
      return;
    }
    const going = this.#goingOn();
    for (const call of waiting.slice(0, Math.max(0, Math.floor(this.#limit) - going.length))) {
      call.state = "going on";
      call.lowered = this.#lowered;
      going.push(call);
      call.enter();
    }
    if (going.length > 1) for (const call of going) call.hasCompany = true;
  }

  #goingOn(): Call[] {
    return [...this.#calls].filter(({ state }) => state === "going on");
  }

  /** The oldest ticket first. */
  #waiting(): Call[] {
    return [...this.#calls].filter(({ state }) => state === "waiting").sort((a, b) => a.ticket - b.ticket);
  }

  #before(ticket: number): number {
    return this.#waiting().filter((call) => call.ticket < ticket).length;
  }
}
