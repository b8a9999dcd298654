import { ProviderError } from "../protocol/errors.ts";
import type { LlmProvider, ModelResponse, StreamEvent } from "./provider.ts";

/** The response of a streamed call, for callers that do not follow the stream. */
export async function wholeResponse(stream: AsyncIterable<StreamEvent>): Promise<ModelResponse> {
  for await (const event of stream) if (event.type === "end") return event.response;
  throw new ProviderError("incomplete_stream", "the stream ended without its end marker");
}

/** The same provider with another stream, which also provides its whole responses. */
export function withStream(provider: LlmProvider, stream: LlmProvider["createMessageStream"]): LlmProvider {
  return {
    id: provider.id,
    name: provider.name,
    listModels: (signal) => provider.listModels(signal),
    createMessageStream: stream,
    createMessage: (request, signal) => wholeResponse(stream(request, signal)),
  };
}
