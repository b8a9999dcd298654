import type { ModelRequest } from "./provider.ts";
import type { ToolIdFormat } from "./tool-input.ts";

/** The API that a provider speaks: Anthropic Messages, OpenAI Responses or OpenAI Chat Completions. */
export type WireName = "anthropic" | "responses" | "chat";

/** How a provider deviates from the plain form of its wire. */
export interface Quirks {
  /** Chat: name of the field for the output limit. */
  readonly maxTokensField: "max_completion_tokens" | "max_tokens";
  /** Chat: whether to request usage in the stream. Some reject the option, or send usage anyway. */
  readonly streamUsage: boolean;
  /** Chat: how past reasoning is sent back besides details: not at all, as text, as text with tool calls, or sealed. */
  readonly replayReasoning: "none" | "reasoning_content" | "reasoning_content_of_calls" | "reasoning_opaque";
  /** Chat: the value of a required `reasoning_content` if there was no reasoning. */
  readonly noReasoning: string;
  /** Chat: whether the first call of a turn needs Google's thought signature, or a marker that it has none. */
  readonly signedCalls: boolean;
  /** Chat: how thinking is enabled. */
  readonly thinking: "none" | "reasoning_effort" | "enable_thinking" | "thinking_type" | "openrouter";
  /** Chat: whether a user message may not directly follow a tool's result. */
  readonly fillerAfterTool: boolean;
  /** Chat: whether PDFs are accepted as `file` parts. */
  readonly files: boolean;
  /** Whether the provider accepts `prompt_cache_key`. */
  readonly cacheKey: boolean;
  readonly toolIds: ToolIdFormat;
  /** Anthropic wire: the version that accepts sampling parameters, if the usual one rejects them. */
  readonly samplingVersion: string | null;
  readonly auth: "bearer" | "api-key";
  /** Anthropic wire: another version than the SDK's own. */
  readonly anthropicVersion: string | null;
  /** Headers that depend on the content of a request. */
  readonly requestHeaders: (request: ModelRequest) => Readonly<Record<string, string>>;
  /** Fields sent with every request. */
  readonly extraBody: Readonly<Record<string, unknown>>;
  /** Messages of this provider alone that mean that a request is too long. */
  readonly overflowPatterns: readonly RegExp[];
  /** Whether a 400 without a body means that the request is too long. */
  readonly silentOverflow: boolean;
  /** Codes in error bodies that mean an exhausted account. */
  readonly quotaCodes: readonly string[];
  /** Whether it may load a model or read a long prompt for minutes before its first byte. */
  readonly slowStart: boolean;
  /** Chat and Responses: paths of the model lists, relative to the root. Later lists add to the first. */
  readonly modelLists: readonly string[];
}

export const PLAIN: Quirks = {
  maxTokensField: "max_tokens",
  streamUsage: true,
  replayReasoning: "none",
  noReasoning: "",
  signedCalls: false,
  thinking: "none",
  fillerAfterTool: false,
  files: false,
  cacheKey: false,
  toolIds: "any",
  samplingVersion: null,
  auth: "bearer",
  anthropicVersion: null,
  requestHeaders: () => ({}),
  extraBody: {},
  overflowPatterns: [],
  silentOverflow: false,
  quotaCodes: [],
  slowStart: false,
  modelLists: ["models"],
};
