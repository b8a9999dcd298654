import { Attempts, networkOf } from "../../core/attempts.ts";
import type { Clock } from "../../core/protocol/runtime.ts";

/** How long who has guessed too often waits, from the first guess on. Milliseconds. */
const WINDOW_MS = 900_000;
/** Wrong passwords within that time: of a known browser, of an address for one account, of an address, for one account. */
const MOST_WRONG = { device: 10, pair: 5, address: 20, account: 50 } as const;
/** Passwords that are compared at once, each with 19 MiB: of strangers, and of known browsers. */
const MOST_AT_ONCE = 4;

type Kind = keyof typeof MOST_WRONG;

export interface Guess {
  readonly name: string;
  readonly address: string;
  /** Null: the account was never signed in from this browser. */
  readonly device: string | null;
}

/** `end` is called once the password has been compared. */
export type Admission =
  | { readonly type: "may_try"; readonly end: (isRight: boolean) => void }
  | { readonly type: "wait"; readonly seconds: number };

/**
 * Slows down who guesses. Guesses of strangers are counted by account and address, so that many browsers together do not
 * get further than one; a browser from which the account was signed in before is counted by itself, so that no stranger
 * can keep the account's owner out.
 */
export function createThrottle(clock: Pick<Clock, "now">): (guess: Guess) => Admission {
  const counter = () => new Attempts(clock, WINDOW_MS);
  const counts = { device: counter(), pair: counter(), address: counter(), account: counter() };
  const busy = { known: 0, strange: 0 };
  return ({ name, address, device }) => {
    const whose = device === null ? "strange" : "known";
    const network = networkOf(address);
    const keys: readonly (readonly [Kind, string])[] =
      device === null
        ? [
            ["pair", `${network} ${name}`],
            ["address", network],
            ["account", name],
          ]
        : [["device", device]];
    const seconds = Math.max(...keys.map(([kind, key]) => counts[kind].waitS(key, MOST_WRONG[kind])));
    if (seconds > 0) return { type: "wait", seconds };
    if (busy[whose] >= MOST_AT_ONCE) return { type: "wait", seconds: 1 };
    // Counted before they are compared: many at once are many all the same.
    for (const [kind, key] of keys) counts[kind].add(key);
    busy[whose] += 1;
    return {
      type: "may_try",
      end: (isRight) => {
        busy[whose] -= 1;
        if (isRight) for (const [kind, key] of keys) counts[kind].takeBack(key);
      },
    };
  };
}
