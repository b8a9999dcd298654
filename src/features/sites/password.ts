import { randomBytes } from "node:crypto";
import { Attempts, networkOf } from "../../core/attempts.ts";
import type { Clock } from "../../core/protocol/runtime.ts";
import { isPasswordOf } from "../../core/text/password-hash.ts";

/** Size of a new password in bytes, enough that it cannot be guessed. */
const PASSWORD_BYTES = 12;

/** Maximum number of passwords compared at once, since each takes 19 MiB. */
const MAX_AT_ONCE = 4;
/** Maximum number of wrong passwords from one address for a site before it must wait. */
const MAX_WRONG = 5;
/** How long a wrong password counts, in milliseconds. */
const WINDOW_MS = 900_000;

export function newPassword(): string {
  return randomBytes(PASSWORD_BYTES).toString("base64url");
}

export interface Attempt {
  readonly site: string;
  /** The visitor's network address. */
  readonly address: string;
  readonly password: string;
  readonly hash: string;
}

/** `waitS`: seconds to wait; the password was not compared. */
export type Verdict = "right" | "wrong" | { readonly waitS: number };

/** Compares passwords, and slows down guessing by address, so that nobody can lock others out. */
export function createPasswordCheck(clock: Pick<Clock, "now">): (attempt: Attempt) => Promise<Verdict> {
  const wrong = new Attempts(clock, WINDOW_MS);
  let busy = 0;

  return async ({ site, address, password, hash }) => {
    const key = `${site} ${networkOf(address)}`;
    const waitS = wrong.waitS(key, MAX_WRONG);
    if (waitS > 0) return { waitS };
    if (busy >= MAX_AT_ONCE) return { waitS: 1 };
    // Counted before the comparison, so that simultaneous attempts are all counted.
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
