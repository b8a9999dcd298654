import type { Stream } from "openai/core/streaming";
import { z } from "zod";
import { type ContentBlock, type Origin, toolUsesOf } from "../../protocol/messages.ts";
import type { Ids } from "../../protocol/runtime.ts";
import { NO_USAGE, tokensOf, type Usage } from "../../protocol/usage.ts";
import type { ModelResponse, StreamEvent } from "../provider.ts";
import { readEvent } from "../stream-event.ts";
import { tokenCount, usageWithin } from "../token-count.ts";
import { parseToolInput } from "../tool-input.ts";
import type { Wire, WireOptions } from "../wire.ts";
import { CHAT_OPTIONAL_FIELDS, chatBody } from "./chat-body.ts";
import { contentPieces } from "./content-pieces.ts";
import { type Finished, isArriving, stopReasonOf, throwIfFailed } from "./finish-reasons.ts";
import { createOpenAiClient, listModels } from "./openai-client.ts";
import { addDetail, type Detail, detailSchema } from "./reasoning-details.ts";
import { createReasoningSplitter, type Piece, type ReasoningSplitter } from "./reasoning-tags.ts";

/** OpenAI Chat Completions over the SDK, as many providers implement it. */
export async function createOpenAiChat(options: WireOptions): Promise<Wire> {
  const { endpoint, ids } = options;
  const client = await createOpenAiClient(options);
  return {
    optionalFields: (call) => CHAT_OPTIONAL_FIELDS.filter((field) => field in chatBody(call, endpoint)),
    async *stream(call, signal) {
      const body = chatBody(call, endpoint);
      // `post` rather than `create`, because the body contains other providers' fields, which OpenAI's types lack.
      const events = await client.post<Stream<unknown>>("/chat/completions", {
        body,
        stream: true,
        signal,
        headers: endpoint.quirks.requestHeaders(call.request),
      });
      const origin = { provider: endpoint.id, model: call.request.model };
      const taken = new Set(call.request.messages.flatMap(({ content }) => toolUsesOf(content).map(({ id }) => id)));
      yield* streamEvents(events, { origin, ids, taken, splitter: createReasoningSplitter() });
    },
    listModels: (signal) => listModels(client, endpoint, signal),
  };
}

/** Validated in token-count.ts. */
const saidCount = z.unknown().optional();
const usageSchema = z
  .object({
    prompt_tokens: saidCount,
    completion_tokens: saidCount,
    total_tokens: saidCount,
    completion_tokens_details: z.object({ reasoning_tokens: saidCount }).nullish(),
    prompt_tokens_details: z.object({ cached_tokens: saidCount, cache_write_tokens: saidCount }).nullish(),
    prompt_cache_hit_tokens: saidCount,
  })
  .nullish();

/** Text; some servers send arguments as an object. */
const argumentsSchema = z.union([z.string(), z.looseObject({}).transform((input) => JSON.stringify(input))]).nullish();

/** Only the fields that are read. What a provider omits or sends as null counts as absent. */
const chunkSchema = z.object({
  model: z.string().nullish(),
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        // Source: Moonshot docs, Chat.
        usage: usageSchema,
        delta: z
          .object({
            content: contentPieces.nullish(),
            refusal: z.string().nullish(),
            reasoning_content: z.string().nullish(),
            reasoning: z.string().nullish(),
            // Copilot's reasoning, and the seal with which it is sent back.
            reasoning_text: z.string().nullish(),
            reasoning_opaque: z.string().nullish(),
            reasoning_details: z.array(detailSchema).nullish(),
            tool_calls: z
              .array(
                z.object({
                  index: z.number().nullish(),
                  id: z.string().nullish(),
                  function: z.object({ name: z.string().nullish(), arguments: argumentsSchema }).nullish(),
                  extra_content: z.unknown().optional(),
                }),
              )
              .nullish(),
          })
          .nullish(),
      }),
    )
    .nullish(),
  usage: usageSchema,
  // Source: Groq docs, API reference.
  x_groq: z.object({ usage: usageSchema }).nullish(),
  // Added by stream-event.ts.
  done: z.literal(true).optional().catch(undefined),
});
type Chunk = z.infer<typeof chunkSchema>;
type Delta = NonNullable<NonNullable<NonNullable<Chunk["choices"]>[number]>["delta"]>;
type CallDelta = NonNullable<Delta["tool_calls"]>[number];

interface ArrivingCall {
  /** The provider's id, used to assign the pieces of a call. */
  readonly wireId: string;
  readonly index: number;
  readonly id: string;
  name: string;
  json: string;
  extra: unknown;
}

interface StreamScope {
  readonly origin: Origin;
  readonly ids: Ids;
  /** Ids of calls that are already in the conversation. */
  readonly taken: ReadonlySet<string>;
  readonly splitter: ReasoningSplitter;
}

/** The received part of an answer. */
interface Answer extends StreamScope {
  model: string;
  text: string;
  reasoning: string;
  readonly reasoningDetails: Detail[];
  reasoningOpaque: string;
  readonly calls: ArrivingCall[];
  refused: boolean;
  finish: string | null;
  usage: Usage;
}

/**
 * Converts the API's events. `finish_reason` is the terminal marker, or `[DONE]` if a server gives no reason. Usage may
 * still follow it, and a later failure does not affect the answer.
 */
async function* streamEvents(events: AsyncIterable<unknown>, scope: StreamScope): AsyncGenerator<StreamEvent> {
  const answer: Answer = {
    ...scope,
    model: scope.origin.model,
    text: "",
    reasoning: "",
    reasoningDetails: [],
    reasoningOpaque: "",
    calls: [],
    refused: false,
    finish: null,
    usage: NO_USAGE,
  };
  try {
    for await (const event of events) yield* received(readEvent(chunkSchema, event), answer);
  } catch (error) {
    if (answer.finish === null) throw error;
  }
  yield* written(answer.splitter.rest(), answer);
  if (answer.finish === null) return;
  throwIfFailed(answer.finish);
  yield { type: "end", response: responseOf({ ...answer, finish: answer.finish }) };
}

function* received(chunk: Chunk, answer: Answer): Generator<StreamEvent> {
  if (chunk.model != null && chunk.model !== "") answer.model = chunk.model;
  const choice = chunk.choices?.[0];
  const usage = usageOf(chunk.usage ?? choice?.usage ?? chunk.x_groq?.usage ?? {});
  if (tokensOf(usage) > 0) {
    answer.usage = usage;
    yield { type: "usage", usage };
  }
  if (chunk.done === true) answer.finish ??= "";
  if (choice === undefined) return;
  const delta = choice.delta ?? {};
  const reasoning = delta.reasoning_content || delta.reasoning || delta.reasoning_text || "";
  if (reasoning !== "") yield* written([{ type: "thinking", text: reasoning }], answer);
  for (const detail of delta.reasoning_details ?? []) addDetail(answer.reasoningDetails, detail);
  answer.reasoningOpaque += delta.reasoning_opaque ?? "";
  for (const piece of [...(delta.content ?? []), { type: "text", text: delta.refusal ?? "" } as const]) {
    if (piece.text === "") continue;
    yield* written(piece.type === "text" ? answer.splitter.next(piece.text) : [piece], answer);
  }
  for (const call of delta.tool_calls ?? []) yield* receivedCall(call, answer);
  if (delta.refusal) answer.refused = true;
  if (choice.finish_reason) answer.finish = choice.finish_reason;
}

function* written(pieces: Iterable<Piece>, answer: Answer): Generator<StreamEvent> {
  for (const piece of pieces) {
    if (piece.type === "thinking") answer.reasoning += piece.text;
    else answer.text += piece.text;
    yield piece;
  }
}

/**
 * Assigns a piece to a call. Some providers omit the index, use 0 for every call, increase it within one call, or send
 * no id or a reused one. Therefore a name begins a new call, and the resulting id is always new to the conversation.
 */
function* receivedCall(delta: CallDelta, answer: Answer): Generator<StreamEvent> {
  const wireId = delta.id ?? "";
  const name = delta.function?.name ?? "";
  const known = answer.calls.findLast((call) => delta.index == null || call.index === delta.index);
  const last = known ?? (wireId === "" && name === "" ? answer.calls.at(-1) : undefined);
  const call =
    last === undefined || beginsAfter(last, { wireId, name })
      ? newCall(wireId, delta.index ?? answer.calls.length, answer)
      : last;
  if (name !== "" && call.name === "") {
    call.name = name;
    yield { type: "tool_use", id: call.id, name };
  }
  const json = delta.function?.arguments ?? "";
  call.json += json;
  if (json !== "") yield { type: "tool_input", json };
  if (delta.extra_content !== undefined) call.extra = delta.extra_content;
}

/** Whether a new call begins. Some repeat the name in every piece, with the same id, none, or a new one. */
function beginsAfter(last: ArrivingCall, { wireId, name }: { wireId: string; name: string }): boolean {
  if (name === "" || last.name === "") return false;
  if (name !== last.name) return true;
  if (wireId === "") return last.wireId === "" && !isArriving(last);
  return wireId !== last.wireId && (last.json === "" || !isArriving(last));
}

function newCall(wireId: string, index: number, { taken, calls, ids }: Answer): ArrivingCall {
  const usable = wireId !== "" && !taken.has(wireId) && !calls.some(({ id }) => id === wireId);
  const call = { wireId, index, id: usable ? wireId : ids.next("call"), name: "", json: "", extra: undefined };
  calls.push(call);
  return call;
}

function responseOf(answer: Answer & Finished): ModelResponse {
  const { origin } = answer;
  const stopReason = stopReasonOf(answer);
  const content: ContentBlock[] = [
    ...thinkingBlock(answer),
    ...(answer.text === "" ? [] : [{ type: "text", text: answer.text } as const]),
    ...answer.calls.map((call, index): ContentBlock => {
      const cut = stopReason === "max_tokens" && index === answer.calls.length - 1;
      const opaque = call.extra === undefined ? {} : { opaque: { extra_content: call.extra } };
      return { type: "tool_use", id: call.id, name: call.name, origin, ...opaque, ...parseToolInput(call.json, cut) };
    }),
  ];
  return { content, stopReason, usage: answer.usage, model: answer.model };
}

function thinkingBlock({ reasoning, reasoningDetails, reasoningOpaque, origin }: Answer): ContentBlock[] {
  const opaque = {
    ...(reasoningDetails.length === 0 ? {} : { reasoning_details: reasoningDetails }),
    ...(reasoningOpaque === "" ? {} : { reasoning_opaque: reasoningOpaque }),
  };
  const isOpaque = Object.keys(opaque).length > 0;
  if (reasoning === "" && !isOpaque) return [];
  return [{ type: "thinking", thinking: reasoning, origin, ...(isOpaque ? { opaque } : {}) }];
}

function usageOf(usage: NonNullable<Chunk["usage"]>): Usage {
  const { prompt_tokens: input, prompt_tokens_details: details } = usage;
  const read = details?.cached_tokens ?? usage.prompt_cache_hit_tokens;
  return usageWithin({ input, output: outputOf(usage), read, written: details?.cache_write_tokens });
}

/** Output tokens including reasoning, which xAI counts separately, and Google, without details, only in the total. */
function outputOf(usage: NonNullable<Chunk["usage"]>): number {
  const { completion_tokens_details: parts, prompt_tokens_details: details } = usage;
  const output = tokenCount(usage.completion_tokens);
  const beside = tokenCount(usage.total_tokens) - tokenCount(usage.prompt_tokens) - output;
  const thought = parts == null && details == null ? beside : tokenCount(parts?.reasoning_tokens);
  return beside > 0 && beside === thought ? output + beside : output;
}
