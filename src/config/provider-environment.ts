/** Which variables hold a provider's key and base URL. `keyVariable` is null where no key exists. */
export interface ProviderEnvironment {
  readonly id: string;
  readonly keyVariable: string | null;
  readonly baseUrlVariable: string;
}

/** Keys that their vendors name otherwise than `<PROVIDER>_API_KEY`. */
const KEY_VARIABLES: Readonly<Record<string, string | null>> = {
  google: "GEMINI_API_KEY",
  azure: "AZURE_OPENAI_API_KEY",
  bedrock: "AWS_BEARER_TOKEN_BEDROCK",
  copilot: "COPILOT_GITHUB_TOKEN",
  codex: "OPENAI_API_KEY",
  qwen: "DASHSCOPE_API_KEY",
  zhipu: "ZHIPU_API_KEY",
  ollama: null,
  lmstudio: null,
};

const PROVIDERS =
  "anthropic openai google azure bedrock deepseek mistral groq together fireworks copilot codex cohere perplexity minimax qwen zhipu moonshot siliconflow venus venice nebius novita ovhcloud xai openrouter cerebras ollama lmstudio vllm".split(
    " ",
  );

export const PROVIDER_ENVIRONMENT: readonly ProviderEnvironment[] = PROVIDERS.map((id) => {
  const named = KEY_VARIABLES[id];
  return {
    id,
    keyVariable: named === undefined ? `${id.toUpperCase()}_API_KEY` : named,
    baseUrlVariable: `${id.toUpperCase()}_BASE_URL`,
  };
});
