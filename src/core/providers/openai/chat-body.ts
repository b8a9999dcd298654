import { z } from "zod";
import { assertNever } from "../../protocol/assert-never.ts";
import type { DocumentBlock, ToolResultBlock } from "../../protocol/messages.ts";
import { quotedDocument, unreadableDocument } from "../document-text.ts";
import type { ModelRequest } from "../provider.ts";
import { effortOf, thinkingBudgetOf } from "../thinking-budget.ts";
import { providerToolId, replayedInput } from "../tool-input.ts";
import { type VisiblePart, visibleTurns } from "../visible-content.ts";
import { type Endpoint, WITHOUT_REASONING, type WireCall } from "../wire.ts";
import { failedText, joinedSystem } from "./openai-client.ts";

/** Chat Completions as some thirty providers implement it. The types are our own, since each adds fields. */
export type ChatBody = { readonly model: string; readonly messages: readonly ChatMessage[] } & Readonly<
  Record<string, unknown>
>;

export type ChatMessage =
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user"; readonly content: string | readonly ContentPart[] }
  | ({
      readonly role: "assistant";
      readonly content: string | null;
      readonly tool_calls?: readonly ChatToolCall[];
    } & Readonly<Record<string, unknown>>)
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string };

type ContentPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image_url"; readonly image_url: { readonly url: string } }
  | { readonly type: "file"; readonly file: { readonly filename: string; readonly file_data: string } };

interface ChatToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
  readonly extra_content?: unknown;
}

export const CHAT_OPTIONAL_FIELDS = [
  "temperature",
  "stream_options",
  "prompt_cache_key",
  "reasoning_effort",
  "enable_thinking",
  "thinking",
  "reasoning",
  // Rejected by name only if the provider wants the other one (see limitField).
  "max_completion_tokens",
  "max_tokens",
] as const;

export function chatBody({ request, refusedFields }: WireCall, endpoint: Endpoint): ChatBody {
  const { quirks } = endpoint;
  const optional: Record<string, unknown> = {
    ...(quirks.streamUsage ? { stream_options: { include_usage: true } } : {}),
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...(request.cacheKey === undefined || !quirks.cacheKey ? {} : { prompt_cache_key: request.cacheKey }),
    ...thinkingFields(request, endpoint),
  };
  const allowed = Object.entries(optional).filter(([field]) => !refusedFields.has(field));
  return {
    model: request.model,
    messages: chatMessages(request, { endpoint, wantsThoughts: refusedFields.has(WITHOUT_REASONING) }),
    stream: true,
    [limitField(endpoint, refusedFields)]: request.maxTokens,
    ...(request.tools.length === 0 ? {} : { tools: request.tools.map(toolParam) }),
    ...Object.fromEntries(allowed),
    ...quirks.extraBody,
  };
}

function limitField({ quirks }: Endpoint, refused: ReadonlySet<string>): string {
  const other = quirks.maxTokensField === "max_tokens" ? "max_completion_tokens" : "max_tokens";
  return refused.has(quirks.maxTokensField) ? other : quirks.maxTokensField;
}

function thinkingFields(request: ModelRequest, { quirks }: Endpoint): Record<string, unknown> {
  const effort = effortOf(request);
  if (effort === undefined) return {};
  const budget = thinkingBudgetOf(request);
  switch (quirks.thinking) {
    case "none":
      return {};
    case "reasoning_effort":
      return { reasoning_effort: effort === "max" ? "high" : effort };
    case "enable_thinking":
      return { enable_thinking: budget !== 0 };
    case "thinking_type":
      return { thinking: { type: budget === 0 ? "disabled" : "enabled" } };
    case "openrouter":
      return { reasoning: { effort: effort === "max" ? "high" : effort } };
    default:
      return assertNever(quirks.thinking);
  }
}

function toolParam({ name, description, inputSchema }: ModelRequest["tools"][number]) {
  return { type: "function", function: { name, description, parameters: inputSchema } };
}

interface Receiver {
  readonly endpoint: Endpoint;
  readonly wantsThoughts: boolean;
}

function chatMessages(request: ModelRequest, to: Receiver): ChatMessage[] {
  const { endpoint } = to;
  const system = joinedSystem(request.system);
  const turns = visibleTurns(request.messages, { provider: endpoint.id, model: request.model });
  const conversation = turns.flatMap((turn) =>
    turn.role === "user" ? userMessages(turn.parts, endpoint) : [assistantMessage(turn.parts, request.model, to)],
  );
  return system === "" ? conversation : [{ role: "system", content: system }, ...conversation];
}

/** Results first, each as a message; then one message with everything else in the turn, and images from the results. */
function userMessages(parts: readonly VisiblePart[], endpoint: Endpoint): ChatMessage[] {
  const results = parts.filter((part) => part.type === "tool_result");
  const tools = results.map(
    (result): ChatMessage => ({
      role: "tool",
      tool_call_id: providerToolId(result.toolUseId, endpoint.quirks.toolIds),
      content: failedText(resultText(result), result.isError),
    }),
  );
  const shown = results.flatMap((result) => shownBeside(result, endpoint));
  const content = [...shown, ...parts.flatMap((part) => contentParts(part, endpoint))];
  if (content.length === 0) return tools;
  const filler: ChatMessage[] =
    endpoint.quirks.fillerAfterTool && tools.length > 0 ? [{ role: "assistant", content: "I have the results." }] : [];
  return [...tools, ...filler, { role: "user", content: plain(content) }];
}

/** Sends plain text as a string, because not every provider accepts parts. */
function plain(content: readonly ContentPart[]): string | readonly ContentPart[] {
  const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length === content.length ? texts.join("\n\n") : content;
}

function resultText(result: ToolResultBlock): string {
  const parts = result.content.map((part) => {
    if (part.type === "text") return part.text;
    return part.type === "image" ? "(the image follows in the next message)" : documentText(part);
  });
  return parts.join("\n");
}

function documentText(document: DocumentBlock): string {
  return document.text === undefined ? unreadableDocument(document) : quotedDocument(document, document.text);
}

/** A result may contain only text, so its images follow in a user message. */
function shownBeside(result: ToolResultBlock, endpoint: Endpoint): ContentPart[] {
  const images = result.content.filter((part) => part.type === "image");
  if (images.length === 0) return [];
  const intro: ContentPart = { type: "text", text: "[Images from the tool result above]" };
  return [intro, ...images.flatMap((image) => contentParts(image, endpoint))];
}

function contentParts(part: VisiblePart, { quirks }: Endpoint): ContentPart[] {
  switch (part.type) {
    case "text":
      return [{ type: "text", text: part.text }];
    case "image":
      return [{ type: "image_url", image_url: { url: `data:${part.mediaType};base64,${part.data}` } }];
    case "document": {
      const { name, mediaType, data } = part;
      if (!quirks.files || data === undefined || mediaType !== "application/pdf")
        return [{ type: "text", text: documentText(part) }];
      return [{ type: "file", file: { filename: name, file_data: `data:${mediaType};base64,${data}` } }];
    }
    default: // results are messages of their own; thinking and calls are the assistant's
      return [];
  }
}

/** Opaque parts of a call or of reasoning that have to be sent back unchanged. */
const extraContentSchema = z.object({ extra_content: z.unknown() });
const reasoningDetailsSchema = z.object({ reasoning_details: z.array(z.unknown()) });
const reasoningOpaqueSchema = z.object({ reasoning_opaque: z.string() });

function assistantMessage(parts: readonly VisiblePart[], model: string, to: Receiver): ChatMessage {
  const { endpoint } = to;
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
  const own = parts.flatMap((part) => (part.type === "tool_use" ? [toolCall(part, endpoint)] : []));
  const calls = endpoint.quirks.signedCalls && SIGNS.test(model) ? signed(own) : own;
  return {
    role: "assistant",
    content: text === "" ? null : text,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...reasoningFields(parts, { ...to, hasCalls: calls.length > 0 }),
  };
}

function toolCall(call: Extract<VisiblePart, { type: "tool_use" }>, { quirks }: Endpoint): ChatToolCall {
  // A provider that sent it needs it back: Google's signature, even through a gateway.
  const extra = extraContentSchema.safeParse(call.opaque).data?.extra_content;
  return {
    id: providerToolId(call.id, quirks.toolIds),
    type: "function",
    function: { name: call.name, arguments: JSON.stringify(replayedInput(call)) },
    ...(extra === undefined ? {} : { extra_content: extra }),
  };
}

/** Gemini before 3 does not require signatures. */
const SIGNS = /gemini-(?![12]\b)/;
/** For calls made by another model. Source: Gemini API docs, Thought signatures. */
const UNSIGNED = { google: { thought_signature: "skip_thought_signature_validator" } };

/** The first call of a turn must have a signature, or a marker that it has none. */
function signed([first, ...others]: readonly ChatToolCall[]): ChatToolCall[] {
  if (first === undefined) return [];
  const isSigned = [first, ...others].some((call) => call.extra_content !== undefined);
  return [isSigned ? first : { ...first, extra_content: UNSIGNED }, ...others];
}

function reasoningFields(
  parts: readonly VisiblePart[],
  { endpoint: { quirks }, wantsThoughts, hasCalls }: Receiver & { readonly hasCalls: boolean },
): Record<string, unknown> {
  const thinking = parts.filter((part) => part.type === "thinking");
  const thoughts = thinking.map((part) => part.thinking).join("\n\n");
  // Some providers treat an empty text as missing.
  const wanted = wantsThoughts ? { reasoning_content: thoughts || " " } : {};
  switch (quirks.replayReasoning) {
    case "none": {
      // Providers that sent details, such as OpenRouter, need them back.
      const details = thinking.flatMap(
        (part) => reasoningDetailsSchema.safeParse(part.opaque).data?.reasoning_details ?? [],
      );
      return details.length === 0 ? wanted : { ...wanted, reasoning_details: details };
    }
    case "reasoning_content": // wanted in every answer once there are tools, even when there was none
      return { reasoning_content: thoughts || quirks.noReasoning, ...wanted };
    case "reasoning_content_of_calls": // refused or wasted elsewhere
      return hasCalls ? { reasoning_content: thoughts || quirks.noReasoning } : wanted;
    case "reasoning_opaque": {
      const seal = thinking.flatMap((part) => reasoningOpaqueSchema.safeParse(part.opaque).data ?? []).at(-1);
      return seal === undefined ? {} : { reasoning_text: thoughts, ...seal };
    }
    default:
      return assertNever(quirks.replayReasoning);
  }
}
