import type { Clock, Runtime } from "../../protocol/runtime.ts";
import type { KeyHolders } from "./key-holders.ts";
import { KeyLimit } from "./key-limit.ts";

/** A call's place: in the queue, then, once `entered` resolves, among the running calls. Disposing releases it. */
export interface Slot extends Disposable {
  /** Number of calls waiting before it; null if it need not wait. */
  readonly before: number | null;
  /** Rejects with the signal's reason if that aborts first. */
  readonly entered: Promise<void>;
  /** Records that the provider has begun to answer the call. */
  answered(): void;
  /** Records a refusal; `alone` if no other call can have caused it. */
  refused(waitMs: number): "alone" | "crowded";
}

interface Call extends Slot {
  readonly ticket: number;
  readonly enter: () => void;
  state: "waiting" | "running" | "over";
  /** Whether another call has run at the same time. */
  wasConcurrent: boolean;
  /** Whether the provider has begun to answer. */
  isAnswered: boolean;
  /** How often the limit had been decreased when the call began. */
  decreases: number;
}

/** Runs calls in order of their tickets, as many at once as their key's limit allows. */
export class CallQueue {
  readonly #clock: Clock;
  readonly #calls = new Set<Call>();
  readonly #limit: KeyLimit;
  #tickets = 0;
  #cancelResume = () => {};

  constructor(runtime: Pick<Runtime, "clock" | "random">, holders: KeyHolders) {
    this.#clock = runtime.clock;
    this.#limit = new KeyLimit(runtime, holders);
    holders.subscribe((message) => {
      const running = this.#running();
      this.#limit.received(message, {
        running: running.length,
        isAnswered: running.some(({ isAnswered }) => isAnswered),
      });
      this.#advance();
    });
  }

  /** A place in the order, which a call keeps however often it is repeated. */
  ticket(): number {
    this.#tickets += 1;
    return this.#tickets;
  }

  enter(ticket: number, signal: AbortSignal): Slot {
    const gate = Promise.withResolvers<void>();
    // Nobody may be waiting for the gate when the call leaves the queue.
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
      wasConcurrent: false,
      isAnswered: false,
      decreases: 0,
      answered: () => {
        call.isAnswered = true;
        this.#limit.answered();
      },
      refused: (waitMs) => {
        const { wasConcurrent, decreases } = call;
        return this.#limit.refused({ waitMs, isAlone: !wasConcurrent, decreases, running: this.#running().length });
      },
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
    this.#limit.succeeded();
    this.#advance();
  }

  #advance(): void {
    const waitMs = this.#limit.waitMs();
    this.#cancelResume();
    this.#cancelResume = () => {};
    const waiting = this.#waiting();
    if (waiting.length === 0) return;
    if (waitMs > 0) {
      this.#cancelResume = this.#clock.after(waitMs, () => this.#advance());
      return;
    }
    const running = this.#running();
    for (const call of waiting.slice(0, Math.max(0, this.#limit.share() - running.length))) {
      call.state = "running";
      call.decreases = this.#limit.decreases;
      running.push(call);
      call.enter();
    }
    if (running.length > 1) for (const call of running) call.wasConcurrent = true;
  }

  #running(): Call[] {
    return [...this.#calls].filter(({ state }) => state === "running");
  }

  /** Waiting calls, oldest ticket first. */
  #waiting(): Call[] {
    return [...this.#calls].filter(({ state }) => state === "waiting").sort((a, b) => a.ticket - b.ticket);
  }

  #before(ticket: number): number {
    return this.#waiting().filter((call) => call.ticket < ticket).length;
  }
}
