import { dollars, figure } from "../../text/dollars.ts";
import type { ModelFacts, Price, ResolvedModel } from "../provider.ts";
import { knownModel, knownProvider } from "./models.ts";

/** Summarises a model for a list: `1,000,000 tokens · $2.00 in, $10.00 out`. */
export function modelWords({ contextWindow, price, isAssumed }: ModelFacts): string {
  const window = isAssumed === true ? "window unknown" : `${figure(contextWindow)} tokens`;
  return `${window} · ${priceWords(price)}`;
}

/** The same as a sentence, with its source: `It reads 1,000,000 tokens and writes 128,000; per million tokens: …`. */
export function modelSentence({ provider: { id }, model, facts }: ResolvedModel): string {
  const { contextWindow, maxOutputTokens, price, isAssumed } = facts;
  const known = knownModel(id, model);
  const limits =
    isAssumed === true
      ? `How much it reads and writes is unknown; I assume ${figure(contextWindow)} tokens and ${figure(maxOutputTokens)}`
      : `It reads ${figure(contextWindow)} tokens${priceLimitNote(contextWindow, known?.window)} and writes ${figure(maxOutputTokens)}`;
  const { asOf } = knownProvider(id) ?? {};
  const since = known === null || asOf === undefined ? "" : ` (as of ${asOf})`;
  const note = known?.note === undefined ? "" : `: ${known.note}`;
  const cost =
    price === null || price.input + price.output === 0 ? priceWords(price) : `${priceWords(price)} per million`;
  return `${limits}; ${cost}${since}${note}.`;
}

function priceLimitNote(window: number, whole = window): string {
  return window < whole ? ` (of ${figure(whole)}; longer prompts cost more)` : "";
}

function priceWords(price: Price | null): string {
  if (price === null) return "price unknown";
  if (price.input === 0 && price.output === 0) return "costs nothing";
  return `${dollars(price.input)} in, ${dollars(price.output)} out`;
}
