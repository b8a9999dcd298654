import { copilotRequestHeaders } from "./copilot-headers.ts";
import { PLAIN, type Quirks, type WireName } from "./quirks.ts";

/** A provider as shipped: everything but its key. */
export interface CatalogEntry {
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  /** The API of its models; bedrock and copilot choose it by model. */
  readonly wire: WireName | "bedrock" | "copilot";
  /** Null if there is no common root, so the operator has to set one. `{region}` stands for the operator's region. */
  readonly baseUrl: string | null;
  /** The variable with the key; null if no key exists. */
  readonly keyVariable: string | null;
  readonly keyRequired: boolean;
  /** The variable with the region, if the root depends on one. */
  readonly regionVariable: string | null;
  readonly quirks: Quirks;
  /** The model used if only this provider's key is configured; null if no lasting id is known. */
  readonly defaultModel: string | null;
}

type Deviations = Partial<Omit<CatalogEntry, "id" | "quirks">> & { readonly quirks?: Partial<Quirks> };

function entry(id: string, name: string, { quirks, ...rest }: Deviations): CatalogEntry {
  return {
    id,
    name,
    wire: "chat",
    baseUrl: null,
    keyVariable: `${id.toUpperCase()}_API_KEY`,
    keyRequired: rest.keyVariable !== null,
    regionVariable: null,
    defaultModel: null,
    ...rest,
    quirks: { ...PLAIN, ...quirks },
  };
}

const OPENAI_QUIRKS: Partial<Quirks> = { cacheKey: true, files: true, toolIds: "word40" };
const ANTHROPIC_QUIRKS: Partial<Quirks> = { toolIds: "word40" };

/** In order of preference for the default model. Source of roots and key names: each vendor's documentation. */
export const CATALOG: readonly CatalogEntry[] = [
  entry("anthropic", "Anthropic", {
    wire: "anthropic",
    baseUrl: "https://api.anthropic.com",
    defaultModel: "claude-sonnet-5-5",
    // The SDK's API version (2026-10-21) rejects sampling parameters with 400.
    quirks: { ...ANTHROPIC_QUIRKS, samplingVersion: "2023-06-01" },
  }),
  entry("openai", "OpenAI", {
    wire: "responses",
    baseUrl: "https://api.openai.com/v1",
    defaultModel: "gpt-6.1-sol",
    quirks: OPENAI_QUIRKS,
  }),
  entry("google", "Google Gemini", {
    baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
    keyVariable: "GEMINI_API_KEY",
    defaultModel: "gemini-3.8-flash",
    quirks: { signedCalls: true, thinking: "reasoning_effort" },
  }),
  entry("azure", "Azure OpenAI", {
    wire: "responses",
    keyVariable: "AZURE_OPENAI_API_KEY",
    quirks: { ...OPENAI_QUIRKS, auth: "api-key" },
  }),
  entry("bedrock", "Amazon Bedrock", {
    wire: "bedrock",
    baseUrl: "https://bedrock-runtime.{region}.amazonaws.com",
    keyVariable: "AWS_BEARER_TOKEN_BEDROCK",
    regionVariable: "AWS_REGION",
    // No default model: its name determines where in the world it may run, which the operator has to decide.
    quirks: { ...ANTHROPIC_QUIRKS, anthropicVersion: "2023-06-01" },
  }),
  entry("deepseek", "DeepSeek", {
    baseUrl: "https://api.deepseek.com",
    defaultModel: "deepseek-v4-pro",
    quirks: { replayReasoning: "reasoning_content", quotaCodes: ["402"] },
  }),
  entry("mistral", "Mistral", {
    baseUrl: "https://api.mistral.ai/v1",
    defaultModel: "mistral-large-latest",
    quirks: { toolIds: "alnum9", fillerAfterTool: true, streamUsage: false },
  }),
  entry("xai", "xAI", { baseUrl: "https://api.x.ai/v1", quirks: { thinking: "reasoning_effort" } }),
  entry("openrouter", "OpenRouter", {
    baseUrl: "https://openrouter.ai/api/v1",
    defaultModel: "anthropic/claude-sonnet-5.5",
    quirks: { thinking: "openrouter", files: true },
  }),
  entry("groq", "Groq", {
    baseUrl: "https://api.groq.com/openai/v1",
    quirks: { maxTokensField: "max_completion_tokens", thinking: "reasoning_effort" },
  }),
  entry("together", "Together AI", { baseUrl: "https://api.together.ai/v1" }),
  entry("fireworks", "Fireworks AI", {
    baseUrl: "https://api.fireworks.ai/inference/v1",
    // Only an effort, since the provider rejects one together with a thinking budget.
    quirks: { thinking: "reasoning_effort" },
  }),
  entry("copilot", "GitHub Copilot", {
    wire: "copilot",
    baseUrl: "https://api.githubcopilot.com",
    keyVariable: "COPILOT_GITHUB_TOKEN",
    // No default model: the interface is unofficial, so it is used only if configured explicitly.
    quirks: {
      ...ANTHROPIC_QUIRKS,
      anthropicVersion: "2023-06-01",
      replayReasoning: "reasoning_opaque",
      overflowPatterns: [/model_max_prompt_tokens_exceeded|prompt token count of \d+ exceeds/i],
      requestHeaders: copilotRequestHeaders,
    },
  }),
  entry("codex", "OpenAI Codex", {
    wire: "responses",
    baseUrl: "https://api.openai.com/v1",
    keyVariable: "OPENAI_API_KEY",
    quirks: OPENAI_QUIRKS,
  }),
  entry("cohere", "Cohere", {
    baseUrl: "https://api.cohere.ai/compatibility/v1",
    quirks: { streamUsage: false },
  }),
  entry("perplexity", "Perplexity", { wire: "responses", baseUrl: "https://api.perplexity.ai/v1" }),
  entry("minimax", "MiniMax", {
    wire: "anthropic",
    baseUrl: "https://api.minimax.io/anthropic",
    quirks: { ...ANTHROPIC_QUIRKS, anthropicVersion: "2023-06-01" },
  }),
  entry("qwen", "Qwen", {
    baseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    keyVariable: "DASHSCOPE_API_KEY",
    quirks: { thinking: "enable_thinking" },
  }),
  entry("zhipu", "Zhipu", {
    baseUrl: "https://open.bigmodel.cn/api/paas/v4",
    quirks: {
      thinking: "thinking_type",
      extraBody: { tool_stream: true },
      // Zhipu's messages are in Chinese, so its codes are matched.
      quotaCodes: ["1113", "1308", "1310"],
      overflowPatterns: [/^1261\b/],
    },
  }),
  entry("moonshot", "Moonshot", {
    baseUrl: "https://api.moonshot.ai/v1",
    // An empty text counts as missing.
    quirks: { replayReasoning: "reasoning_content_of_calls", noReasoning: " " },
  }),
  entry("siliconflow", "SiliconFlow", {
    baseUrl: "https://api.siliconflow.com/v1",
    quirks: { thinking: "enable_thinking" },
  }),
  entry("venus", "Venus", {}),
  entry("venice", "Venice", { baseUrl: "https://api.venice.ai/api/v1" }),
  entry("nebius", "Nebius", { baseUrl: "https://api.tokenfactory.nebius.com/v1" }),
  entry("novita", "Novita", { baseUrl: "https://api.novita.ai/openai", quirks: { thinking: "enable_thinking" } }),
  entry("ovhcloud", "OVHcloud", { baseUrl: "https://oai.endpoints.kepler.ai.cloud.ovh.net/v1", keyRequired: false }),
  entry("cerebras", "Cerebras", {
    baseUrl: "https://api.cerebras.ai/v1",
    quirks: { maxTokensField: "max_completion_tokens", silentOverflow: true },
  }),
  entry("ollama", "Ollama", {
    baseUrl: "http://127.0.0.1:11434/v1",
    keyVariable: null,
    // The list of running models contains the context size with which each was loaded.
    quirks: { slowStart: true, modelLists: ["models", "../api/ps"] },
  }),
  entry("lmstudio", "LM Studio", {
    baseUrl: "http://127.0.0.1:1234/v1",
    keyVariable: null,
    quirks: { slowStart: true, modelLists: ["models", "../api/v0/models"] },
  }),
  entry("vllm", "vLLM", { baseUrl: "http://127.0.0.1:8000/v1", keyRequired: false, quirks: { slowStart: true } }),
];

/** A provider defined by the operator. */
export function ownEntry(id: string, wire: WireName): CatalogEntry {
  return entry(id, id, { wire, keyVariable: null, quirks: wire === "anthropic" ? ANTHROPIC_QUIRKS : {} });
}

/** The variables with a provider's key, root and region. */
export interface ProviderEnvironment extends Pick<CatalogEntry, "id" | "keyVariable" | "regionVariable"> {
  readonly baseUrlVariable: string;
}

export const PROVIDER_ENVIRONMENT: readonly ProviderEnvironment[] = CATALOG.map(
  ({ id, keyVariable, regionVariable }) => ({ id, keyVariable, baseUrlVariable: baseUrlVariable(id), regionVariable }),
);

export function baseUrlVariable(id: string): string {
  return `${id.toUpperCase().replaceAll("-", "_")}_BASE_URL`;
}

/** A region's name as part of a host name: `eu-central-1`, `us-gov-west-1`. */
export const REGION = /^[a-z]{2,4}(-[a-z]+){1,3}-\d{1,2}$/;

export const DEMO_PROVIDER = "demo";
export const DEMO_MODEL = "demo/scripted";

/** The default model: that of the first provider with a key, or else the scripted demo. */
export function defaultModelFor(availableProviderIds: readonly string[]): string {
  const chosen = CATALOG.find(({ id, defaultModel }) => defaultModel !== null && availableProviderIds.includes(id));
  return chosen === undefined ? DEMO_MODEL : `${chosen.id}/${chosen.defaultModel}`;
}
