import { z } from "zod";
import type { ContentBlock, Origin } from "../../protocol/messages.ts";
import { inputTokensOf, NO_USAGE, type Usage } from "../../protocol/usage.ts";
import { type ModelInfo, type ModelResponse, modelInfo, type StopReason, type StreamEvent } from "../provider.ts";
import { otherTypes, readEvent, textSchema } from "../stream-event.ts";
import { tokenCount } from "../token-count.ts";
import { parseToolInput } from "../tool-input.ts";
import { authHeaders, QUIET_CLIENT, type Wire, type WireOptions } from "../wire.ts";
import { ANTHROPIC_OPTIONAL_FIELDS, anthropicBody } from "./anthropic-body.ts";

const saidCount = z.number().nullish().catch(null);
const usageSchema = z
  .object({
    input_tokens: saidCount,
    output_tokens: saidCount,
    cache_read_input_tokens: saidCount,
    cache_creation_input_tokens: saidCount,
  })
  .nullish();
const blockSchema = z.object({
  type: z.string(),
  text: textSchema,
  thinking: textSchema,
  signature: textSchema,
  data: textSchema,
  id: textSchema,
  name: textSchema,
  input: z.unknown().optional(),
});
const deltaSchema = z.object({
  type: z.string(),
  text: textSchema,
  thinking: textSchema,
  signature: textSchema,
  partial_json: textSchema,
});

/** Only the fields that are read. What a compatible provider omits or sends as null counts as absent. */
const startSchema = z.object({
  type: z.literal("content_block_start"),
  index: z.number(),
  content_block: blockSchema,
});
const pieceSchema = z.object({ type: z.literal("content_block_delta"), index: z.number(), delta: deltaSchema });
const eventSchema = z.union([
  z.object({
    type: z.literal("message_start"),
    message: z.object({ model: z.string().nullish(), usage: usageSchema }),
  }),
  startSchema,
  pieceSchema,
  z.object({
    type: z.literal("message_delta"),
    delta: z.object({ stop_reason: z.string().nullish() }).nullish(),
    usage: usageSchema,
  }),
  z.object({ type: z.literal("message_stop") }),
  otherTypes("message_start", "content_block_start", "content_block_delta", "message_delta", "message_stop"),
]);

/** Anthropic Messages over the SDK, which is loaded only here. */
export async function createAnthropicMessages({ endpoint, fetch }: WireOptions): Promise<Wire> {
  const sdk = await import("@anthropic-ai/sdk");
  const { anthropicVersion } = endpoint.quirks;
  const client = new sdk.Anthropic({
    ...QUIET_CLIENT,
    baseURL: endpoint.baseUrl,
    apiKey: endpoint.apiKey ?? "none",
    fetch,
    defaultHeaders: {
      ...authHeaders(endpoint),
      ...(anthropicVersion === null ? {} : { "anthropic-version": anthropicVersion }),
    },
  });
  return {
    optionalFields: (call) => ANTHROPIC_OPTIONAL_FIELDS.filter((field) => field in anthropicBody(call, endpoint)),
    async *stream(call, signal) {
      const body = anthropicBody(call, endpoint);
      const { samplingVersion, requestHeaders } = endpoint.quirks;
      const version = "temperature" in body ? samplingVersion : null;
      const headers = {
        ...requestHeaders(call.request),
        ...(version === null ? {} : { "anthropic-version": version }),
      };
      const events = await client.messages.create(
        { ...body, ...endpoint.quirks.extraBody, stream: true },
        { signal, headers },
      );
      yield* streamEvents(events, { provider: endpoint.id, model: call.request.model });
    },
    async listModels(signal) {
      const models: ModelInfo[] = [];
      for await (const model of client.models.list({ limit: 100 }, { signal })) {
        const { id, max_input_tokens: contextWindow, max_tokens: maxOutputTokens } = model;
        models.push(modelInfo(id, { contextWindow, maxOutputTokens }));
      }
      return models;
    },
  };
}

/** A block being received; `json` is the received part of a call's arguments. */
interface ArrivingBlock {
  readonly block: ContentBlock;
  json: string;
}

interface Answer {
  readonly origin: Origin;
  model: string;
  usage: Usage;
  stop: string | null;
  readonly blocks: Map<number, ArrivingBlock>;
}

/** Converts the API's events. `message_stop` is the terminal marker; without it there is no `end`. */
async function* streamEvents(events: AsyncIterable<unknown>, origin: Origin): AsyncGenerator<StreamEvent> {
  const answer: Answer = { origin, model: origin.model, usage: NO_USAGE, stop: null, blocks: new Map() };
  for await (const raw of events) {
    const event = readEvent(eventSchema, raw);
    yield* received(event, answer);
    if (event?.type === "message_stop") return;
  }
}

function received(event: z.infer<typeof eventSchema>, answer: Answer): StreamEvent[] {
  switch (event?.type) {
    case "message_start":
      answer.model = event.message.model ?? answer.model;
      answer.usage = addedUsage(answer.usage, event.message.usage);
      return [{ type: "usage", usage: answer.usage }];
    case "content_block_start":
      return begun(event, answer);
    case "content_block_delta":
      return continued(event, answer);
    case "message_delta":
      answer.stop = event.delta?.stop_reason ?? answer.stop;
      answer.usage = addedUsage(answer.usage, event.usage);
      return [{ type: "usage", usage: answer.usage }];
    case "message_stop":
      return [{ type: "end", response: responseOf(answer) }];
    default: // content_block_stop, and events that later versions of the API may add
      return [];
  }
}

function begun({ index, content_block: block }: z.infer<typeof startSchema>, answer: Answer): StreamEvent[] {
  const { origin } = answer;
  const keep = (kept: ContentBlock) => answer.blocks.set(index, { block: kept, json: "" });
  switch (block.type) {
    case "text":
      keep({ type: "text", text: block.text });
      return block.text === "" ? [] : [{ type: "text", text: block.text }];
    case "thinking":
      keep({
        type: "thinking",
        thinking: block.thinking,
        origin,
        ...(block.signature === "" ? {} : { signature: block.signature }),
      });
      return [];
    case "redacted_thinking":
      keep({ type: "redacted_thinking", data: block.data, origin });
      return [];
    case "tool_use":
      keep({ type: "tool_use", id: block.id, name: block.name, input: block.input, origin });
      return [{ type: "tool_use", id: block.id, name: block.name }];
    default: // blocks of tools that run at the provider, none of which is offered
      return [];
  }
}

function continued({ index, delta }: z.infer<typeof pieceSchema>, answer: Answer): StreamEvent[] {
  const arriving = answer.blocks.get(index);
  if (arriving === undefined) return [];
  const { block } = arriving;
  if (delta.type === "text_delta" && block.type === "text") {
    block.text += delta.text;
    return [{ type: "text", text: delta.text }];
  }
  if (delta.type === "thinking_delta" && block.type === "thinking") {
    block.thinking += delta.thinking;
    return [{ type: "thinking", text: delta.thinking }];
  }
  if (delta.type === "signature_delta" && block.type === "thinking") {
    block.signature = (block.signature ?? "") + delta.signature;
  }
  if (delta.type === "input_json_delta") {
    arriving.json += delta.partial_json;
    return [{ type: "tool_input", json: delta.partial_json }];
  }
  return [];
}

function responseOf({ blocks, stop, usage, model }: Answer): ModelResponse {
  const arrived = [...blocks.values()];
  const content = arrived.map((arriving, index): ContentBlock => {
    if (arriving.block.type !== "tool_use") return arriving.block;
    const cut = stop === "max_tokens" && index === arrived.length - 1;
    // Some compatible providers send the whole input at the start instead of as deltas.
    if (arriving.json === "" && !cut && hasKeys(arriving.block.input)) return arriving.block;
    return { ...arriving.block, ...parseToolInput(arriving.json, cut) };
  });
  return {
    content: content.filter((block) => block.type !== "text" || block.text !== ""),
    stopReason: stopReasonOf(stop),
    usage,
    model,
  };
}

function hasKeys(input: unknown): boolean {
  return typeof input === "object" && input !== null && Object.keys(input).length > 0;
}

function stopReasonOf(stop: string | null): StopReason {
  switch (stop) {
    case "tool_use":
    case "refusal":
    case "max_tokens":
      return stop;
    case "model_context_window_exceeded": // the answer filled what the window had left
      return "max_tokens";
    default:
      return "end_turn";
  }
}

/**
 * Updates the usage. Counts in the stream are cumulative and spread over several events; cached tokens are not included
 * in input_tokens. Compatible providers may omit all of them, or send zeros after real counts.
 */
function addedUsage(usage: Usage, counts: z.infer<typeof usageSchema>): Usage {
  const countOr = (count: number | null | undefined, before: number) => (count == null ? before : tokenCount(count));
  const next = {
    inputTokens: countOr(counts?.input_tokens, usage.inputTokens),
    outputTokens: Math.max(usage.outputTokens, tokenCount(counts?.output_tokens)),
    cacheReadTokens: countOr(counts?.cache_read_input_tokens, usage.cacheReadTokens),
    cacheWriteTokens: countOr(counts?.cache_creation_input_tokens, usage.cacheWriteTokens),
  };
  return inputTokensOf(next) > 0 ? next : { ...usage, outputTokens: next.outputTokens };
}
