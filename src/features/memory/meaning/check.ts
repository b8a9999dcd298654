import type { Finding } from "../../../cli/doctor/finding.ts";
import { toAppError } from "../../../core/protocol/errors.ts";
import { reasonOf } from "../../../core/protocol/explain.ts";
import type { CreateEmbedder } from "../../../core/providers/registry/embedder.ts";

/** Time limit for the provider, in milliseconds. */
const LIMIT_MS = 15_000;

/** Requests the vector of one word, to check that the model makes embeddings. */
export async function checkEmbeddings(model: string, createEmbedder: CreateEmbedder): Promise<Finding> {
  try {
    const embedder = await createEmbedder(model);
    const { vectors } = await embedder.embed(["memory"], AbortSignal.timeout(LIMIT_MS));
    const [vector] = vectors;
    return { ok: true, text: `memory: ${model} produces vectors of ${vector?.length ?? 0} dimensions` };
  } catch (error) {
    const reason = error instanceof DOMException ? "it does not respond" : reasonOf(toAppError(error));
    return { ok: false, text: `memory.embeddings: ${model}: ${reason}` };
  }
}
