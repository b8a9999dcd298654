import { z } from "zod";
import { type ModelInfo, modelInfo, type Price } from "../provider.ts";

/** Types or names of models that are not for conversation. */
const NO_CHAT = /embed|rerank|whisper|tts|speech|audio|voice|transcri|dall-e|image|video|sora|moderation|realtime|ocr/i;

const number = z.coerce.number().positive().optional().catch(undefined);
const prices = z.looseObject({
  prompt: number,
  completion: number,
  input: z.unknown().optional(),
  output: z.unknown().optional(),
});
const dollars = z.union([z.number(), z.object({ usd: z.number() }).transform(({ usd }) => usd)]);
const itemSchema = z.looseObject({
  id: z.string().optional().catch(undefined),
  name: z.string().optional().catch(undefined),
  type: z.string().optional().catch(undefined),
  pricing: prices.optional().catch(undefined),
  top_provider: z.looseObject({ max_completion_tokens: number }).optional().catch(undefined),
  model_spec: z
    .looseObject({
      availableContextTokens: number,
      maxCompletionTokens: number,
      pricing: prices.optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
});
type Item = z.infer<typeof itemSchema>;

const listSchema = z.union([
  z.array(z.unknown()),
  z.object({ data: z.array(z.unknown()) }).transform(({ data }) => data),
  z.object({ models: z.array(z.unknown()) }).transform(({ models }) => models),
]);

/**
 * Reads a provider's answer to `GET …/models`: OpenAI's `data`, a bare list (Together AI), or `models` (Ollama, Cohere,
 * Gemini), with context sizes, output limits and prices in each provider's form. Malformed items are dropped.
 */
export function listedModels(answer: unknown): ModelInfo[] {
  const items = listSchema.safeParse(answer).data ?? [];
  return items.flatMap((each) => {
    const item = itemSchema.safeParse(each).data;
    const id = (item?.id ?? item?.name)?.replace(/^models\//, "");
    if (item === undefined || id === undefined || NO_CHAT.test(`${item.type ?? ""} ${id}`)) return [];
    return [infoOf(id, item)];
  });
}

/** Merges lists; facts in later ones are added or win. */
export function mergedLists(lists: readonly (readonly ModelInfo[])[]): ModelInfo[] {
  const byId = new Map<string, ModelInfo>();
  for (const model of lists.flat()) byId.set(model.id, { ...byId.get(model.id), ...model });
  return [...byId.values()];
}

function infoOf(id: string, item: Item): ModelInfo {
  const contextWindow = firstOf(item, WINDOW) ?? item.model_spec?.availableContextTokens;
  const maxOutputTokens =
    firstOf(item, OUTPUT) ?? item.top_provider?.max_completion_tokens ?? item.model_spec?.maxCompletionTokens;
  return modelInfo(id, { contextWindow, maxOutputTokens, price: priceOf(item) });
}

/** Names for the context size. The size with which a model was loaded goes before its maximum (LM Studio). */
const WINDOW = [
  "loaded_context_length",
  "context_length", // OpenRouter, Together AI, Fireworks AI, Moonshot, Cohere, Ollama's running models
  "context_window", // Groq
  "max_model_len", // vLLM
  "max_context_length", // Mistral, LM Studio
  "context_size", // Novita
  "inputTokenLimit", // Gemini
] as const;
const OUTPUT = ["max_output_tokens", "max_completion_tokens", "max_output_length", "outputTokenLimit"] as const;

function firstOf(item: Item, names: readonly string[]): number | undefined {
  for (const name of names) {
    const stated = number.parse(item[name] ?? undefined);
    if (stated !== undefined) return Math.round(stated);
  }
  return undefined;
}

/** OpenRouter gives dollars per token, Together AI and Venice per million, Novita hundredths of a cent per million. */
function priceOf(item: Item): Price | null {
  const pricing = item.pricing ?? item.model_spec?.pricing;
  const { prompt, completion } = pricing ?? {};
  if (prompt !== undefined && completion !== undefined) return flat(prompt * 1_000_000, completion * 1_000_000);
  const [input, output] = [dollars.safeParse(pricing?.input).data, dollars.safeParse(pricing?.output).data];
  if (input !== undefined && output !== undefined && input + output > 0) return flat(input, output);
  const novitaIn = firstOf(item, ["input_token_price_per_m"]);
  const novitaOut = firstOf(item, ["output_token_price_per_m"]);
  return novitaIn === undefined || novitaOut === undefined ? null : flat(novitaIn / 10_000, novitaOut / 10_000);
}

function flat(input: number, output: number): Price {
  return { input, output, cacheRead: input, cacheWrite: input };
}
