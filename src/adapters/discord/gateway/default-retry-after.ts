import type { RESTOptions } from "discord.js";

type MakeRequest = RESTOptions["makeRequest"];

/** Wait after a 429 that names no time, which is a ban of the IP address that further requests prolong. In seconds. */
const BANNED_S = 60;

/**
 * Adds a retry time to a 429 without one, which comes from infrastructure in front of Discord's API. Without it,
 * discord.js would retry at once, endlessly.
 */
export function withDefaultRetryAfter(send: MakeRequest): MakeRequest {
  return async (url, init) => {
    const response = await send(url, init);
    const isTimed = Number(response.headers.get("retry-after")) > 0;
    if (response.status === 429 && !isTimed) response.headers.set("retry-after", String(BANNED_S));
    return response;
  };
}
