import { createHmac, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../core/protocol/runtime.ts";
import type { Site } from "./site.ts";

/** How long a pass holds at least; at most twice as long. Milliseconds. */
const HOLDS_MS = 43_200_000;
const PASS = /^~([0-9a-z]{1,11})\.([\w-]{43})$/u;

type Guarded = Pick<Site, "name" | "passwordHash">;

/**
 * A visit's pass is a part of its address. A site's pages have no origin of their own, so that no cookie would come with what
 * they load; and since no other page of the browser can learn a pass, what is asked for by one is answered to such a page.
 */
export interface Passes {
  /** As a segment of an address; the same for hours. */
  issue(site: Guarded): string;
  holds(segment: string, site: Guarded): boolean;
}

/** `open`: the secret that signs those of sites without a password. */
export function createPasses(clock: Pick<Clock, "now">, open: string): Passes {
  // With another password, passes of the one before hold no more.
  const sign = ({ name, passwordHash }: Guarded, until: string) =>
    createHmac("sha256", passwordHash ?? open)
      .update(`${name} ${until}`)
      .digest();
  return {
    issue(site) {
      const until = ((Math.floor(clock.now() / HOLDS_MS) + 2) * HOLDS_MS).toString(36);
      return `~${until}.${sign(site, until).toString("base64url")}`;
    },
    holds(segment, site) {
      const [, until, signature] = PASS.exec(segment) ?? [];
      if (until === undefined || signature === undefined || Number.parseInt(until, 36) <= clock.now()) return false;
      return timingSafeEqual(sign(site, until), Buffer.from(signature, "base64url"));
    },
  };
}

export function isPass(segment: string): boolean {
  return PASS.test(segment);
}
