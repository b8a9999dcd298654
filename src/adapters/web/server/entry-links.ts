import { randomBytes } from "node:crypto";
import { isSame, sign } from "./signatures.ts";

/** Lifetime of an entry link, in milliseconds. */
export const VALID_MS = 600_000;

/** Time of issue (milliseconds in base 36), nonce, and the signature of both. */
const LINK = /^([0-9a-z]{6,12})\.([\w-]{16})\.([\w-]{43})$/u;

/**
 * Makes a link for the page's address that admits one browser within ten minutes, so that the address need not contain
 * the lasting token. Any process that has the token can make one.
 */
export function entryLink(token: string, now: number): string {
  const issued = now.toString(36);
  const nonce = randomBytes(12).toString("base64url");
  return `${issued}.${nonce}.${sign(token, `${issued}.${nonce}`)}`;
}

export interface EntryLinks {
  /** Uses a link up; returns whether it was valid and unused. */
  use(link: string): boolean;
}

/** Accepts entry links. A lone process rejects those made before it started, since it cannot know which were used. */
export function entryLinks(token: string, now: () => number, isReplica = false): EntryLinks {
  const begun = isReplica ? 0 : now();
  const isFirstUse = createFirstUseCheck(now, VALID_MS);
  return {
    use(link) {
      const [, issued = "", nonce = "", signature = ""] = LINK.exec(link) ?? [];
      if (!isSame(signature, sign(token, `${issued}.${nonce}`))) return false;
      const at = Number.parseInt(issued, 36);
      return at >= begun && at <= now() && now() - at <= VALID_MS && isFirstUse(nonce);
    },
  };
}

/** Returns a function that tells whether a name is new; names are remembered for `forMs`. */
export function createFirstUseCheck(now: () => number, forMs: number): (name: string) => boolean {
  const used = new Map<string, number>();
  return (name) => {
    for (const [old, since] of used) if (now() - since > forMs) used.delete(old);
    if (used.has(name)) return false;
    used.set(name, now());
    return true;
  };
}
