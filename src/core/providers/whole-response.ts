import { ProviderError } from "../protocol/errors.ts";
import type { LlmProvider, ModelResponse, StreamEvent } from "./provider.ts";

/** A streamed call's response, for those who do not follow the stream. */
export async function wholeResponse(stream: AsyncIterable<StreamEvent>): Promise<ModelResponse> {
  for await (const event of stream) if (event.type === "end") return event.response;
  throw new ProviderError("incomplete_stream", "the stream ended without its end marker");
}

/** The same provider with another stream, from which a whole response is read, too. */
export function withStream(provider: LlmProvider, stream: LlmProvider["createMessageStream"]): LlmProvider {
  return {
    id: provider.id,
    name: provider.name,
    listModels: (signal) => provider.listModels(signal),
    createMessageStream: stream,
    createMessage: (request, signal) => wholeResponse(stream(request, signal)),
  };
}
