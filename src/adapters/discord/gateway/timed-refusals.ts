import type { RESTOptions } from "discord.js";

type MakeRequest = RESTOptions["makeRequest"];

/** What is waited after a 429 that names no time: it bans our address, and every further request makes that longer. Seconds. */
const BANNED_S = 60;

/**
 * Gives a 429 that names no time one: what stands before Discord's API answers so, and discord.js would ask again at once, and
 * again, without end.
 */
export function timedRefusals(send: MakeRequest): MakeRequest {
  return async (url, init) => {
    const response = await send(url, init);
    const isTimed = Number(response.headers.get("retry-after")) > 0;
    if (response.status === 429 && !isTimed) response.headers.set("retry-after", String(BANNED_S));
    return response;
  };
}
