import { Buffer } from "node:buffer";
import type { FetchLike } from "@modelcontextprotocol/client";
import { z } from "zod";
import { fromJson, isObject } from "../../../core/text/from-json.ts";
import { isForbiddenAddress } from "../../../tools/network/addresses.ts";
import type { ConnectOptions } from "../../../tools/network/connect.ts";
import { type ExchangeOptions, exchange, type HttpResponse } from "../../../tools/network/exchange.ts";
import { FETCH_LIMITS } from "../../../tools/network/limits.ts";
import { NetworkDenial, NetworkRefusal } from "../../../tools/network/refusal.ts";
import { parseTarget } from "../../../tools/network/target.ts";
import type { McpUrlServer } from "../server-settings.ts";

/** Metadata and token responses are a few kilobytes. */
const LIMITS = { ...FETCH_LIMITS, bodyBytes: 262_144, totalMs: 15_000 };

/** Some services refuse requests that do not say who makes them. */
const HEADERS = { "user-agent": "Deckhand", accept: "application/json" };

export interface Reach extends Pick<ConnectOptions, "resolve" | "proxyFor"> {
  /** Replaces the rule for addresses that are not public. */
  readonly isForbiddenAddress?: ConnectOptions["isForbiddenAddress"];
}

/** Statuses whose responses have no body. Source: Fetch standard, null body status. */
const BODILESS = [204, 205, 304];

/**
 * `fetch` for addresses that a server or its metadata name: only https at public addresses, except at the origins that
 * the operator has written into the server's block. Responses are bounded in size and time. Follows no redirect; the
 * SDK follows those within one origin, and each comes by here.
 */
export function createGuardedFetch(settings: McpUrlServer, reach: Reach, signal: AbortSignal): FetchLike {
  const written = [settings.url, settings.oauth?.issuer].flatMap((url) => URL.parse(url ?? "")?.origin ?? []);
  return async (url, init = {}) => {
    const target = parseTarget(String(url));
    const isWritten = written.includes(target.origin);
    if (!isWritten && target.protocol !== "https:") {
      throw new NetworkDenial(`${target.origin} is not encrypted, so nothing is sent to it.`);
    }
    const rule: ExchangeOptions["isForbiddenAddress"] = isWritten
      ? () => false
      : (reach.isForbiddenAddress ?? isForbiddenAddress);
    const answer = await exchange(
      {
        url: target,
        method: init.method ?? "GET",
        headers: { ...HEADERS, ...Object.fromEntries(new Headers(init.headers)) },
        body: init.body instanceof URLSearchParams ? init.body.toString() : textSchema.parse(init.body),
        deadline: AbortSignal.timeout(LIMITS.totalMs),
      },
      { resolve: reach.resolve, proxyFor: reach.proxyFor, isForbiddenAddress: rule, limits: LIMITS },
      signal,
    );
    if (answer.ending === "size") throw new NetworkRefusal(`The response from ${target.host} is too large.`);
    if (answer.ending === "time") throw new NetworkRefusal(`${target.host} did not answer in time.`);
    return responseOf(answer, target);
  };
}

function responseOf({ status, bytes, headers }: HttpResponse, { href }: URL): Response {
  if (status < 200 || status > 599) throw new NetworkRefusal("The server's HTTP response is not valid.");
  const given = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  const body = BODILESS.includes(status) ? null : withoutEmpty(Buffer.from(bytes).toString());
  const response = new Response(body, { status, headers: given.filter(([name]) => !ENCODING.includes(name)) });
  Object.defineProperty(response, "url", { value: href });
  return response;
}

/** Leaves out members that are null or empty, as some services write those that they do not have; the SDK refuses them. */
function withoutEmpty(text: string): string {
  const json = fromJson(text);
  if (!isObject(json)) return text;
  return JSON.stringify(Object.fromEntries(Object.entries(json).filter(([, value]) => value !== null && value !== "")));
}

/** The SDK sends nothing else. */
const textSchema = z.string().optional();

/** The body is decoded already. */
const ENCODING = ["content-encoding", "content-length", "transfer-encoding"];
