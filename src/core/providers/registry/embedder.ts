import type { Runtime } from "../../protocol/runtime.ts";
import type { Embedder } from "../provider.ts";
import type { ProviderSettings } from "./registry.ts";

/** Creates the embedder of a model, `provider/model`. Throws ProviderError if the provider lacks a key or a root. */
export type CreateEmbedder = (ref: string) => Promise<Embedder>;

/** Loads the implementation on first use, since most programs need none. */
export function embeddersOf(
  settings: Readonly<Record<string, ProviderSettings>>,
  runtime: Pick<Runtime, "clock" | "ids">,
): CreateEmbedder {
  return async (ref) => (await import("./embeddings.ts")).createEmbedder(ref, settings, runtime);
}

/** Providers in the catalog without vectors under OpenAI's path. Source: each vendor's documentation. */
const WITHOUT = new Set(
  "anthropic bedrock cerebras copilot deepseek demo groq minimax moonshot perplexity xai".split(" "),
);

export function hasEmbeddings(provider: string): boolean {
  return !WITHOUT.has(provider);
}
