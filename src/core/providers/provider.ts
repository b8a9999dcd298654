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

/** A part of the system prompt. A part with `cacheBreakpoint` ends a prefix that the provider should cache. */
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
  /** Maximum tokens for thinking; the provider's default if absent. */
  readonly thinkingBudget?: number;
  readonly effortLevel?: EffortLevel;
  /** Stable per channel, so that requests with equal prefixes are routed to the same prompt cache. */
  readonly cacheKey?: string;
}

export type StopReason = "end_turn" | "tool_use" | "max_tokens" | "refusal";

export interface ModelResponse {
  readonly content: readonly ContentBlock[];
  readonly stopReason: StopReason;
  readonly usage: Usage;
  /** The model's name in the provider's answer. */
  readonly model: string;
}

/** A streamed call ends with exactly one `end`; a stream without it is an `incomplete_stream` error. */
export type StreamEvent =
  /**
   * The request is sent, for an answer of at most `maxTokens`, and may be charged. Repeated whenever it is sent again.
   */
  | { readonly type: "sent"; readonly maxTokens: number }
  /** The provider refused the request and charges nothing; it will be sent again. */
  | { readonly type: "refused" }
  /** The cumulative usage so far, which not every provider reports before the end. */
  | { readonly type: "usage"; readonly usage: Usage }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string }
  /** A piece of the newest tool call's arguments, as JSON text. */
  | { readonly type: "tool_input"; readonly json: string }
  /** A status for people, for example that the call waits for its turn, or that a limit is near. */
  | Status
  | { readonly type: "end"; readonly response: ModelResponse };

/** A model in a provider's own list. Facts that the provider does not state are absent. */
export interface ModelInfo {
  readonly id: string;
  /** In tokens. */
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  readonly price?: Price;
}

/** Facts that a list may omit or give as null. */
type RawModelInfo = { readonly [Fact in keyof Omit<ModelInfo, "id">]: ModelInfo[Fact] | null | undefined };

export function modelInfo(id: string, { contextWindow, maxOutputTokens, price }: RawModelInfo): ModelInfo {
  return {
    id,
    ...(contextWindow == null ? {} : { contextWindow }),
    ...(maxOutputTokens == null ? {} : { maxOutputTokens }),
    ...(price == null ? {} : { price }),
  };
}

/**
 * A model provider. Each call is tried once; retries are up to the caller (see retry.ts). Every failure, and an empty
 * response, is a ProviderError with a code; an abort rejects with the signal's reason.
 */
export interface LlmProvider {
  readonly id: string;
  /** Name for people, such as “Anthropic”. */
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

/** Facts about a model. If `price` is null, it is unknown, and so is every cost, rather than 0. */
export interface ModelFacts {
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  readonly price: Price | null;
  /** Whether the limits are unknown; the figures are then those of a small model. */
  readonly isAssumed?: boolean;
  /** False if the model rejects a sampling temperature. Absent if it accepts one, or that is unknown. */
  readonly takesTemperature?: boolean;
}

/** A model for the loop: the provider, its own name of the model, and the known facts. */
export interface ResolvedModel {
  readonly provider: LlmProvider;
  readonly model: string;
  readonly facts: ModelFacts;
}

export interface ProviderRegistry {
  /** Resolves `provider/model`. ProviderError `unknown_provider` or `auth` (no key), naming what to set. */
  resolve(ref: string): Promise<ResolvedModel>;
  /** Ids of usable providers, which have a key or need none. */
  available(): readonly string[];
}

/** A registry that also asks providers for their models. */
export interface ListingRegistry extends ProviderRegistry {
  /** A provider's own list. The provider is asked at most once an hour, with a short time limit. */
  list(provider: string): Promise<ModelList>;
}

export type ModelList =
  | { readonly type: "listed"; readonly models: readonly ModelInfo[] }
  | { readonly type: "failed"; readonly error: AppError };

/** The result of a request for vectors. */
export interface Embedded {
  /** A vector of length 1 for each text, in order. */
  readonly vectors: readonly Float32Array[];
  /** Tokens of all texts, as counted by the provider; null if it does not say. */
  readonly tokens: number | null;
}

/** Turns texts into vectors; texts of similar meaning have close vectors. */
export interface Embedder {
  /** `provider/model` */
  readonly ref: string;
  /** Null if unknown. */
  readonly price: Price | null;
  /** Tried once. Throws ProviderError, or the signal's reason. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Embedded>;
}

/** In US dollars; null if the price is unknown. */
export function costOf(usage: Usage, price: Price | null): number | null {
  if (price === null) return null;
  const micro =
    usage.inputTokens * price.input +
    usage.outputTokens * price.output +
    usage.cacheReadTokens * price.cacheRead +
    usage.cacheWriteTokens * price.cacheWrite;
  return micro / 1_000_000;
}
