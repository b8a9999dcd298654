import { z } from "zod";
import type { Runtime } from "../../protocol/runtime.ts";
import { type ErrorContext, providerFailure, toProviderError } from "../provider-errors.ts";
import { endpointFor, type ProviderSettings } from "../registry.ts";
import { type StallLimits, stallGuardedFetch } from "../stall.ts";
import type { Embedder } from "./embedder.ts";
import { createOpenAiClient } from "./openai-client.ts";

/** Vectors come at once or hardly at all; a local model may have to load first. Milliseconds. */
const LIMITS: StallLimits = { answerMs: 60_000, byteMs: 30_000, contentMs: 60_000 };

/** Over `POST …/embeddings`, as OpenAI and most others speak it. Throws ProviderError where the provider lacks a key or a root. */
export function createEmbedder(
  ref: string,
  settings: Readonly<Record<string, ProviderSettings>>,
  { clock, ids }: Pick<Runtime, "clock" | "ids">,
): Embedder {
  const [provider = "", ...rest] = ref.split("/");
  const model = rest.join("/");
  const endpoint = endpointFor(provider, settings[provider]);
  const fetch = stallGuardedFetch(globalThis.fetch, clock, LIMITS);
  let client: ReturnType<typeof createOpenAiClient> | undefined;
  const { name: providerName, keyVariable, quirks } = endpoint;
  const context = (): ErrorContext => {
    return { provider, providerName, model, keyVariable, quirks, now: clock.now() };
  };
  return {
    ref,
    async embed(texts, signal) {
      try {
        // `post` rather than `create`: the SDK asks for base64, which not every provider knows.
        const body = { model, input: texts };
        client ??= createOpenAiClient({ endpoint, fetch, clock, ids });
        const answer = await (await client).post<unknown>("/embeddings", { body, signal });
        return vectorsIn(answer, texts.length, context());
      } catch (error) {
        signal.throwIfAborted();
        throw toProviderError(error, context());
      }
    },
  };
}

const answerSchema = z.object({
  data: z.array(z.object({ index: z.number().int().nullish(), embedding: z.array(z.number()).min(1) })),
});

function vectorsIn(answer: unknown, count: number, context: ErrorContext): Float32Array[] {
  const read = answerSchema.safeParse(answer);
  if (!read.success) throw providerFailure("provider_failed", "the answer holds no vectors", context);
  const sorted = read.data.data.toSorted((one, other) => (one.index ?? 0) - (other.index ?? 0));
  const [first] = sorted;
  if (sorted.length !== count || sorted.some(({ embedding }) => embedding.length !== first?.embedding.length)) {
    throw providerFailure(
      "provider_failed",
      `${sorted.length} vectors for ${count} texts, or of several sizes`,
      context,
    );
  }
  return sorted.map(({ embedding }) => ofLengthOne(Float32Array.from(embedding)));
}

function ofLengthOne(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return length > 0 ? vector.map((value) => value / length) : vector;
}
