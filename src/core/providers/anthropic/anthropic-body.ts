import type Anthropic from "@anthropic-ai/sdk";
import { assertNever } from "../../protocol/assert-never.ts";
import type { DocumentBlock, ToolResultContent } from "../../protocol/messages.ts";
import { unreadableDocument } from "../document-text.ts";
import type { ModelRequest, SystemPart } from "../provider.ts";
import { effortOf, thinkingBudgetOf } from "../thinking-budget.ts";
import { providerToolId, replayedInput } from "../tool-input.ts";
import { type VisiblePart, visibleTurns } from "../visible-content.ts";
import { type Endpoint, WITHOUT_REASONING, type WireCall } from "../wire.ts";

type Body = Anthropic.MessageCreateParamsStreaming;
type ContentParam = Anthropic.ContentBlockParam;

/** Maximum number of cache breakpoints; one marks the newest message. Source: Anthropic docs, Prompt caching. */
const MAX_BREAKPOINTS = 4;
/** Minimum thinking budget. Source: Anthropic docs, Extended thinking. */
const MIN_THINKING = 1024;
/**
 * Models that take a thinking budget in tokens; later ones decide by themselves, guided by effort. Bedrock calls them
 * `us.anthropic.claude-opus-4-5-20251101-v1:0`, Copilot `claude-opus-4.5`.
 */
const THINKS_BY_BUDGET = /(?:^|\.)claude-(?:3|(?:opus|sonnet)-4(?:[-.][0-5])?(?:-\d{8})?(?:-v\d+(?::\d+)?)?$|haiku-4)/;

export function anthropicBody({ request, refusedFields }: WireCall, endpoint: Endpoint): Body {
  const turns = visibleTurns(request.messages, { provider: endpoint.id, model: request.model });
  const wantsThoughts = refusedFields.has(WITHOUT_REASONING);
  const messages = turns.map(({ role, parts }) => ({
    role,
    content: parts.flatMap((part) => contentParam(part, { ...endpoint, wantsThoughts })),
  }));
  const system = systemBlocks(request.system);
  return {
    model: request.model,
    max_tokens: request.maxTokens,
    stream: true,
    ...(system.length === 0 ? {} : { system }),
    ...(request.tools.length === 0 ? {} : { tools: request.tools.map(toolParam) }),
    messages: withBreakpoint(messages),
    ...optional("temperature", temperatureOf(request), refusedFields),
    ...optional("thinking", thinkingOf(request), refusedFields),
    ...optional("output_config", outputConfigOf(request), refusedFields),
  };
}

export const ANTHROPIC_OPTIONAL_FIELDS = ["temperature", "thinking", "output_config"] as const;

function optional<K extends string, V>(key: K, value: V | undefined, refused: ReadonlySet<string>): { [P in K]?: V } {
  const fields: { [P in K]?: V } = {};
  if (value !== undefined && !refused.has(key)) fields[key] = value;
  return fields;
}

/** At most 1, and only 1 together with thinking. Source: Anthropic docs. */
function temperatureOf(request: ModelRequest): number | undefined {
  if (request.temperature === undefined || thinkingOf(request) !== undefined) return undefined;
  return Math.min(request.temperature, 1);
}

function thinkingOf(request: ModelRequest): Anthropic.ThinkingConfigParam | undefined {
  const asked = thinkingBudgetOf(request);
  if (asked === undefined || asked <= 0) return undefined;
  if (!THINKS_BY_BUDGET.test(request.model)) return { type: "adaptive" };
  const budget = Math.min(Math.max(asked, MIN_THINKING), request.maxTokens - 1);
  return budget < MIN_THINKING ? undefined : { type: "enabled", budget_tokens: budget };
}

function outputConfigOf(request: ModelRequest): Anthropic.OutputConfig | undefined {
  const effort = effortOf(request);
  return effort === undefined || THINKS_BY_BUDGET.test(request.model) ? undefined : { effort };
}

/** The last marked parts keep their breakpoints, and one is left for the newest message. */
function systemBlocks(parts: readonly SystemPart[]): Anthropic.TextBlockParam[] {
  const nonEmpty = parts.filter((part) => part.text.trim() !== "");
  const marked = nonEmpty.filter((part) => part.cacheBreakpoint).slice(-(MAX_BREAKPOINTS - 1));
  return nonEmpty.map((part) => ({
    type: "text",
    text: part.text,
    ...(marked.includes(part) ? { cache_control: { type: "ephemeral" } as const } : {}),
  }));
}

function toolParam(tool: ModelRequest["tools"][number]): Anthropic.Tool {
  return { name: tool.name, description: tool.description, input_schema: { ...tool.inputSchema, type: "object" } };
}

interface TurnParam {
  readonly role: "user" | "assistant";
  readonly content: ContentParam[];
}

function contentParam(
  part: VisiblePart,
  { quirks, wantsThoughts }: Endpoint & { readonly wantsThoughts: boolean },
): ContentParam[] {
  switch (part.type) {
    case "text":
    case "image":
    case "document":
      return [plainParam(part)];
    case "thinking":
      // Only signed thinking is accepted back, except by providers that sign none and require it.
      return part.signature === undefined && !wantsThoughts
        ? []
        : [{ type: "thinking", thinking: part.thinking, signature: part.signature ?? "" }];
    case "redacted_thinking":
      return [{ type: "redacted_thinking", data: part.data }];
    case "tool_use":
      return [
        { type: "tool_use", id: providerToolId(part.id, quirks.toolIds), name: part.name, input: replayedInput(part) },
      ];
    case "tool_result":
      return [
        {
          type: "tool_result",
          tool_use_id: providerToolId(part.toolUseId, quirks.toolIds),
          content: part.content.map(plainParam),
          ...(part.isError ? { is_error: true } : {}),
        },
      ];
    default:
      return assertNever(part);
  }
}

/** What a message and a result may both contain. */
function plainParam(
  content: ToolResultContent,
): Anthropic.TextBlockParam | Anthropic.ImageBlockParam | Anthropic.DocumentBlockParam {
  switch (content.type) {
    case "text":
      return { type: "text", text: content.text };
    case "image":
      return { type: "image", source: { type: "base64", media_type: content.mediaType, data: content.data } };
    case "document":
      return documentParam(content);
    default:
      return assertNever(content);
  }
}

function documentParam(document: DocumentBlock): Anthropic.DocumentBlockParam | Anthropic.TextBlockParam {
  const { name, mediaType, text, data, context } = document;
  const about = { title: name, ...(context === undefined ? {} : { context }) };
  if (data !== undefined && mediaType === "application/pdf") {
    return { type: "document", ...about, source: { type: "base64", media_type: mediaType, data } };
  }
  if (text !== undefined && text.trim() !== "") {
    return { type: "document", ...about, source: { type: "text", media_type: "text/plain", data: text } };
  }
  return { type: "text", text: unreadableDocument(document) };
}

/** Marks the end of the newest message, so that the next call finds the whole conversation in the cache. */
function withBreakpoint(messages: readonly TurnParam[]): TurnParam[] {
  const newest = messages.at(-1)?.content.at(-1);
  return messages.map(({ role, content }) => {
    return { role, content: content.map((block) => (block === newest ? marked(block) : block)) };
  });
}

/** Thinking cannot have a breakpoint, but the newest message is a person's or a tool's, so it never ends in it. */
function marked(block: ContentParam): ContentParam {
  switch (block.type) {
    case "text":
    case "image":
    case "document":
    case "tool_result":
      return { ...block, cache_control: { type: "ephemeral" } };
    default:
      return block;
  }
}
