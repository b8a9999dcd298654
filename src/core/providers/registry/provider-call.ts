import type { AppError } from "../../protocol/errors.ts";
import type { ContentBlock, Message, ToolResultContent } from "../../protocol/messages.ts";
import type { Clock } from "../../protocol/runtime.ts";
import type { LlmProvider, ModelRequest, ModelResponse, StreamEvent } from "../provider.ts";
import { type ErrorContext, errorContext, providerFailure, toProviderError } from "../provider-errors.ts";
import { guardedEvents } from "../stall.ts";
import { wholeResponse } from "../whole-response.ts";
import { type Endpoint, WITHOUT_REASONING } from "../wire.ts";
import type { Wires } from "./wires.ts";

export interface ProviderOptions {
  readonly endpoint: Endpoint;
  readonly wires: Wires;
  readonly clock: Clock;
  /** Milliseconds between two events with content. */
  readonly contentMs: number;
}

interface Attempt {
  readonly request: ModelRequest;
  readonly refusedFields: ReadonlySet<string>;
  readonly context: ErrorContext;
  /** Whether any of the answer has arrived. */
  begun: boolean;
}

/** Maximum number of rejected fields dropped by one call before it fails. */
const MAX_DROPPED = 6;

/**
 * A provider over a wire. A stream ends with one `end` or one ProviderError, whatever the SDK does. A call rejected
 * because of an optional field is sent again without it, and later calls omit the field; one rejected because of the
 * content of its messages is sent again without that content.
 */
export function createProvider(options: ProviderOptions): LlmProvider {
  const { endpoint, clock, wires } = options;
  const refusedByModel = new Map<string, Set<string>>();

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<StreamEvent> {
    const refused = refusedByModel.get(request.model) ?? new Set<string>();
    refusedByModel.set(request.model, refused);
    let asked = request;
    for (let dropped = 0; ; dropped++) {
      const attempt: Attempt = {
        request: asked,
        // A snapshot, because what other calls learn meanwhile was still sent with this one.
        refusedFields: new Set(refused),
        context: errorContext(endpoint, request.model, clock.now()),
        begun: false,
      };
      try {
        yield* streamOnce(options, attempt, signal);
        return;
      } catch (error) {
        signal.throwIfAborted();
        const failure = toProviderError(error, attempt.context);
        const mayDrop = !attempt.begun && dropped < MAX_DROPPED;
        const without = mayDrop ? withoutRefused(asked, failure) : null;
        if (without !== null) {
          asked = without;
          continue;
        }
        const isField = mayDrop && failure.code === "bad_request";
        const field = isField
          ? (missedThoughts(failure) ??
            refusedField(failure, (await wires.of(request.model, signal)).optionalFields(attempt)))
          : null;
        if (field === null || attempt.refusedFields.has(field)) throw interruptedError(failure, attempt);
        refused.add(field);
      }
    }
  }

  return {
    id: endpoint.id,
    name: endpoint.name,
    createMessageStream: stream,
    createMessage: (request, signal) => wholeResponse(stream(request, signal)),
    async listModels(signal) {
      try {
        return await wires.listModels(signal);
      } catch (error) {
        signal.throwIfAborted();
        throw toProviderError(error, errorContext(endpoint, "", clock.now()));
      }
    },
  };
}

async function* streamOnce(
  options: ProviderOptions,
  attempt: Attempt,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent> {
  const wire = await options.wires.of(attempt.request.model, signal);
  const ended = new AbortController();
  const events = wire.stream(attempt, AbortSignal.any([signal, ended.signal]));
  yield { type: "sent", maxTokens: attempt.request.maxTokens };
  try {
    for await (const event of guardedEvents(events, { clock: options.clock, limitMs: options.contentMs, signal })) {
      attempt.begun = true;
      if (event.type === "end") {
        const failure = unusable(event.response, attempt.context);
        yield failure === null ? event : { type: "usage", usage: event.response.usage };
        if (failure !== null) throw failure;
        return;
      }
      yield event;
    }
  } finally {
    ended.abort();
  }
  signal.throwIfAborted();
  throw providerFailure("incomplete_stream", "the stream ended without its end marker", attempt.context);
}

/** Messages of OpenAI, Anthropic and Google about sealed content that they cannot read, or not at this place. */
const UNREADABLE = [
  /encrypted content .{0,500}could not be|invalid `?signature`? in `?thinking|corrupted thought signature/is,
  /blocks in the latest assistant message cannot be modified/i,
  /of type 'reasoning' was provided without|items are not persisted when/i,
];
/** Anthropic's models with a thinking budget require thinking before the newest calls, even those of another model. */
const NOT_THOUGHT = /must start with a thinking block/i;

/** Errors about an image or a PDF, or about any such content, in various words. */
const FILES = /\bimages?\b|image_url|\bvision\b|multimodal|content must be a string|\bpdfs?\b|file_data/i;

/** The request without the thoughts or files that it was rejected for; null if they are not the reason. */
function withoutRefused(request: ModelRequest, { code, message, detail }: AppError): ModelRequest | null {
  if (detail["status"] === "413" || (code === "bad_request" && FILES.test(message))) return withFewerFiles(request);
  if (code === "bad_request" && NOT_THOUGHT.test(message))
    return request.thinkingBudget === 0 ? null : { ...request, thinkingBudget: 0 };
  const isReason =
    UNREADABLE.some((words) => words.test(message)) && request.messages.some(({ content }) => content.some(isSealed));
  return isReason ? { ...request, messages: request.messages.map(unsealed) } : null;
}

/** Drops the files before the newest message or, if there are none, those in it. */
function withFewerFiles(request: ModelRequest): ModelRequest | null {
  const earlier = request.messages.slice(0, -1);
  if (earlier.some(showsFiles)) {
    return { ...request, messages: [...earlier.map(withoutFiles), ...request.messages.slice(-1)] };
  }
  return request.messages.some(showsFiles) ? { ...request, messages: request.messages.map(withoutFiles) } : null;
}

function isFile(part: ContentBlock): boolean {
  return part.type === "image" || (part.type === "document" && part.data !== undefined);
}

function showsFiles({ content }: Message): boolean {
  return content.some((block) => isFile(block) || (block.type === "tool_result" && block.content.some(isFile)));
}

function withoutFiles(message: Message): Message {
  const content = message.content.map((block): ContentBlock => {
    if (block.type === "tool_result") return { ...block, content: block.content.map(leftOut) };
    return block.type === "image" || block.type === "document" ? leftOut(block) : block;
  });
  return { ...message, content };
}

function leftOut(part: ToolResultContent): ToolResultContent {
  if (part.type === "document") return { ...part, data: undefined };
  if (part.type !== "image") return part;
  return { type: "text", text: "[Image left out: the model does not read images, or it was refused]" };
}

function isThought({ type }: ContentBlock): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

function isSealed(block: ContentBlock): boolean {
  return isThought(block) || (block.type === "tool_use" && block.opaque !== undefined);
}

function unsealed(message: Message): Message {
  const kept = message.content.filter((block) => !isThought(block));
  const content = kept.map((block) => (block.type === "tool_use" ? { ...block, opaque: undefined } : block));
  return { ...message, content };
}

/** How providers say that they do not accept a field at all, as opposed to its value. */
const NOT_TAKEN =
  /unsupported|not support|unknown|unrecogni[sz]ed|unexpected|extra|not (?:permitted|allowed|available)|only \S+ is allowed|deprecated|invalid (?:parameter|argument|field)/;

/** How DeepSeek, Moonshot and gateways to their models ask for missing reasoning. */
const THOUGHTS = /reasoning_content|content\[\]\.thinking/i;
const MISSED = /passed back|missing|required/i;

function missedThoughts({ message }: AppError): string | null {
  return THOUGHTS.test(message) && MISSED.test(message) ? WITHOUT_REASONING : null;
}

/** Fields that may be rejected by the name of their content. */
const HOLDS: Readonly<Record<string, string>> = { output_config: "effort" };

/** The optional field that a rejection names, xAI's as `reasoningEffort`; null if it names none that was sent. */
function refusedField(failure: AppError, sent: readonly string[]): string | null {
  const wording = failure.message.toLowerCase();
  if (!NOT_TAKEN.test(wording)) return null;
  const words = wording.replaceAll("_", "");
  const isNamed = (field: string) => words.includes(field.replaceAll("_", ""));
  return sent.find(isNamed) ?? sent.find((field) => isNamed(HOLDS[field] ?? field)) ?? null;
}

/** Once the answer has begun, a lost connection means an incomplete stream. */
function interruptedError(failure: AppError, { begun, context }: Attempt): AppError {
  return begun && failure.code === "network" ? providerFailure("incomplete_stream", failure.message, context) : failure;
}

/** Why a response cannot be used, such as one without content; null if it can. */
function unusable(response: ModelResponse, context: ErrorContext): AppError | null {
  if (response.stopReason === "max_tokens" || response.content.some(saysSomething)) return null;
  if (response.stopReason === "refusal") return providerFailure("refused", "the model declined to answer", context);
  return providerFailure("empty_response", "the model returned nothing", context);
}

function saysSomething(block: ContentBlock): boolean {
  return block.type === "tool_use" || (block.type === "text" && block.text.trim() !== "");
}
