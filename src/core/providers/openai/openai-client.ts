import type OpenAI from "openai";
import { listedModels, mergedLists } from "../models/listed-models.ts";
import type { ModelInfo } from "../provider.ts";
import { authHeaders, type Endpoint, QUIET_CLIENT, type WireOptions } from "../wire.ts";

/** The OpenAI SDK, loaded on first use and isolated from the process's environment. */
export async function createOpenAiClient({ endpoint, fetch }: WireOptions): Promise<OpenAI> {
  const sdk = await import("openai");
  return new sdk.OpenAI({
    ...QUIET_CLIENT,
    baseURL: endpoint.baseUrl,
    // The SDK requires a key; authHeaders keeps the placeholder from being sent.
    apiKey: endpoint.apiKey ?? "none",
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    fetch,
    defaultHeaders: authHeaders(endpoint),
  });
}

/** Reads the provider's lists of models. All but the first may be missing. */
export async function listModels(client: OpenAI, endpoint: Endpoint, signal: AbortSignal): Promise<ModelInfo[]> {
  const [first = "models", ...others] = endpoint.quirks.modelLists;
  const ask = async (path: string) =>
    listedModels(await client.get<unknown>(new URL(path, `${endpoint.baseUrl}/`).href, { signal }));
  const beside = others.map((path) => ask(path).catch((): ModelInfo[] => []));
  return mergedLists([await ask(first), ...(await Promise.all(beside))]);
}

/** Joins the system prompt with blank lines, because these APIs take it as one text. */
export function joinedSystem(parts: readonly { readonly text: string }[]): string {
  return parts
    .map((part) => part.text)
    .filter((text) => text.trim() !== "")
    .join("\n\n");
}

/** Marks the text of a failed call as an error, because these APIs have no field for it. */
export function failedText(text: string, isError: boolean): string {
  return isError && !/^error/i.test(text) ? `Error: ${text}` : text;
}
