import type { Price } from "../provider.ts";

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
