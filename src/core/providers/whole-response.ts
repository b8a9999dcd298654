import { ProviderError } from "../protocol/errors.ts";
import type { ModelResponse, StreamEvent } from "./provider.ts";

/** A streamed call's response, for those who do not follow the stream. */
export async function wholeResponse(stream: AsyncIterable<StreamEvent>): Promise<ModelResponse> {
  for await (const event of stream) if (event.type === "end") return event.response;
  throw new ProviderError("incomplete_stream", "the stream ended without its end marker");
}
