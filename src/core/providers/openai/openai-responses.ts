import type { Responses } from "openai/resources/responses/responses";
import { z } from "zod";
import { ProviderError } from "../../protocol/errors.ts";
import type { ContentBlock, Origin } from "../../protocol/messages.ts";
import { NO_USAGE, type Usage } from "../../protocol/usage.ts";
import type { ModelResponse, StopReason, StreamEvent } from "../provider.ts";
import { otherTypes, readEvent, textSchema } from "../stream-event.ts";
import { usageWithin } from "../token-count.ts";
import { parseToolInput } from "../tool-input.ts";
import type { Wire, WireOptions } from "../wire.ts";
import { createOpenAiClient, listModels } from "./openai-client.ts";
import { RESPONSES_OPTIONAL_FIELDS, reasoningItemSchema, responsesBody } from "./responses-body.ts";

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

const partSchema = z.object({ type: z.string(), text: textSchema, refusal: textSchema });
const thoughtsSchema = z
  .array(z.object({ text: textSchema }))
  .nullish()
  .transform((thoughts) => thoughts ?? []);

const phaseSchema = z
  .enum(["commentary", "final_answer"])
  .nullish()
  .catch(null)
  .transform((phase) => phase ?? undefined);

/** Only the fields that are read. Null for items of tools that run at the provider, none of which is offered. */
const itemSchema = z.union([
  z.object({ type: z.literal("message"), content: z.array(partSchema), phase: phaseSchema }),
  z.object({ type: z.literal("function_call"), call_id: z.string(), name: z.string(), arguments: textSchema }),
  z.looseObject({ type: z.literal("reasoning"), content: thoughtsSchema, summary: thoughtsSchema }),
  otherTypes("message", "function_call", "reasoning"),
]);
type Item = z.infer<typeof itemSchema>;

/** llama.cpp sends no index. */
const saidIndex = z.number().nullish();
const saidCount = z.unknown().optional();
const responseSchema = z.object({
  model: z.string().nullish(),
  incomplete_details: z.object({ reason: z.string().nullish() }).nullish(),
  error: z.object({ code: z.string().nullish(), message: textSchema }).nullish(),
  output: z.array(itemSchema).nullish(),
  usage: z
    .object({
      input_tokens: saidCount,
      output_tokens: saidCount,
      input_tokens_details: z.object({ cached_tokens: saidCount, cache_write_tokens: saidCount }).nullish(),
    })
    .nullish(),
});
type Response = z.infer<typeof responseSchema>;

/** The received part of an answer. */
interface Arrived {
  readonly origin: Origin;
  readonly items: Map<number, Item>;
  text: string;
}

/** Converts the API's events. `completed`, `incomplete` or `failed` is the terminal marker. */
async function* streamEvents(
  events: AsyncIterable<Responses.ResponseStreamEvent>,
  origin: Origin,
): AsyncGenerator<StreamEvent> {
  const arrived: Arrived = { origin, items: new Map(), text: "" };
  for await (const event of events) {
    switch (event.type) {
      case "response.output_text.delta":
      case "response.refusal.delta": {
        const text = readEvent(textSchema, event.delta);
        arrived.text += text;
        yield { type: "text", text };
        break;
      }
      case "response.reasoning_text.delta":
      case "response.reasoning_summary_text.delta":
        yield { type: "thinking", text: readEvent(textSchema, event.delta) };
        break;
      case "response.output_item.added": {
        const item = readEvent(itemSchema, event.item);
        if (item?.type === "function_call") yield { type: "tool_use", id: item.call_id, name: item.name };
        break;
      }
      case "response.function_call_arguments.delta":
        yield { type: "tool_input", json: readEvent(textSchema, event.delta) };
        break;
      case "response.output_item.done":
        arrived.items.set(
          readEvent(saidIndex, event.output_index) ?? arrived.items.size,
          readEvent(itemSchema, event.item),
        );
        break;
      case "response.completed":
      case "response.incomplete":
        yield { type: "end", response: responseOf(readEvent(responseSchema, event.response), arrived) };
        return;
      case "response.failed": {
        const { error, usage } = readEvent(responseSchema, event.response);
        if (usage != null) yield { type: "usage", usage: usageOf(usage) };
        throw failureOf(error);
      }
      case "error":
        throw failureOf(event);
      default: // progress of things that are not asked for
        break;
    }
  }
}

/** An error that is mapped further by its code and message, since the API has a single event for all failures. */
function failureOf(error: Response["error"]): Error {
  if (error == null) return new ProviderError("provider_failed", "the response failed without a reason");
  return Object.assign(new Error(error.message), { error: { code: error.code, message: error.message } });
}

function responseOf(response: Response, { origin, items, text }: Arrived): ModelResponse {
  const done = [...items].sort(([a], [b]) => a - b).map(([, item]) => item);
  const output = done.length > 0 ? done : (response.output ?? []);
  const cut = response.incomplete_details?.reason === "max_output_tokens";
  const blocks = output.flatMap((item, index) => blocksOf(item, { origin, cut: cut && index === output.length - 1 }));
  return {
    // Some compatible providers send the text only in pieces, never as a whole.
    content: output.length > 0 || text === "" ? blocks : [{ type: "text", text }],
    stopReason: stopReasonOf(response, output),
    usage: usageOf(response.usage),
    model: response.model ?? origin.model,
  };
}

function blocksOf(item: Item, { origin, cut }: { origin: Origin; cut: boolean }): ContentBlock[] {
  switch (item?.type) {
    case "message":
      return item.content.flatMap(({ type, text, refusal }): ContentBlock[] => {
        const outputText = type === "output_text" ? text : refusal;
        return outputText === ""
          ? []
          : [{ type: "text", text: outputText, ...(item.phase && { phase: item.phase, origin }) }];
      });
    case "function_call":
      return [{ type: "tool_use", id: item.call_id, name: item.name, origin, ...parseToolInput(item.arguments, cut) }];
    case "reasoning": {
      const thinking = [...item.content, ...item.summary].map(({ text }) => text).join("\n\n");
      const opaque = reasoningItemSchema.safeParse(item).data;
      return [{ type: "thinking", thinking, origin, ...(opaque === undefined ? {} : { opaque }) }];
    }
    default:
      return [];
  }
}

function stopReasonOf(response: Response, output: readonly Item[]): StopReason {
  const why = response.incomplete_details?.reason;
  if (why === "max_output_tokens") return "max_tokens";
  if (why === "content_filter") return "refusal";
  if (output.some((item) => item?.type === "function_call")) return "tool_use";
  const parts = output.flatMap((item) => (item?.type === "message" ? item.content : []));
  return parts.some((part) => part.type === "refusal") ? "refusal" : "end_turn";
}

function usageOf(usage: Response["usage"]): Usage {
  if (usage == null) return NO_USAGE;
  const { input_tokens: input, output_tokens: output, input_tokens_details: details } = usage;
  return usageWithin({ input, output, read: details?.cached_tokens, written: details?.cache_write_tokens });
}
