import type OpenAI from "openai";
import { authHeaders, QUIET_CLIENT, type WireOptions } from "../wire.ts";

/** The OpenAI SDK, loaded on first use; nothing of the process's environment reaches it. */
export async function createOpenAiClient({ endpoint, fetch }: WireOptions): Promise<OpenAI> {
  const sdk = await import("openai");
  return new sdk.OpenAI({
    ...QUIET_CLIENT,
    baseURL: endpoint.baseUrl,
    // The SDK refuses to start without a key; authHeaders keeps the placeholder from being sent.
    apiKey: endpoint.apiKey ?? "none",
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    fetch,
    defaultHeaders: authHeaders(endpoint),
  });
}

/** Joined with a blank line: these APIs take the system prompt as one text. */
export function joinedSystem(parts: readonly { readonly text: string }[]): string {
  return parts
    .map((part) => part.text)
    .filter((text) => text.trim() !== "")
    .join("\n\n");
}

/** The text of a failed call says so: these APIs have no field for it. */
export function failedText(text: string, isError: boolean): string {
  return isError && !/^error/i.test(text) ? `Error: ${text}` : text;
}
