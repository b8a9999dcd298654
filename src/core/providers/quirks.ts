import type { ModelRequest } from "./provider.ts";
import type { ToolIdFormat } from "./tool-input.ts";

/** Which API a provider speaks: Anthropic Messages, OpenAI Responses or OpenAI Chat Completions. */
export type WireName = "anthropic" | "responses" | "chat";

/** How a provider deviates from the plain form of its wire. */
export interface Quirks {
  /** Chat: the name of the output limit. */
  readonly maxTokensField: "max_completion_tokens" | "max_tokens";
  /** Chat: asks for usage in the stream; some refuse the option, or send usage anyway. */
  readonly streamUsage: boolean;
  /** Chat: the system prompt's role is `developer`. */
  readonly developerRole: boolean;
  /** Chat: how past reasoning goes back beside details of it: not at all, as text, as text beside tool calls, or with its seal. */
  readonly replayReasoning: "none" | "reasoning_content" | "reasoning_content_of_calls" | "reasoning_opaque";
  /** Chat: what stands where there was no reasoning, and `reasoning_content` is wanted. */
  readonly noReasoning: string;
  /** Chat: the first call of a turn must have Google's thought signature, or say that it has none. */
  readonly signedCalls: boolean;
  /** Chat: how thinking is switched on. */
  readonly thinking: "none" | "reasoning_effort" | "enable_thinking" | "thinking_type" | "openrouter";
  /** Chat: a user message may not directly follow a tool's result. */
  readonly fillerAfterTool: boolean;
  /** Chat: PDFs are accepted as `file` parts. */
  readonly files: boolean;
  /** The provider takes `prompt_cache_key`. */
  readonly cacheKey: boolean;
  readonly toolIds: ToolIdFormat;
  /** Anthropic wire: the version that takes sampling parameters, where the usual one refuses them. */
  readonly samplingVersion: string | null;
  readonly auth: "bearer" | "x-api-key" | "api-key";
  /** Anthropic wire: another version than the SDK's own. */
  readonly anthropicVersion: string | null;
  /** Headers that depend on what a request carries. */
  readonly requestHeaders: (request: ModelRequest) => Readonly<Record<string, string>>;
  /** Fields that are sent with every request. */
  readonly extraBody: Readonly<Record<string, unknown>>;
  /** Messages with which only this provider says that a request is too long. */
  readonly overflowPatterns: readonly RegExp[];
  /** 400 without a body means that the request is too long. */
  readonly silentOverflow: boolean;
  /** Codes in error bodies that mean an exhausted account. */
  readonly quotaCodes: readonly string[];
  /** Loads a model or reads a long prompt for minutes before its first byte. */
  readonly slowStart: boolean;
  /** Chat and Responses: where models are listed, from the root; what the later ones say is added to the first. */
  readonly modelLists: readonly string[];
}

export const PLAIN: Quirks = {
  maxTokensField: "max_tokens",
  streamUsage: true,
  developerRole: false,
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
