import { networkOf } from "../../core/attempts.ts";
import { type AttemptKey, createAttempts } from "./attempts.ts";

/** How long guesses count, starting with the first one, in milliseconds. */
const WINDOW_MS = 900_000;
/**
 * Maximum number of wrong passwords in that time: from a known browser; from one address for one account; from one
 * address; for one account.
 */
const MAX_WRONG = { device: 10, pair: 5, address: 20, account: 50 } as const;
/** Maximum number of passwords compared at once, at 19 MiB each; one limit for strangers, one for known browsers. */
const MAX_AT_ONCE = 4;

interface Guess {
  readonly name: string;
  readonly address: string;
  /** Null if the account was never signed in from this browser. */
  readonly device: string | null;
}

/** `token` is null if the password is wrong. */
type Outcome =
  | { readonly type: "tried"; readonly token: string | null }
  | { readonly type: "wait"; readonly seconds: number };

/**
 * Slows down guessing. Guesses from unknown browsers count by account and by address, so that many browsers get no
 * further than one. A browser that was signed in before counts by itself, so that strangers cannot lock the owner out.
 */
export function createThrottle(world: Parameters<typeof createAttempts>[0]) {
  const attempts = createAttempts(world, WINDOW_MS);
  const busy = { known: 0, strange: 0 };
  return async (guess: Guess, compare: () => Promise<string | null>): Promise<Outcome> => {
    const whose = guess.device === null ? "strange" : "known";
    if (busy[whose] >= MAX_AT_ONCE) return { type: "wait", seconds: 1 };
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

function countedBy({ name, address, device }: Guess): readonly AttemptKey[] {
  if (device !== null) return [{ key: `device ${device}`, most: MAX_WRONG.device }];
  const network = networkOf(address);
  return [
    { key: `pair ${network} ${name}`, most: MAX_WRONG.pair },
    { key: `address ${network}`, most: MAX_WRONG.address },
    { key: `account ${name}`, most: MAX_WRONG.account },
  ];
}
