import type { ModelFacts, Price } from "../provider.ts";

/** What is assumed of a model that is not listed: a small one, whose cost is unknown rather than 0. */
export const UNKNOWN_MODEL: ModelFacts = { contextWindow: 128_000, maxOutputTokens: 8_000, price: null };

type Rates = readonly [input: number, output: number, cacheRead: number, cacheWrite: number];

function facts(contextWindow: number, maxOutputTokens: number, rates: Rates | null): ModelFacts {
  return { contextWindow, maxOutputTokens, price: rates === null ? null : priceOf(rates) };
}

function priceOf([input, output, cacheRead, cacheWrite]: Rates): Price {
  return { input, output, cacheRead, cacheWrite };
}

/**
 * US dollars per million tokens, standard rates, 5-minute cache writes, as the vendors list them in
 * October 2026. Null where no dependable figure is at hand.
 * Where a vendor charges more for long prompts (GPT above 272,000 tokens, Haiku 5.5 above 100,000), the
 * window given here ends at that line, so that the one price is always right; settings may widen it.
 * Claude models whose window no source states have 200,000, as every one since Claude 3 has at least.
 */
export const MODELS: Readonly<Record<string, ModelFacts>> = {
  "anthropic/claude-opus-5-5": facts(200_000, 64_000, [4, 20, 0.2, 5]),
  "anthropic/claude-sonnet-5-5": facts(200_000, 64_000, [2, 10, 0.2, 2.5]),
  "anthropic/claude-haiku-5-5": facts(100_000, 64_000, [0.1, 0.5, 0.01, 0.125]),
  "anthropic/claude-opus-5": facts(200_000, 64_000, [5, 25, 0.5, 6.25]),
  "anthropic/claude-sonnet-5": facts(200_000, 64_000, [2, 10, 0.2, 2.5]),
  "anthropic/claude-opus-4-8": facts(1_000_000, 64_000, [5, 25, 0.5, 6.25]),
  "anthropic/claude-opus-4-7": facts(200_000, 64_000, [5, 25, 0.5, 6.25]),
  "anthropic/claude-opus-4-6": facts(1_000_000, 128_000, [5, 25, 0.5, 6.25]),
  "anthropic/claude-opus-4-5": facts(200_000, 64_000, [5, 25, 0.5, 6.25]),
  "anthropic/claude-sonnet-4-6": facts(1_000_000, 64_000, [3, 15, 0.3, 3.75]),
  "anthropic/claude-sonnet-4-5": facts(200_000, 64_000, [3, 15, 0.3, 3.75]),
  "anthropic/claude-haiku-4-5": facts(200_000, 64_000, [1, 5, 0.1, 1.25]),
  "openai/gpt-6-astra": facts(272_000, 128_000, [10, 50, 1, 12.5]),
  "openai/gpt-6.1-sol": facts(272_000, 128_000, [2, 10, 0.1, 2.5]),
  "openai/gpt-6-sol": facts(272_000, 128_000, [2, 10, 0.2, 2.5]),
  "openai/gpt-6-luna": facts(272_000, 128_000, [0.1, 0.5, 0.01, 0.125]),
  "openai/gpt-6.1-terra": facts(272_000, 128_000, null),
  "openai/gpt-5.6-sol": facts(272_000, 128_000, null), // a promotional price of uncertain end
  "openai/gpt-5.6-terra": facts(272_000, 128_000, [2, 12, 0.2, 2.5]),
  "openai/gpt-5.6-luna": facts(272_000, 128_000, [0.2, 1.2, 0.02, 0.25]),
  "openai/gpt-5.5": facts(272_000, 128_000, null),
  // The regular price; half of it is charged until the end of 2026, so costs read high rather than low.
  "google/gemini-3.8-flash": facts(1_048_576, 65_536, [1.5, 7.5, 0.15, 1.5]),
  "deepseek/deepseek-v4-pro": facts(1_000_000, 384_000, null), // priced by time of day
  // Named so that people can choose them. Prices on Bedrock differ by region, Copilot's are a subscription's.
  "bedrock/global.anthropic.claude-opus-5-5": facts(200_000, 64_000, null),
  "bedrock/global.anthropic.claude-sonnet-5-5": facts(200_000, 64_000, null),
  "copilot/claude-sonnet-5.5": UNKNOWN_MODEL,
  "copilot/gpt-5.6-terra": UNKNOWN_MODEL,
  "demo/scripted": facts(200_000, 8_000, [0, 0, 0, 0]),
};

/** Codex is OpenAI's API under another name. */
const SAME_MODELS: Readonly<Record<string, string>> = { codex: "openai" };
/** `-20251001` (Anthropic) or `-2026-09-29` (OpenAI): a snapshot costs what its model costs. */
const SNAPSHOT = /-\d{4}-?\d{2}-?\d{2}$/;
/** `us.anthropic.claude-haiku-4-5-20251001-v1:0`: where it runs, the vendor's name, the version at Bedrock. */
const CLAUDE_ON_BEDROCK = /(?:^|\.)anthropic\.(claude-.+?)(?:-v\d+(?::\d+)?)?$/;

/** What the operator says of a model; what is left out stays as catalogued. */
export interface ModelOverride {
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  /** Cache prices that are not given are the input price. */
  readonly price?: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead?: number;
    readonly cacheWrite?: number;
  };
}

export function modelFacts(provider: string, model: string, override: ModelOverride = {}): ModelFacts {
  const known = catalogued(provider, model);
  const { price, ...limits } = override;
  if (price === undefined) return { ...known, ...limits };
  const rates: Rates = [price.input, price.output, price.cacheRead ?? price.input, price.cacheWrite ?? price.input];
  return { ...known, ...limits, price: priceOf(rates) };
}

function catalogued(provider: string, model: string): ModelFacts {
  const claude = provider === "bedrock" ? CLAUDE_ON_BEDROCK.exec(model)?.[1] : undefined;
  if (claude !== undefined) return { ...catalogued("anthropic", claude), price: null };
  const family = `${SAME_MODELS[provider] ?? provider}/${model}`;
  return MODELS[family] ?? MODELS[family.replace(SNAPSHOT, "")] ?? UNKNOWN_MODEL;
}
