import type { RESTOptions } from "discord.js";
import type { RateBucket } from "../../../core/protocol/platform.ts";
import type { Clock } from "../../../core/protocol/runtime.ts";
import type { RateAsk, SharedRates } from "../../../core/shared-rates.ts";
import { SHARED_EDITS, SHARED_POSTS, SHARED_REQUESTS } from "../limits.ts";

type MakeRequest = RESTOptions["makeRequest"];

/** A channel's messages, or one of them. */
const MESSAGES = /\/channels\/(?<channel>\d+)\/messages(?<one>\/\d+)?$/u;

/** Tokens that are left to answers of interactions, which Discord waits three seconds for. */
const KEPT_FOR_INTERACTIONS = 3;

/**
 * Sends what discord.js has let pass, once it keeps within the limits together with what other processes send: discord.js
 * knows of these only what the answers to its own requests say, which is too late where two of them are in one thread.
 */
export function sharedRequests(send: MakeRequest, rates: SharedRates, clock: Pick<Clock, "sleep">): MakeRequest {
  const take = (ask: Omit<RateAsk, "gate">) =>
    new Promise<number>((resolve) => {
      const { burst, everyMs } = ask.rate;
      rates.take({ ...ask, gate: "discord open" }, ({ isTaken, lacksMs, closedMs }) =>
        resolve(isTaken ? 0 : Math.max(1, closedMs, lacksMs - (burst - 1 - ask.kept) * everyMs)),
      );
    });
  return async (url, init) => {
    const signal = init.signal instanceof AbortSignal ? init.signal : new AbortController().signal;
    for (const ask of asksOf(url, init.method ?? "GET"))
      for (let waitMs = await take(ask); waitMs > 0; waitMs = await take(ask)) await clock.sleep(waitMs, signal);
    return send(url, init);
  };
}

/** The channel's first: while its token is waited for, none of everybody's is taken. */
function asksOf(url: string, method: string): Omit<RateAsk, "gate">[] {
  const { pathname } = new URL(url);
  const { channel, one } = MESSAGES.exec(pathname)?.groups ?? {};
  const ofChannel = (name: string, rate: RateBucket) => [{ bucket: `discord ${name} of ${channel}`, rate, kept: 0 }];
  const isPost = method === "POST" && channel !== undefined && one === undefined;
  const isEdit = method === "PATCH" && one !== undefined;
  const isByToken = /\/(?:interactions|webhooks)\//u.test(pathname);
  return [
    ...(isPost ? ofChannel("posts", SHARED_POSTS) : []),
    ...(isEdit ? ofChannel("edits", SHARED_EDITS) : []),
    { bucket: "discord requests", rate: SHARED_REQUESTS, kept: isByToken ? 0 : KEPT_FOR_INTERACTIONS },
  ];
}
