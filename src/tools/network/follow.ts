import { Buffer } from "node:buffer";
import type { HostRules } from "../../core/trust/host-patterns.ts";
import { ACCEPT_ENCODING } from "./body.ts";
import type { SessionCache } from "./cache.ts";
import { type ExchangeOptions, exchange, type HttpResponse } from "./exchange.ts";
import { NetworkRefusal } from "./refusal.ts";
import { isListed, parseTarget, refuseForbidden } from "./target.ts";

export interface FetchRequest {
  readonly url: URL;
  readonly rules: HostRules;
  /** True if a person allowed the host of `url` although it is not on the list. */
  readonly approved: boolean;
  readonly cache: SessionCache;
}

export type Fetched =
  | { readonly type: "answer"; readonly url: URL; readonly answer: HttpResponse }
  /** A redirect to a host that this call may not reach. */
  | { readonly type: "elsewhere"; readonly url: URL; readonly to: URL };

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

const HEADERS = {
  "user-agent": "Deckhand (web_fetch)",
  accept: "text/markdown, text/html;q=0.9, application/json;q=0.9, text/plain;q=0.8, */*;q=0.5",
  "accept-encoding": ACCEPT_ENCODING,
  "accept-language": "en;q=0.9, *;q=0.5",
};

/**
 * Fetches a URL, and judges each redirect like the first URL. Throws NetworkRefusal for what is forbidden, fails or
 * takes too long, and the signal's reason.
 */
export async function fetchUrl(asked: FetchRequest, options: ExchangeOptions, signal: AbortSignal): Promise<Fetched> {
  const { url, rules, cache, approved } = asked;
  const permitted = (to: URL): boolean => isListed(to, rules) || (approved && to.host === url.host);
  if (!permitted(url)) throw new NetworkRefusal(`${url.host} is not on the list of allowed hosts.`);
  const deadline = AbortSignal.timeout(options.limits.totalMs);
  const ask = (at: URL): Promise<HttpResponse> =>
    cache.through(at, HEADERS, (headers) => exchange({ url: at, headers, deadline }, options, signal));
  return followRedirects({ url, rules, permitted, ask }, options);
}

export interface FollowArgs {
  readonly url: URL;
  readonly rules: HostRules;
  /** Whether a redirect may lead to a URL. */
  readonly permitted: (url: URL) => boolean;
  /** Requests a URL; receives the status that redirected to it, or null for the first. */
  readonly ask: (url: URL, redirectedBy: number | null) => Promise<HttpResponse>;
}

/** Requests a URL and follows its redirects. Throws NetworkRefusal for what is forbidden, and whatever `ask` throws. */
export async function followRedirects(
  { url: first, rules, permitted, ask }: FollowArgs,
  { limits, isForbiddenAddress }: Pick<ExchangeOptions, "limits" | "isForbiddenAddress">,
): Promise<Fetched> {
  let url = first;
  let redirectedBy: number | null = null;
  for (let redirects = 0; redirects <= limits.redirects; redirects++) {
    refuseForbidden(url, rules, isForbiddenAddress);
    const answer = await ask(url, redirectedBy);
    const next = redirectOf(answer, url);
    if (next === null) return { type: "answer", url, answer };
    if (!permitted(next)) return { type: "elsewhere", url, to: next };
    url = next;
    redirectedBy = answer.status;
  }
  throw new NetworkRefusal(`${first.host} redirects more than ${limits.redirects} times.`);
}

function redirectOf({ status, headers }: HttpResponse, url: URL): URL | null {
  if (!REDIRECTS.has(status) || headers.location === undefined) return null;
  try {
    // The runtime decodes headers as Latin-1, but servers write UTF-8.
    return parseTarget(Buffer.from(headers.location, "latin1").toString("utf8"), url);
  } catch (cause) {
    if (!(cause instanceof NetworkRefusal)) throw cause;
    throw new NetworkRefusal(`${url.host} redirects to an address that cannot be fetched. Continue without it.`, cause);
  }
}
