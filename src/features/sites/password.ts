import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import type { Clock } from "../../core/protocol/runtime.ts";

/** Source: OWASP, Password Storage Cheat Sheet: argon2id with 19 MiB, two passes, one lane. */
const COST = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };
const NONCE_BYTES = 16;
/** Bytes of a new password: nobody guesses them. */
const PASSWORD_BYTES = 12;
const HASH = /^argon2id\$([\w-]{22})\$([\w-]{43})$/u;

/** Passwords that are compared at once: each takes 19 MiB meanwhile. */
const MOST_AT_ONCE = 4;
/** Wrong ones that an address may send for a site before it waits. */
const MOST_WRONG = 5;
/** How long it waits then, and after how long a wrong one is forgotten. Milliseconds. */
const WAIT_MS = 900_000;
/** Addresses that are remembered. */
const MOST_REMEMBERED = 10_000;

const derive = promisify(argon2);

export function newPassword(): string {
  return randomBytes(PASSWORD_BYTES).toString("base64url");
}

export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(NONCE_BYTES);
  const tag = await derive("argon2id", { ...COST, message: password, nonce });
  return `argon2id$${nonce.toString("base64url")}$${tag.toString("base64url")}`;
}

async function isPassword(password: string, hash: string): Promise<boolean> {
  const [, nonce, expected] = HASH.exec(hash) ?? [];
  if (nonce === undefined || expected === undefined) return false;
  const tag = await derive("argon2id", { ...COST, message: password, nonce: Buffer.from(nonce, "base64url") });
  return timingSafeEqual(tag, Buffer.from(expected, "base64url"));
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
export function createDoor(clock: Pick<Clock, "now">): (attempt: Attempt) => Promise<Verdict> {
  const wrong = new Map<string, { readonly count: number; readonly since: number }>();
  let busy = 0;

  const failuresOf = (key: string) => {
    const known = wrong.get(key);
    return known === undefined || clock.now() - known.since >= WAIT_MS ? { count: 0, since: clock.now() } : known;
  };

  return async ({ site, address, password, hash }) => {
    const key = `${site} ${address}`;
    const { count, since } = failuresOf(key);
    if (count >= MOST_WRONG) return { waitS: Math.ceil((since + WAIT_MS - clock.now()) / 1_000) };
    if (busy >= MOST_AT_ONCE) return { waitS: 1 };
    // Counted before it is compared: many at once are many all the same.
    wrong.delete(key);
    wrong.set(key, { count: count + 1, since });
    const [oldest] = wrong.keys();
    if (wrong.size > MOST_REMEMBERED && oldest !== undefined) wrong.delete(oldest);
    busy += 1;
    try {
      if (!(await isPassword(password, hash))) return "wrong";
      wrong.delete(key);
      return "right";
    } finally {
      busy -= 1;
    }
  };
}
