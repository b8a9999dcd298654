import type { Responses } from "openai/resources/responses/responses";
import { ProviderError } from "../../protocol/errors.ts";
import type { ContentBlock, Origin } from "../../protocol/messages.ts";
import { NO_USAGE, type Usage } from "../../protocol/usage.ts";
import type { ModelResponse, StopReason, StreamEvent } from "../provider.ts";
import { tokenCount } from "../token-count.ts";
import { parseToolInput } from "../tool-input.ts";
import type { Wire, WireOptions } from "../wire.ts";
import { createOpenAiClient, listModels } from "./openai-client.ts";
import { RESPONSES_OPTIONAL_FIELDS, reasoningItemSchema, responsesBody } from "./responses-body.ts";

/** OpenAI Responses over the SDK. */
export async function createOpenAiResponses(options: WireOptions): Promise<Wire> {
  const { endpoint } = options;
  const client = await createOpenAiClient(options);
  return {
    optionalFields: (call) => RESPONSES_OPTIONAL_FIELDS.filter((field) => field in responsesBody(call, endpoint)),
    async *stream(call, signal) {
      const body = responsesBody(call, endpoint);
      const headers = endpoint.quirks.requestHeaders(call.request);
      const events = await client.responses.create(
        { ...body, ...endpoint.quirks.extraBody, stream: true },
        { signal, headers },
      );
      yield* streamEvents(events, { provider: endpoint.id, model: call.request.model });
    },
    listModels: (signal) => listModels(client, endpoint, signal),
  };
}

/** The API's events as ours. Its `completed`, `incomplete` or `failed` is the terminal marker. */
async function* streamEvents(
  events: AsyncIterable<Responses.ResponseStreamEvent>,
  origin: Origin,
): AsyncGenerator<StreamEvent> {
  const items = new Map<number, Responses.ResponseOutputItem>();
  for await (const event of events) {
    switch (event.type) {
      case "response.output_text.delta":
      case "response.refusal.delta":
        yield { type: "text", text: event.delta };
        break;
      case "response.reasoning_text.delta":
      case "response.reasoning_summary_text.delta":
        yield { type: "thinking", text: event.delta };
        break;
      case "response.output_item.added":
        if (event.item.type === "function_call")
          yield { type: "tool_use", id: event.item.call_id, name: event.item.name };
        break;
      case "response.function_call_arguments.delta":
        yield { type: "tool_input", json: event.delta };
        break;
      case "response.output_item.done":
        items.set(event.output_index, event.item);
        break;
      case "response.completed":
      case "response.incomplete":
        yield { type: "end", response: responseOf(event.response, { items, origin }) };
        return;
      case "response.failed":
        if (event.response.usage != null) yield { type: "usage", usage: usageOf(event.response.usage) };
        throw failureOf(event.response.error);
      case "error":
        throw failureOf(event);
      default: // progress of things that are not asked for
        break;
    }
  }
}

/** Mapped further by what it says: the API sends one kind of event for every failure. */
function failureOf(error: { code: string | null; message: string } | null): Error {
  if (error === null) return new ProviderError("provider_failed", "the response failed without a reason");
  return Object.assign(new Error(error.message), { error: { code: error.code, message: error.message } });
}

function responseOf(
  response: Responses.Response,
  { items, origin }: { items: ReadonlyMap<number, Responses.ResponseOutputItem>; origin: Origin },
): ModelResponse {
  const arrived = [...items].sort(([a], [b]) => a - b).map(([, item]) => item);
  const output = arrived.length > 0 ? arrived : response.output;
  const cut = response.incomplete_details?.reason === "max_output_tokens";
  const content = output.flatMap((item, index) => blocksOf(item, { origin, cut: cut && index === output.length - 1 }));
  return { content, stopReason: stopReasonOf(response, output), usage: usageOf(response.usage), model: response.model };
}

function blocksOf(
  item: Responses.ResponseOutputItem,
  { origin, cut }: { origin: Origin; cut: boolean },
): ContentBlock[] {
  switch (item.type) {
    case "message":
      return item.content.flatMap((part): ContentBlock[] => {
        const text = part.type === "output_text" ? part.text : part.refusal;
        return text === "" ? [] : [{ type: "text", text }];
      });
    case "function_call":
      return [{ type: "tool_use", id: item.call_id, name: item.name, origin, ...parseToolInput(item.arguments, cut) }];
    case "reasoning":
      return [{ type: "thinking", thinking: reasoningText(item), origin, opaque: reasoningItemSchema.parse(item) }];
    default: // items of tools that run at the provider, none of which is offered
      return [];
  }
}

function reasoningText(item: Responses.ResponseReasoningItem): string {
  return [...(item.content ?? []), ...item.summary].map((part) => part.text).join("\n\n");
}

function stopReasonOf(response: Responses.Response, output: readonly Responses.ResponseOutputItem[]): StopReason {
  switch (response.incomplete_details?.reason) {
    case "max_output_tokens":
      return "max_tokens";
    case "content_filter":
      return "refusal";
    default:
      break;
  }
  if (output.some((item) => item.type === "function_call")) return "tool_use";
  const parts = output.flatMap((item) => (item.type === "message" ? item.content : []));
  return parts.some((part) => part.type === "refusal") ? "refusal" : "end_turn";
}

/** Cached tokens are inside input_tokens here; ours are apart. */
function usageOf(usage: Responses.ResponseUsage | null | undefined): Usage {
  if (usage == null) return NO_USAGE;
  const read = tokenCount(usage.input_tokens_details?.cached_tokens);
  const written = tokenCount(usage.input_tokens_details?.cache_write_tokens);
  return {
    inputTokens: Math.max(0, tokenCount(usage.input_tokens) - read - written),
    outputTokens: tokenCount(usage.output_tokens),
    cacheReadTokens: read,
    cacheWriteTokens: written,
  };
}
