import { randomBytes } from "node:crypto";
import { Attempts, networkOf } from "../../core/attempts.ts";
import type { Clock } from "../../core/protocol/runtime.ts";
import { isPasswordOf } from "../../core/text/password-hash.ts";

/** Bytes of a new password: nobody guesses them. */
const PASSWORD_BYTES = 12;

/** Passwords that are compared at once: each takes 19 MiB meanwhile. */
const MOST_AT_ONCE = 4;
/** Wrong ones that an address may send for a site before it waits. */
const MOST_WRONG = 5;
/** How long it waits then, and after how long a wrong one is forgotten. Milliseconds. */
const WINDOW_MS = 900_000;

export function newPassword(): string {
  return randomBytes(PASSWORD_BYTES).toString("base64url");
}

export interface Attempt {
  readonly site: string;
  /** Whose it is: the visitor's network address. */
  readonly address: string;
  readonly password: string;
  readonly hash: string;
}

/** `wait`: it was not even looked at. */
export type Verdict = "right" | "wrong" | { readonly waitS: number };

/** Compares passwords, and slows down who guesses: by address, so that nobody keeps others out. */
export function createPasswordCheck(clock: Pick<Clock, "now">): (attempt: Attempt) => Promise<Verdict> {
  const wrong = new Attempts(clock, WINDOW_MS);
  let busy = 0;

  return async ({ site, address, password, hash }) => {
    const key = `${site} ${networkOf(address)}`;
    const waitS = wrong.waitS(key, MOST_WRONG);
    if (waitS > 0) return { waitS };
    if (busy >= MOST_AT_ONCE) return { waitS: 1 };
    // Counted before it is compared: many at once are many all the same.
    wrong.add(key);
    busy += 1;
    try {
      if (!(await isPasswordOf(hash, password))) return "wrong";
      wrong.forget(key);
      return "right";
    } finally {
      busy -= 1;
    }
  };
}
