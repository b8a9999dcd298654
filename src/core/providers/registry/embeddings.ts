import { z } from "zod";
import type { Runtime } from "../../protocol/runtime.ts";
import { modelFacts } from "../models/models.ts";
import { createOpenAiClient } from "../openai/openai-client.ts";
import type { Embedded, Embedder, Price } from "../provider.ts";
import { type ErrorContext, errorContext, providerFailure, toProviderError } from "../provider-errors.ts";
import { type StallLimits, stallGuardedFetch } from "../stall.ts";
import { endpointFor, isLocal, type ProviderSettings } from "./registry.ts";

/** Vectors arrive at once or hardly at all, but a local model may have to load first. In milliseconds. */
const LIMITS: StallLimits = { answerMs: 60_000, byteMs: 30_000, contentMs: 60_000 };

/** Embeds over `POST …/embeddings`, as most providers offer it. ProviderError if the provider lacks a key or a root. */
export function createEmbedder(
  ref: string,
  settings: Readonly<Record<string, ProviderSettings>>,
  { clock, ids }: Pick<Runtime, "clock" | "ids">,
): Embedder {
  const [provider = "", ...rest] = ref.split("/");
  const model = rest.join("/");
  const endpoint = endpointFor(provider, settings[provider]);
  const fetch = stallGuardedFetch(globalThis.fetch, clock, LIMITS);
  let client: { readonly by: unknown; readonly made: ReturnType<typeof createOpenAiClient> } | undefined;
  /** Created again if the settings change, since keys may be set while the program runs. */
  const clientNow = () => {
    const by = settings[provider];
    if (client === undefined || client.by !== by) {
      const made = createOpenAiClient({ endpoint: endpointFor(provider, by), fetch, clock, ids });
      client = { by, made };
      made.catch(() => {
        client = undefined; // what could not be loaded now may be later
      });
    }
    return client.made;
  };
  const context = () => errorContext(endpoint, model, clock.now());
  return {
    ref,
    price: priceOf(provider, model, settings[provider]),
    async embed(texts, signal) {
      try {
        // `post` rather than `create`, because the SDK asks for base64, which not every provider supports.
        const body = { model, input: texts };
        const answer = await (await clientNow()).post<unknown>("/embeddings", { body, signal });
        return embeddedIn(answer, texts.length, context());
      } catch (error) {
        signal.throwIfAborted();
        throw toProviderError(error, context());
      }
    },
  };
}

/** US dollars per million tokens. Source: https://developers.openai.com/api/docs/pricing, Embeddings; 2026-11-23. */
const KNOWN_USD: ReadonlyMap<string, number> = new Map([
  ["openai/text-embedding-3-small", 0.02],
  ["openai/text-embedding-3-large", 0.13],
  ["openai/text-embedding-ada-002", 0.1],
]);

/** The operator's price wins over the known one. */
function priceOf(provider: string, model: string, settings: ProviderSettings | undefined): Price | null {
  const sources = { override: settings?.models?.[model], isLocal: isLocal(provider, settings) };
  const { price } = modelFacts(provider, model, sources);
  const usd = KNOWN_USD.get(`${provider}/${model}`);
  return price ?? (usd === undefined ? null : { input: usd, output: 0, cacheRead: usd, cacheWrite: usd });
}

const answerSchema = z.object({
  data: z.array(z.object({ index: z.number().int().nullish(), embedding: z.array(z.number()).min(1) })),
  usage: z
    .object({ prompt_tokens: z.number().int().min(0) })
    .nullish()
    .catch(null),
});

function embeddedIn(answer: unknown, count: number, context: ErrorContext): Embedded {
  const read = answerSchema.safeParse(answer);
  if (!read.success) throw providerFailure("provider_failed", "the answer holds no vectors", context);
  const { data, usage } = read.data;
  const sorted = data.toSorted((one, other) => (one.index ?? 0) - (other.index ?? 0));
  const [first] = sorted;
  if (sorted.length !== count || sorted.some(({ embedding }) => embedding.length !== first?.embedding.length)) {
    const what = `${sorted.length} vectors for ${count} texts, or of several sizes`;
    throw providerFailure("provider_failed", what, context);
  }
  const vectors = sorted.map(({ embedding }) => ofLengthOne(Float32Array.from(embedding)));
  return { vectors, tokens: usage?.prompt_tokens ?? null };
}

function ofLengthOne(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return length > 0 ? vector.map((value) => value / length) : vector;
}
