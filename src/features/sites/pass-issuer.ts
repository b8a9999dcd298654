import { createHmac, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../core/protocol/runtime.ts";
import type { Site } from "./site.ts";

/** Minimum validity of a pass, in milliseconds; the maximum is twice this. */
const VALIDITY_MS = 43_200_000;
const PASS = /^~([0-9a-z]{1,11})\.([\w-]{43})$/u;

type Guarded = Pick<Site, "name" | "passwordHash">;

/**
 * A visit's pass is a part of its address. A site's pages have no origin, so no cookie would accompany what they load.
 * Since no other page in the browser can learn the pass, requests with it are known to come from the site's pages.
 */
export interface PassIssuer {
  /** A pass as a segment of an address; stays the same for hours. */
  issue(site: Guarded): string;
  isValid(segment: string, site: Guarded): boolean;
}

/** `open` is the secret that signs passes of sites without a password. */
export function createPassIssuer(clock: Pick<Clock, "now">, open: string): PassIssuer {
  // A new password invalidates the passes of the old one.
  const sign = ({ name, passwordHash }: Guarded, until: string) =>
    createHmac("sha256", passwordHash ?? open)
      .update(`${name} ${until}`)
      .digest();
  return {
    issue(site) {
      const until = ((Math.floor(clock.now() / VALIDITY_MS) + 2) * VALIDITY_MS).toString(36);
      return `~${until}.${sign(site, until).toString("base64url")}`;
    },
    isValid(segment, site) {
      const [, until, signature] = PASS.exec(segment) ?? [];
      if (until === undefined || signature === undefined || Number.parseInt(until, 36) <= clock.now()) return false;
      return timingSafeEqual(sign(site, until), Buffer.from(signature, "base64url"));
    },
  };
}

export function isPass(segment: string): boolean {
  return PASS.test(segment);
}
