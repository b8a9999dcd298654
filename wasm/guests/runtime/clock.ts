import { now } from "deckhand:sandbox/clock@0.1.0";

/** The component has no clock of its own: its Date asks the host. To be loaded before anything that takes a reference. */
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
