import { z } from "zod";
import { ProviderError } from "../protocol/errors.ts";
import { fromJson } from "../text/from-json.ts";
import type { Fetch } from "./stall.ts";

/** A body that reports a failure under status 200, with its real status. */
const failedSchema = z.object({
  error: z.union([z.string(), z.object({ code: z.number().int().min(400).max(599).catch(500) })]),
});
const usualSchema = z.object({ error: z.union([z.string(), z.object({})]) });

/**
 * A fetch that converts error bodies to the form that the SDKs read. They drop everything outside `error`, including
 * the words that reveal an overflow or a rejected field (vLLM, Mistral, gateways). An error in place of the requested
 * stream gets its own status instead of 200. A web page that denies access comes from a proxy, which knows no key.
 * Source: OpenRouter docs, Errors.
 */
export function readableErrors(fetch: Fetch): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    // The SDKs return null for it, as for a captive portal's 204.
    if (response.status === 204) throw new ProviderError("network", "no content in place of an answer");
    if (response.body === null) return response;
    if (response.status === 403 && isPage(response)) throw await pageInstead(response);
    if (response.ok) return init?.method?.toUpperCase() === "POST" ? failedInstead(response) : response;
    const text = await response.text();
    const { status, statusText } = response;
    const headers = new Headers(response.headers);
    if (text.trim() === "") return new Response(null, { status, statusText, headers });
    const isUsual = usualSchema.safeParse(fromJson(text)).success;
    const body = isUsual ? text : JSON.stringify({ error: { message: text } });
    headers.set("content-type", "application/json");
    headers.delete("content-length");
    headers.delete("content-encoding");
    return new Response(body, { status, statusText, headers });
  };
}

/** Returns the response, converted if it is an error in JSON. Throws for a web page, such as a login. */
async function failedInstead(response: Response): Promise<Response> {
  if (isPage(response)) throw await pageInstead(response);
  const type = response.headers.get("content-type") ?? "";
  if (!/^application\/json\b/i.test(type)) return response;
  const text = await objectText(response.clone());
  const failed = failedSchema.safeParse(fromJson(text)).data;
  if (failed === undefined) return response;
  const status = typeof failed.error === "string" ? 500 : failed.error.code;
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  headers.delete("content-encoding");
  return new Response(text, { status, headers });
}

function isPage({ headers }: Response): boolean {
  return /^text\/html\b/i.test(headers.get("content-type") ?? "");
}

async function pageInstead(response: Response): Promise<ProviderError> {
  await response.body?.cancel();
  return new ProviderError("network", "a page in place of an answer");
}

/** The text of a JSON object in a cloned response. Stops reading early if it is a stream with the wrong type. */
async function objectText({ body }: Response): Promise<string> {
  if (body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body.values({ preventCancel: true })) {
    text += decoder.decode(chunk, { stream: true });
    if (/^\s*[^\s{]/.test(text)) break;
  }
  // Not awaited, since it settles only when the original is also read to its end or cancelled.
  body.cancel().catch(() => undefined);
  return text;
}
