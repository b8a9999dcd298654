import { now as hostNow } from "deckhand:sandbox/clock@0.1.0";

/** While the guest is being built there is no host, so the time is 1970. */
let isRunning = false;

export function startClock(): void {
  isRunning = true;
}

/** Milliseconds since the epoch. */
export function now(): number {
  return isRunning ? hostNow() : 0;
}

/** A Date that asks the host, since the component has no clock of its own. */
function At(this: unknown, ...args: unknown[]): Date | string {
  if (new.target === undefined) return new Native(now()).toString();
  return Reflect.construct(Native, args.length === 0 ? [Math.floor(now())] : args, new.target);
}

const Native = Date;
At.prototype = Native.prototype;
Object.assign(At, { now: () => Math.floor(now()), parse: Native.parse, UTC: Native.UTC });
Object.defineProperty(Native.prototype, "constructor", { value: At, configurable: true, writable: true });
Object.defineProperty(globalThis, "Date", { value: At, configurable: true, writable: true });
Object.defineProperty(globalThis, "performance", { value: { now }, configurable: true, writable: true });
