import { randomBytes } from "node:crypto";
import { isSame, sign } from "./signatures.ts";

/** How long a link may be opened. Milliseconds. */
export const VALID_MS = 600_000;

/** When it was made, in milliseconds to the base 36; what makes it another one; the signature of both. */
const LINK = /^([0-9a-z]{6,12})\.([\w-]{16})\.([\w-]{43})$/u;

/**
 * What the address of the page carries in place of the lasting token: good for one entry within ten minutes. Whoever has
 * the token makes one, so that another process of the same home can.
 */
export function entryLink(token: string, now: number): string {
  const issued = now.toString(36);
  const nonce = randomBytes(12).toString("base64url");
  return `${issued}.${nonce}.${sign(token, `${issued}.${nonce}`)}`;
}

export interface EntryLinks {
  /** Whether a link lets somebody in now; it does so once. */
  take(link: string): boolean;
}

/** Those that a process lets in: none from before it began, where nobody but itself knows which of these were used. */
export function entryLinks(token: string, now: () => number, isReplica = false): EntryLinks {
  const begun = isReplica ? 0 : now();
  const isFirstUse = firstUses(now, VALID_MS);
  return {
    take(link) {
      const [, issued = "", nonce = "", signature = ""] = LINK.exec(link) ?? [];
      if (!isSame(signature, sign(token, `${issued}.${nonce}`))) return false;
      const at = Number.parseInt(issued, 36);
      return at >= begun && at <= now() && now() - at <= VALID_MS && isFirstUse(nonce);
    },
  };
}

/** Whether something is used for the first time, of what nobody lets in any more after `forMs`. */
export function firstUses(now: () => number, forMs: number): (name: string) => boolean {
  const used = new Map<string, number>();
  return (name) => {
    for (const [old, since] of used) if (now() - since > forMs) used.delete(old);
    if (used.has(name)) return false;
    used.set(name, now());
    return true;
  };
}
