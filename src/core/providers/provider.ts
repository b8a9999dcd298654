import type { EffortLevel } from "../agents/query-config.ts";
import type { AppError } from "../protocol/errors.ts";
import type { Status } from "../protocol/events.ts";
import type { ContentBlock, Message } from "../protocol/messages.ts";
import type { Usage } from "../protocol/usage.ts";

/** A tool as the model sees it. `inputSchema` is a JSON Schema of an object. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** One part of the system prompt; a part with `cacheBreakpoint` ends a prefix that the provider should cache. */
export interface SystemPart {
  readonly text: string;
  readonly cacheBreakpoint: boolean;
}

export interface ModelRequest {
  /** The provider's own name of the model, without the provider's prefix. */
  readonly model: string;
  readonly system: readonly SystemPart[];
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  readonly maxTokens: number;
  readonly temperature?: number;
  /** Tokens the model may think; absent: the provider's default. */
  readonly thinkingBudget?: number;
  readonly effortLevel?: EffortLevel;
  /** Stable per channel: routes requests with equal prefixes to the same cache. */
  readonly cacheKey?: string;
}

export type StopReason = "end_turn" | "tool_use" | "max_tokens" | "refusal";

export interface ModelResponse {
  readonly content: readonly ContentBlock[];
  readonly stopReason: StopReason;
  readonly usage: Usage;
  /** The model as the provider names it in its answer. */
  readonly model: string;
}

/** A streamed call ends with exactly one `end`; a stream without it is an `incomplete_stream` error. */
export type StreamEvent =
  /** The request goes out, for an answer of so many tokens: the provider may charge it. Again each time it is sent anew. */
  | { readonly type: "sent"; readonly maxTokens: number }
  /** The provider has refused the request, so it charges nothing; it will be sent anew. */
  | { readonly type: "refused" }
  /** What the provider has counted so far, in all; not every one says it before the end. */
  | { readonly type: "usage"; readonly usage: Usage }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string }
  /** A piece of the newest tool call's arguments, as JSON text. */
  | { readonly type: "tool_input"; readonly json: string }
  /** What people should know of the call, in words: that it waits its turn, that a limit is near. */
  | Status
  | { readonly type: "end"; readonly response: ModelResponse };

/** A model in a provider's own list; what the provider does not say is absent. */
export interface ModelInfo {
  readonly id: string;
  /** Tokens. */
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  readonly price?: Price;
}

/** What a list may leave out, or say as null. */
type SaidOfModel = { readonly [Fact in keyof Omit<ModelInfo, "id">]: ModelInfo[Fact] | null | undefined };

export function modelInfo(id: string, { contextWindow, maxOutputTokens, price }: SaidOfModel): ModelInfo {
  return {
    id,
    ...(contextWindow == null ? {} : { contextWindow }),
    ...(maxOutputTokens == null ? {} : { maxOutputTokens }),
    ...(price == null ? {} : { price }),
  };
}

/**
 * A model provider. Calls are tried once: retrying is the caller's (see retry.ts). Every failure, and a response that
 * says nothing, is a ProviderError with a code; an abort rejects with the signal's reason.
 */
export interface LlmProvider {
  readonly id: string;
  /** As people read it: “Anthropic”. */
  readonly name: string;
  createMessage(request: ModelRequest, signal: AbortSignal): Promise<ModelResponse>;
  createMessageStream(request: ModelRequest, signal: AbortSignal): AsyncIterable<StreamEvent>;
  listModels(signal: AbortSignal): Promise<readonly ModelInfo[]>;
}

/** US dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** What is known of a model. `price` is null when unknown: a cost is then null, never 0. */
export interface ModelFacts {
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  readonly price: Price | null;
  /** Nobody says how much it reads and writes: the figures are a small model's. */
  readonly isAssumed?: boolean;
  /** False: it refuses a sampling temperature. Absent: it takes one, or nobody knows. */
  readonly takesTemperature?: boolean;
}

/** Where the loop gets a model from: the provider, its own name of the model, and what is known of it. */
export interface ResolvedModel {
  readonly provider: LlmProvider;
  readonly model: string;
  readonly facts: ModelFacts;
}

export interface ProviderRegistry {
  /** `provider/model`. Rejects with ProviderError `unknown_provider` or `auth` (no key), naming what to set. */
  resolve(ref: string): Promise<ResolvedModel>;
  /** Ids of providers that could be used now (key present or none needed). */
  available(): readonly string[];
}

/** A registry that also asks providers which models they have. */
export interface ListingRegistry extends ProviderRegistry {
  /** A provider's own list; the provider is asked at most once an hour, and not for long. */
  list(provider: string): Promise<ModelList>;
}

export type ModelList =
  | { readonly type: "listed"; readonly models: readonly ModelInfo[] }
  | { readonly type: "failed"; readonly error: AppError };

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

/** US dollars, or null when the price is unknown. */
export function costOf(usage: Usage, price: Price | null): number | null {
  if (price === null) return null;
  const micro =
    usage.inputTokens * price.input +
    usage.outputTokens * price.output +
    usage.cacheReadTokens * price.cacheRead +
    usage.cacheWriteTokens * price.cacheWrite;
  return micro / 1_000_000;
}
