import { createHmac, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../core/protocol/runtime.ts";
import type { Site } from "./site.ts";

/** Minimum validity of a pass, in milliseconds; the maximum is twice this. */
const HOLDS_MS = 43_200_000;
const PASS = /^~([0-9a-z]{1,11})\.([\w-]{43})$/u;

type Guarded = Pick<Site, "name" | "passwordHash">;

/**
 * A visit's pass is a part of its address. A site's pages have no origin, so no cookie would accompany what they load.
 * Since no other page in the browser can learn the pass, requests with it are known to come from the site's pages.
 */
export interface Passes {
  /** A pass as a segment of an address; stays the same for hours. */
  issue(site: Guarded): string;
  holds(segment: string, site: Guarded): boolean;
}

/** `open` is the secret that signs passes of sites without a password. */
export function createPasses(clock: Pick<Clock, "now">, open: string): Passes {
  // A new password invalidates the passes of the old one.
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
