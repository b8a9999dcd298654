import type { Responses } from "openai/resources/responses/responses";
import { z } from "zod";
import type { DocumentBlock, ToolResultBlock } from "../../protocol/messages.ts";
import { quotedDocument, unreadableDocument } from "../document-text.ts";
import type { ModelRequest } from "../provider.ts";
import { effortOf } from "../thinking-budget.ts";
import { providerToolId, replayedInput } from "../tool-input.ts";
import { type VisiblePart, visibleTurns } from "../visible-content.ts";
import type { Endpoint, WireCall } from "../wire.ts";
import { failedText, joinedSystem } from "./openai-client.ts";

type Body = Responses.ResponseCreateParamsStreaming;
type Item = Responses.ResponseInputItem;

export const RESPONSES_OPTIONAL_FIELDS = ["temperature", "prompt_cache_key", "reasoning", "include"] as const;

/** The part of a reasoning item that is sent back unchanged, because nothing is stored at the provider. */
export const reasoningItemSchema = z.object({
  id: z.string(),
  encrypted_content: z.string().nullish(),
  summary: z.array(z.object({ type: z.literal("summary_text"), text: z.string() })).catch([]),
});

export function responsesBody({ request, refusedFields }: WireCall, endpoint: Endpoint): Body {
  const { quirks } = endpoint;
  const instructions = joinedSystem(request.system);
  const effort = effortOf(request);
  const allows = (field: (typeof RESPONSES_OPTIONAL_FIELDS)[number]) => !refusedFields.has(field);
  const turns = visibleTurns(request.messages, { provider: endpoint.id, model: request.model });
  return {
    model: request.model,
    stream: true,
    store: false,
    max_output_tokens: request.maxTokens,
    input: turns.flatMap(({ role, parts }) => (role === "user" ? userItems : assistantItems)(parts, endpoint)),
    ...(instructions === "" ? {} : { instructions }),
    ...(request.tools.length === 0 ? {} : { tools: request.tools.map(toolParam) }),
    ...(allows("include") ? { include: ["reasoning.encrypted_content"] } : {}),
    ...(effort === undefined || !allows("reasoning") ? {} : { reasoning: { effort } }),
    ...(request.temperature === undefined || !allows("temperature") ? {} : { temperature: request.temperature }),
    ...(request.cacheKey === undefined || !quirks.cacheKey || !allows("prompt_cache_key")
      ? {}
      : { prompt_cache_key: request.cacheKey }),
  };
}

function toolParam(tool: ModelRequest["tools"][number]): Responses.FunctionTool {
  return {
    type: "function",
    name: tool.name,
    description: tool.description,
    parameters: { ...tool.inputSchema },
    strict: false,
  };
}

function userItems(parts: readonly VisiblePart[], endpoint: Endpoint): Item[] {
  const results = parts.flatMap((part): Item[] => (part.type === "tool_result" ? [outputItem(part, endpoint)] : []));
  const content = parts.flatMap(inputContent);
  return content.length === 0 ? results : [...results, { type: "message", role: "user", content }];
}

function inputContent(part: VisiblePart): Responses.ResponseInputContent[] {
  switch (part.type) {
    case "text":
      return [{ type: "input_text", text: part.text }];
    case "image":
      return [{ type: "input_image", detail: "auto", image_url: `data:${part.mediaType};base64,${part.data}` }];
    case "document":
      return [documentContent(part)];
    default: // results are items of their own; thinking and calls are the assistant's
      return [];
  }
}

function documentContent(document: DocumentBlock): Responses.ResponseInputFile | Responses.ResponseInputText {
  const { name, mediaType, text, data } = document;
  if (data !== undefined && mediaType === "application/pdf") {
    return { type: "input_file", filename: name, file_data: `data:${mediaType};base64,${data}` };
  }
  if (text !== undefined) return { type: "input_text", text: quotedDocument(document, text) };
  return { type: "input_text", text: unreadableDocument(document) };
}

function outputItem(result: ToolResultBlock, { quirks }: Endpoint): Item {
  const call_id = providerToolId(result.toolUseId, quirks.toolIds);
  const onlyText = result.content.every((part) => part.type === "text");
  if (onlyText) {
    const text = result.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
    return { type: "function_call_output", call_id, output: failedText(text, result.isError) };
  }
  return { type: "function_call_output", call_id, output: result.content.flatMap(inputContent) };
}

function assistantItems(parts: readonly VisiblePart[], endpoint: Endpoint): Item[] {
  return parts.flatMap((part, index): Item[] => {
    switch (part.type) {
      case "text":
        return [{ type: "message", role: "assistant", content: part.text, ...(part.phase && { phase: part.phase }) }];
      case "tool_use":
        return [
          {
            type: "function_call",
            call_id: providerToolId(part.id, endpoint.quirks.toolIds),
            name: part.name,
            arguments: JSON.stringify(replayedInput(part)),
          },
        ];
      case "thinking":
        return reasoningItems(part.opaque, parts.slice(index + 1));
      default:
        return [];
    }
  });
}

/**
 * Reasoning is sent back only before the calls that it led to. Elsewhere the provider drops it, and rejects it if
 * nothing follows, for example if the answer was cut off within it.
 */
function reasoningItems(opaque: unknown, after: readonly VisiblePart[]): Item[] {
  const item = reasoningItemSchema.safeParse(opaque).data;
  if (item?.encrypted_content == null || !after.some((part) => part.type === "tool_use")) return [];
  return [{ type: "reasoning", id: item.id, summary: item.summary, encrypted_content: item.encrypted_content }];
}
