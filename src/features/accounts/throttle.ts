import { networkOf } from "../../core/attempts.ts";
import { type Counted, createAttempts } from "./attempts.ts";

/** How long who has guessed too often waits, from the first guess on. Milliseconds. */
const WINDOW_MS = 900_000;
/** Wrong passwords within that time: of a known browser, of an address for one account, of an address, for one account. */
const MOST_WRONG = { device: 10, pair: 5, address: 20, account: 50 } as const;
/** Passwords that are compared at once, each with 19 MiB: of strangers, and of known browsers. */
const MOST_AT_ONCE = 4;

interface Guess {
  readonly name: string;
  readonly address: string;
  /** Null: the account was never signed in from this browser. */
  readonly device: string | null;
}

/** `token`: null where the password is wrong. */
type Tried = { readonly type: "tried"; readonly token: string | null };
type Wait = { readonly type: "wait"; readonly seconds: number };
type Throttle = (guess: Guess, compare: () => Promise<string | null>) => Promise<Tried | Wait>;

/**
 * Slows down who guesses. Guesses of strangers are counted by account and address, so that many browsers together do not
 * get further than one; a browser from which the account was signed in before is counted by itself, so that no stranger
 * can keep the account's owner out.
 */
export function createThrottle(world: Parameters<typeof createAttempts>[0]): Throttle {
  const attempts = createAttempts(world, WINDOW_MS);
  const busy = { known: 0, strange: 0 };
  return async (guess, compare) => {
    const whose = guess.device === null ? "strange" : "known";
    if (busy[whose] >= MOST_AT_ONCE) return { type: "wait", seconds: 1 };
    busy[whose] += 1;
    try {
      const by = countedBy(guess);
      const seconds = await attempts.count(by);
      if (seconds > 0) return { type: "wait", seconds };
      const token = await compare();
      if (token !== null) await attempts.takeBack(by);
      return { type: "tried", token };
    } finally {
      busy[whose] -= 1;
    }
  };
}

function countedBy({ name, address, device }: Guess): readonly Counted[] {
  if (device !== null) return [{ key: `device ${device}`, most: MOST_WRONG.device }];
  const network = networkOf(address);
  return [
    { key: `pair ${network} ${name}`, most: MOST_WRONG.pair },
    { key: `address ${network}`, most: MOST_WRONG.address },
    { key: `account ${name}`, most: MOST_WRONG.account },
  ];
}
