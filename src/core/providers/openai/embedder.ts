import type { Runtime } from "../../protocol/runtime.ts";
import type { Price } from "../provider.ts";
import type { ProviderSettings } from "../registry.ts";

/** What a request for vectors gives. */
export interface Embedded {
  /** A vector of length 1 for each text, in their order. */
  readonly vectors: readonly Float32Array[];
  /** Tokens of all texts, as the provider counts them; null where it does not say. */
  readonly tokens: number | null;
}

/** Turns texts into vectors: those of texts that mean much the same are near each other. */
export interface Embedder {
  /** `provider/model` */
  readonly ref: string;
  /** Null when unknown. */
  readonly price: Price | null;
  /** Tried once; throws ProviderError, or the signal's reason. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Embedded>;
}

/** Makes the embedder of a model, `provider/model`. Rejects with ProviderError where the provider lacks a key or a root. */
export type CreateEmbedder = (ref: string) => Promise<Embedder>;

/** Loaded with the first one: most programs need none. */
export function embeddersOf(
  settings: Readonly<Record<string, ProviderSettings>>,
  runtime: Pick<Runtime, "clock" | "ids">,
): CreateEmbedder {
  return async (ref) => (await import("./embeddings.ts")).createEmbedder(ref, settings, runtime);
}

/** Providers of the catalogue that offer no vectors under OpenAI's path. Source: each vendor's documentation. */
const WITHOUT = new Set(
  "anthropic bedrock cerebras copilot deepseek demo groq minimax moonshot perplexity xai".split(" "),
);

export function hasEmbeddings(provider: string): boolean {
  return !WITHOUT.has(provider);
}
