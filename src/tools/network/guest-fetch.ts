import { Buffer } from "node:buffer";
import type { IncomingHttpHeaders } from "node:http";
import { assertNever } from "../../core/protocol/assert-never.ts";
import type { HostRules } from "../../core/trust/host-patterns.ts";
import { contentOf } from "./content.ts";
import { type ExchangeOptions, exchange, exchangeOptions, type HttpResponse, type NetworkOptions } from "./exchange.ts";
import { followRedirects } from "./follow.ts";
import type { GuestAnswer } from "./guest-answer.ts";
import { type GuestRequest, parseGuestRequest } from "./guest-request.ts";
import { GUEST_FETCH_LIMITS, type GuestFetchLimits, tooManyRequests } from "./limits.ts";
import { NetworkDenial, NetworkRefusal } from "./refusal.ts";
import { isListed, parseTarget, refuseForbidden } from "./target.ts";

/** Performs the fetches of one guest call. Rejects with the signal's reason. */
export type GuestFetch = (request: string, signal: AbortSignal) => Promise<GuestAnswer>;

/**
 * Lets one guest call fetch from its hosts, one request at a time and within the limits of the call. The list of the
 * rules is the call's own: the hosts it was granted.
 */
export function createGuestFetch(rules: HostRules, given: NetworkOptions<GuestFetchLimits>): GuestFetch {
  const exchanging = exchangeOptions(given, GUEST_FETCH_LIMITS);
  const { limits } = exchanging;
  const options: GuestExchange = { ...exchanging, left: { requests: limits.requests, bytes: limits.callBytes } };
  let isBusy = false;
  return async (text, signal) => {
    if (isBusy) return { type: "refused", sentence: "A call can make only one request at a time." };
    isBusy = true;
    try {
      countRequest(options);
      const response = await responseTo(parseGuestRequest(text), { rules, options, signal });
      return { type: "response", json: encoded(response, limits) };
    } catch (error) {
      if (!(error instanceof NetworkRefusal)) throw error;
      const denied = error instanceof NetworkDenial ? { denied: true as const } : {};
      return { type: "refused", sentence: error.message, ...denied };
    } finally {
      isBusy = false;
    }
  };
}

/** Counts a request before it is examined, since refusing it costs the bot time too. */
function countRequest({ limits, left }: GuestExchange): void {
  left.requests -= 1;
  if (left.requests < 0) throw new NetworkRefusal(tooManyRequests(limits.requests));
}

interface GuestExchange extends ExchangeOptions {
  readonly limits: GuestFetchLimits;
  /** What the call has not spent yet. */
  readonly left: { requests: number; bytes: number };
}

type GuestResponse = { readonly url: string } & Readonly<Record<string, unknown>>;

interface GuestScope {
  readonly rules: HostRules;
  readonly options: GuestExchange;
  readonly signal: AbortSignal;
}

async function responseTo(asked: GuestRequest, { rules, options, signal }: GuestScope): Promise<GuestResponse> {
  const url = parseTarget(asked.url);
  const permitted = (to: URL): boolean => isListed(to, rules);
  if (!permitted(url)) throw notGranted(url, rules);
  const deadline = AbortSignal.timeout(options.limits.totalMs);
  if (asked.raw) {
    refuseForbidden(url, rules, options.isForbiddenAddress);
    return rawResponse(url, await spending({ ...asked, url, deadline }, withTimeout(options, asked), signal));
  }
  let sent = asked;
  const ask = (at: URL, redirectedBy: number | null): Promise<HttpResponse> => {
    if (redirectedBy !== null) {
      countRequest(options);
      if (becomesGet(redirectedBy, sent.method)) sent = withoutBody(sent);
    }
    return spending({ ...sent, url: at, deadline }, options, signal);
  };
  const fetched = await followRedirects({ url, rules, permitted, ask }, options);
  if (fetched.type === "elsewhere") {
    throw new NetworkRefusal(
      `${fetched.url.host} redirects to ${fetched.to.host}, which is not among the hosts of this call.`,
    );
  }
  return responseOf(fetched.url, fetched.answer);
}

function withTimeout(options: GuestExchange, { timeoutMs = Infinity }: GuestRequest): GuestExchange {
  const { limits } = options;
  return { ...options, limits: { ...limits, headMs: Math.min(limits.headMs, timeoutMs) } };
}

function notGranted({ host }: URL, { allowedHosts }: HostRules): NetworkDenial {
  return new NetworkDenial(
    allowedHosts.length === 0
      ? "There is no network access here: a call reaches only the hosts named in its `hosts`."
      : `${host} is not among the hosts of this call: ${allowedHosts.join(", ")}.`,
  );
}

/**
 * Whether a redirect is followed with GET whatever the original method was. Source: Fetch standard, HTTP-redirect
 * fetch.
 */
function becomesGet(status: number, method: string): boolean {
  return (status === 303 && method !== "HEAD") || ((status === 301 || status === 302) && method === "POST");
}

function withoutBody({ headers, ...request }: GuestRequest): GuestRequest {
  const { "content-type": _, ...rest } = headers;
  return { ...request, method: "GET", headers: rest, body: undefined };
}

/**
 * Makes one exchange and charges it to the call. An incomplete response is an error because a program could not tell.
 */
async function spending(
  ask: Omit<GuestRequest, "url"> & { readonly url: URL; readonly deadline: AbortSignal },
  options: GuestExchange,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const { limits, left } = options;
  left.bytes -= Buffer.byteLength(ask.body ?? "");
  if (left.bytes < 0) throw spent(limits);
  const bodyBytes = Math.min(limits.bodyBytes, left.bytes);
  const received = (bytes: number): void => {
    left.bytes -= bytes;
  };
  const answer = await exchange({ ...ask, received }, { ...options, limits: { ...limits, bodyBytes } }, signal);
  switch (answer.ending) {
    case "whole":
      return answer;
    case "time":
      throw new NetworkRefusal(`${ask.url.host} was still sending after ${limits.totalMs / 1_000} s.`);
    case "size":
      throw bodyBytes < limits.bodyBytes
        ? spent(limits)
        : new NetworkRefusal(
            `The response of ${ask.url.host} is larger than ${limits.bodyBytes} bytes. Request less at a time.`,
          );
    default:
      return assertNever(answer.ending);
  }
}

function spent({ callBytes }: GuestFetchLimits): NetworkRefusal {
  return new NetworkRefusal(
    `The requests of one call can transfer at most ${callBytes} bytes, both directions together.`,
  );
}

function encoded(response: GuestResponse, { answerBytes }: GuestFetchLimits): string {
  const json = JSON.stringify(response);
  if (Buffer.byteLength(json) <= answerBytes) return json;
  throw new NetworkRefusal(
    `The text at ${response.url} takes more than ${answerBytes} bytes once it is encoded. Request less at a time.`,
  );
}

/** Returns text if the body is text in any charset, else its bytes. */
function responseOf({ href }: URL, answer: HttpResponse): GuestResponse {
  const content = contentOf(answer);
  const text = content.type === "empty" ? "" : "text" in content ? content.text : null;
  const body = text === null ? { base64: answer.bytes.toString("base64") } : { text };
  return { url: href, status: answer.status, statusText: answer.statusText, headers: plain(answer.headers), ...body };
}

/** Headers that would be untrue of a decompressed, complete body. */
const ENCODED: readonly string[] = ["content-encoding", "content-length", "transfer-encoding"];

function rawResponse({ href }: URL, { status, statusText, headers, bytes }: HttpResponse): GuestResponse {
  const shown = Object.entries(plain(headers)).filter(([name]) => !ENCODED.includes(name));
  return { url: href, status, statusText, headers: Object.fromEntries(shown), base64: bytes.toString("base64") };
}

/** Headers without cookies, which nothing keeps for the next request. */
function plain(headers: IncomingHttpHeaders): Record<string, string> {
  const shown = Object.entries(headers).filter(([name]) => name !== "set-cookie");
  return Object.fromEntries(shown.map(([name, value]) => [name, [value ?? ""].flat().join(", ")]));
}
