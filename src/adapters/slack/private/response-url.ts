import { z } from "zod";
import type { SlackBody } from "../format.ts";
import { REQUEST_TIMEOUT_MS } from "../limits.ts";
import { isSlackAddress } from "../web.ts";

/** The response URL, valid 30 minutes and five times. Source: Slack docs, Handling user interaction. */
const respondedSchema = z.object({ response_url: z.url() });

/** The response URL; null if there is none, as for a message or a form. */
export function responseUrlOf(payload: unknown, apiUrl: string | undefined): URL | null {
  const parsed = respondedSchema.safeParse(payload);
  if (!parsed.success) return null;
  const url = new URL(parsed.data.response_url);
  return isSlackAddress(url, apiUrl) ? url : null;
}

/**
 * Answers a click or a command with a message that only that person sees. False if Slack does not accept it, because
 * the URL is used up or cannot be reached.
 */
export async function respond(url: URL, body: SlackBody & { readonly thread_ts?: string }): Promise<boolean> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json; charset=utf-8" },
      body: JSON.stringify({ ...body, response_type: "ephemeral", replace_original: false }),
      redirect: "error",
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    await response.body?.cancel();
    return response.ok;
  } catch (error) {
    if (error instanceof TypeError || (error instanceof DOMException && error.name === "TimeoutError")) return false;
    throw error;
  }
}
