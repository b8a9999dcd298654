import type { RESTOptions } from "discord.js";
import type { RateBucket } from "../../../core/platform/descriptor.ts";
import type { Clock } from "../../../core/protocol/runtime.ts";
import type { RateRequest, SharedRates } from "../../../core/shared-rates.ts";
import { SHARED_EDITS, SHARED_POSTS, SHARED_REQUESTS } from "../limits.ts";

type MakeRequest = RESTOptions["makeRequest"];

/** The path of a channel's messages, or of one of them. */
const MESSAGES = /\/channels\/(?<channel>\d+)\/messages(?<one>\/\d+)?$/u;

/** Tokens reserved for answers to interactions, for which Discord waits three seconds. */
const KEPT_FOR_INTERACTIONS = 3;

/**
 * Delays requests so that all processes together stay within the rate limits. discord.js learns of other processes'
 * requests only from the responses to its own, which is too late if two processes write to one thread.
 */
export function sharedRequests(send: MakeRequest, rates: SharedRates, clock: Pick<Clock, "sleep">): MakeRequest {
  const take = (ask: Omit<RateRequest, "gate">) =>
    new Promise<number>((resolve) => {
      const { burst, everyMs } = ask.rate;
      rates.take({ ...ask, gate: "discord open" }, ({ isTaken, lacksMs, closedMs }) =>
        resolve(isTaken ? 0 : Math.max(1, closedMs, lacksMs - (burst - 1 - ask.reserved) * everyMs)),
      );
    });
  return async (url, init) => {
    const signal = init.signal instanceof AbortSignal ? init.signal : new AbortController().signal;
    for (const ask of asksOf(url, init.method ?? "GET"))
      for (let waitMs = await take(ask); waitMs > 0; waitMs = await take(ask)) await clock.sleep(waitMs, signal);
    return send(url, init);
  };
}

/** The channel's token is taken first, so that no global token is held while waiting for it. */
function asksOf(url: string, method: string): Omit<RateRequest, "gate">[] {
  const { pathname } = new URL(url);
  const { channel, one } = MESSAGES.exec(pathname)?.groups ?? {};
  const ofChannel = (name: string, rate: RateBucket) => [
    { bucket: `discord ${name} of ${channel}`, rate, reserved: 0 },
  ];
  const isPost = method === "POST" && channel !== undefined && one === undefined;
  const isEdit = method === "PATCH" && one !== undefined;
  const isByToken = /\/(?:interactions|webhooks)\//u.test(pathname);
  return [
    ...(isPost ? ofChannel("posts", SHARED_POSTS) : []),
    ...(isEdit ? ofChannel("edits", SHARED_EDITS) : []),
    { bucket: "discord requests", rate: SHARED_REQUESTS, reserved: isByToken ? 0 : KEPT_FOR_INTERACTIONS },
  ];
}
