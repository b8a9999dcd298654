import type { WireName } from "../quirks.ts";
import { createWireLoader, type ProviderConnection, type Wires } from "./wires.ts";

/** Path of each API beneath the root. Source: AWS docs, Endpoints supported by Amazon Bedrock. */
const PATHS: Readonly<Record<WireName, string>> = {
  anthropic: "/anthropic",
  responses: "/openai/v1",
  chat: "/openai/v1",
};

/** Bedrock serves some vendors' models over that vendor's API, and all others over Chat Completions. */
export function bedrockWires(reach: ProviderConnection): Wires {
  const load = createWireLoader(reach);
  const at = (name: WireName) => load(name, `${reach.endpoint.baseUrl}${PATHS[name]}`);
  return {
    of: (model) => at(reach.own?.wire ?? bedrockWireOf(model)),
    listModels: async (signal) => (await at("chat")).listModels(signal),
  };
}

/** A name is `[<region>.]<vendor>.<model>`. GPT supports only Responses; gpt-oss is an open model like others. */
function bedrockWireOf(model: string): WireName {
  if (/(?:^|\.)anthropic\./.test(model)) return "anthropic";
  return /(?:^|\.)openai\.gpt-\d/.test(model) ? "responses" : "chat";
}
