import { z } from "zod";
import type { Fetch } from "./stall.ts";

const usualSchema = z.object({ error: z.union([z.string(), z.object({})]) });

/**
 * A fetch whose error bodies have the form that the SDKs read: they drop what is not under `error`, and
 * with it the words by which an overflow or a refused field is recognised (vLLM, Mistral, gateways).
 */
export function readableErrors(fetch: Fetch): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.ok || response.body === null) return response;
    const text = await response.text();
    const { status, statusText } = response;
    const headers = new Headers(response.headers);
    if (text.trim() === "") return new Response(null, { status, statusText, headers });
    const body = isUsual(text) ? text : JSON.stringify({ error: { message: text } });
    headers.set("content-type", "application/json");
    headers.delete("content-length");
    headers.delete("content-encoding");
    return new Response(body, { status, statusText, headers });
  };
}

function isUsual(text: string): boolean {
  try {
    return usualSchema.safeParse(JSON.parse(text)).success;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
