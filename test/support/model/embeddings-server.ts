import { once } from "node:events";
import { createServer } from "node:http";
import { text as textOf } from "node:stream/consumers";
import { z } from "zod";
import { type MeaningModel, meaningOf } from "../../../bench/recall/meanings.ts";

/** How the next requests are answered: normally, with an error status, or never. */
export type Mood = "well" | "never" | { readonly status: number; readonly retryAfter?: string };

/** Number of tokens of a text. */
export function tokensOf(text: string): number {
  return text.split(" ").length;
}

/** A local server that makes real vectors as OpenAI's `/v1/embeddings` does, and rejects what that rejects. */
export interface EmbeddingsServer extends AsyncDisposable {
  /** Includes `/v1`. */
  readonly url: string;
  /** The texts of each successful request in order. */
  readonly batches: readonly (readonly string[])[];
  /** The `authorization` headers of all requests. */
  readonly keys: readonly string[];
  readonly seen: () => number;
  set(mood: Mood): void;
  /** Selects requests to hold back, until another selection is set. */
  holdBack(which: (input: readonly string[]) => boolean): void;
  /** Changes the size of the vectors, as another model of the same name would. */
  resize(dimensions: number): void;
}

const body = z.strictObject({
  model: z.string().min(1),
  input: z.array(z.string().min(1)).min(1).max(64),
  encoding_format: z.literal("float").optional(),
});
/** Maximum characters of a text; longer ones are rejected. */
const TOO_LONG = 3_000;

export async function startEmbeddings(
  model: MeaningModel = { dimensions: 128, ignorance: 0 },
): Promise<EmbeddingsServer> {
  let mood: Mood = "well";
  let isHeld: (input: readonly string[]) => boolean = () => false;
  let moved = Promise.withResolvers<void>();
  let { dimensions } = model;
  let requests = 0;
  const batches: string[][] = [];
  const keys: string[] = [];
  const server = createServer((request, response) => {
    const answer = async () => {
      requests += 1;
      keys.push(request.headers.authorization ?? "");
      const given = body.safeParse(JSON.parse(await textOf(request)));
      const fail = (status: number, message: string) => {
        response.writeHead(status, { "content-type": "application/json" });
        response.end(JSON.stringify({ error: { message, type: "invalid_request_error" } }));
      };
      if (mood === "never") return;
      if (mood !== "well") {
        if (mood.retryAfter !== undefined) response.setHeader("retry-after", mood.retryAfter);
        return fail(mood.status, "not now");
      }
      if (request.url !== "/v1/embeddings" || !given.success) return fail(400, "not a request for embeddings");
      if (given.data.input.some((text) => text.length > TOO_LONG)) return fail(400, "maximum context length exceeded");
      while (isHeld(given.data.input)) await moved.promise;
      batches.push(given.data.input);
      const data = given.data.input.map((text, index) => ({
        object: "embedding",
        index,
        embedding: meaningOf(text, { ...model, dimensions }),
      }));
      response.writeHead(200, { "content-type": "application/json" });
      // In reverse order, which the API permits.
      const prompt_tokens = given.data.input.reduce((sum, text) => sum + tokensOf(text), 0);
      const usage = { prompt_tokens, total_tokens: prompt_tokens };
      response.end(JSON.stringify({ object: "list", model: given.data.model, data: data.toReversed(), usage }));
    };
    answer().catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    batches,
    keys,
    seen: () => requests,
    set: (next) => {
      mood = next;
    },
    holdBack: (which) => {
      isHeld = which;
      moved.resolve();
      moved = Promise.withResolvers();
    },
    resize: (next) => {
      dimensions = next;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
