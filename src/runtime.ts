import { randomBytes } from "node:crypto";
import { setTimeout as setTimeoutUnlessAborted } from "node:timers/promises";
import type { Clock, Ids, Runtime } from "./core/protocol/runtime.ts";

export function systemRuntime(): Runtime {
  return { clock: systemClock, ids: systemIds(systemClock), random: { next: () => Math.random() } };
}

export function runtimeOn(clock: Clock, { random }: Runtime): Runtime {
  return { clock, ids: systemIds(clock), random };
}

const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, fn) {
    const timer = setTimeout(fn, ms);
    return () => clearTimeout(timer);
  },
  async sleep(ms, signal) {
    signal.throwIfAborted();
    try {
      await setTimeoutUnlessAborted(ms, undefined, { signal });
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  },
};

/** Crockford's base32 alphabet in lower case, which has no letters that resemble digits. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/** Nine characters of time and eleven of randomness, so that ids sort by creation time to the millisecond. */
function systemIds(clock: Pick<Clock, "now">): Ids {
  return {
    next(prefix) {
      let time = "";
      for (let rest = Math.round(clock.now()), i = 0; i < 9; i++, rest = Math.floor(rest / 32))
        time = ALPHABET.charAt(rest % 32) + time;
      const noise = [...randomBytes(11)].map((byte) => ALPHABET.charAt(byte % 32)).join("");
      return `${prefix}_${time}${noise}`;
    },
  };
}
