import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod";
import type { Part, ScriptedUsage, StopReason } from "./model-script.ts";
import {
  type Dialect,
  type Encoder,
  type ModelServer,
  sse,
  startModelServer,
  type ToolResultSeen,
} from "./model-server.ts";

export type AnthropicServer = ModelServer;

/** Models that a key may use. */
const LISTED = [
  { id: "claude-sonnet-5-5", name: "Claude Sonnet 5.5" },
  { id: "claude-haiku-5-5", name: "Claude Haiku 5.5" },
  { id: "claude-haiku-4-5", name: "Claude Haiku 4.5" },
];

/**
 * A strict local Anthropic Messages server on a free port. `url` is its root, for `ANTHROPIC_BASE_URL`.
 * Like the real server, it rejects requests that would give a 400 in production.
 */
export function startAnthropicServer({ key }: { key?: string } = {}): Promise<AnthropicServer> {
  const data = LISTED.map(({ id, name }) => ({
    type: "model",
    id,
    display_name: name,
    created_at: "2026-09-01T00:00:00Z",
    max_input_tokens: 200_000,
    max_tokens: 64_000,
  }));
  const models = { data, has_more: false, first_id: data[0]?.id, last_id: data.at(-1)?.id };
  return startModelServer({ dialects: [messagesDialect], models, key, basePath: "" });
}

const cacheControl = z.strictObject({ type: z.literal("ephemeral"), ttl: z.enum(["5m", "1h"]).optional() });
const marked = { cache_control: cacheControl.optional() };
const saying = z.string().refine((value) => value.trim() !== "", "text content blocks must be non-empty");
const textBlock = z.strictObject({ type: z.literal("text"), text: saying, ...marked });
const imageBlock = z.strictObject({
  type: z.literal("image"),
  source: z.strictObject({
    type: z.literal("base64"),
    media_type: z.enum(["image/png", "image/jpeg", "image/gif", "image/webp"]),
    data: z.string().min(1),
  }),
  ...marked,
});
const documentBlock = z.strictObject({
  type: z.literal("document"),
  title: z.string().optional(),
  context: z.string().min(1).optional(),
  source: z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("text"), media_type: z.literal("text/plain"), data: saying }),
    z.strictObject({ type: z.literal("base64"), media_type: z.literal("application/pdf"), data: z.string().min(1) }),
  ]),
  ...marked,
});
const toolId = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/);
const toolResultBlock = z.strictObject({
  type: z.literal("tool_result"),
  tool_use_id: toolId,
  content: z.array(z.discriminatedUnion("type", [textBlock, imageBlock, documentBlock])).optional(),
  is_error: z.boolean().optional(),
  ...marked,
});
const userMessage = z.strictObject({
  role: z.literal("user"),
  content: z.array(z.discriminatedUnion("type", [textBlock, imageBlock, documentBlock, toolResultBlock])).min(1),
});
const assistantMessage = z.strictObject({
  role: z.literal("assistant"),
  content: z
    .array(
      z.discriminatedUnion("type", [
        textBlock,
        z.strictObject({ type: z.literal("thinking"), thinking: z.string(), signature: z.string().min(1) }),
        z.strictObject({ type: z.literal("redacted_thinking"), data: z.string().min(1) }),
        z.strictObject({
          type: z.literal("tool_use"),
          id: toolId,
          name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
          input: z.record(z.string(), z.unknown()),
          ...marked,
        }),
      ]),
    )
    .min(1),
});
const messageSchema = z.discriminatedUnion("role", [userMessage, assistantMessage]);
type WireMessage = z.infer<typeof messageSchema>;

const bodySchema = z.strictObject({
  model: z.string().min(1),
  max_tokens: z.number().int().min(1),
  stream: z.literal(true),
  system: z.array(textBlock).optional(),
  messages: z.array(messageSchema).min(1),
  tools: z
    .array(
      z.strictObject({
        name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
        description: z.string().optional(),
        input_schema: z.looseObject({ type: z.literal("object") }),
        ...marked,
      }),
    )
    .min(1)
    .optional(),
  temperature: z.number().min(0).max(1).optional(),
  thinking: z
    .discriminatedUnion("type", [
      z.strictObject({ type: z.literal("enabled"), budget_tokens: z.number().int().min(1024) }),
      z.strictObject({ type: z.literal("adaptive"), display: z.enum(["summarized", "omitted"]).optional() }),
      z.strictObject({ type: z.literal("disabled") }),
    ])
    .optional(),
  output_config: z.strictObject({ effort: z.enum(["low", "medium", "high", "xhigh", "max"]).optional() }).optional(),
});
type Body = z.infer<typeof bodySchema>;

/** Anthropic Messages. */
export const messagesDialect: Dialect = {
  path: "/v1/messages",
  problems(headers, body) {
    const parsed = bodySchema.safeParse(body);
    if (!parsed.success) return parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
    return [
      ...headerProblems(headers, parsed.data),
      ...bodyProblems(parsed.data),
      ...pairingProblems(parsed.data.messages),
    ];
  },
  seen(body) {
    const last = bodySchema.safeParse(body).data?.messages.at(-1);
    return { lastUserText: textOf(last), toolResults: resultsOf(last) };
  },
  encoder: (body) => createEncoder(bodySchema.safeParse(body).data?.model ?? "unknown"),
  errorBody: (type, message) => ({ type: "error", error: { type, message }, request_id: "req_local" }),
};

function headerProblems(headers: IncomingHttpHeaders, body: Body): string[] {
  const problems: string[] = [];
  if (headers["anthropic-version"] === undefined) problems.push("anthropic-version: header is required");
  if (headers.authorization === undefined && headers["x-api-key"] === undefined) problems.push("no credentials");
  if (!String(headers["content-type"]).startsWith("application/json")) problems.push("content-type must be JSON");
  const refuses = /^claude-(?:opus-4-[78]|(?:opus|sonnet|haiku|fable)-5)/.test(body.model);
  if (body.temperature !== undefined && (refuses || headers["anthropic-version"] === "2026-10-21")) {
    problems.push("temperature: sampling parameters are not supported");
  }
  return problems;
}

function bodyProblems(body: Body): string[] {
  const problems: string[] = [];
  const breakpoints = JSON.stringify([body.system, body.tools, body.messages]).split('"cache_control"').length - 1;
  if (breakpoints > 4) problems.push(`a maximum of 4 blocks with cache_control may be provided, found ${breakpoints}`);
  if (body.thinking?.type === "enabled" && body.thinking.budget_tokens >= body.max_tokens) {
    problems.push("max_tokens must be greater than thinking.budget_tokens");
  }
  const names = body.tools?.map(({ name }) => name) ?? [];
  if (new Set(names).size !== names.length) problems.push("tools: names must be unique");
  if (body.messages[0]?.role !== "user") problems.push("messages: first message must use the user role");
  if (body.messages.at(-1)?.role !== "user") problems.push("this model does not support assistant message prefill");
  const repeats = body.messages.some(({ role }, index) => role === body.messages[index + 1]?.role);
  if (repeats) problems.push("messages: roles must alternate");
  return problems;
}

/** Each call's result must come first in the next message, and no other result may be there. */
function pairingProblems(messages: readonly WireMessage[]): string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1];
    const called =
      before?.role === "assistant"
        ? before.content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []))
        : [];
    const answered =
      message.role === "user"
        ? message.content.flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : []))
        : [];
    for (const id of called)
      if (!answered.includes(id)) problems.push(`messages.${index}: tool_use ${id} has no tool_result`);
    for (const id of answered)
      if (!called.includes(id)) problems.push(`messages.${index}: tool_result ${id} has no tool_use`);
    if (new Set(answered).size !== answered.length)
      problems.push(`messages.${index}: more than one tool_result for a tool_use`);
    const firstOther = message.content.findIndex((block) => block.type !== "tool_result");
    const lastResult = message.content.findLastIndex((block) => block.type === "tool_result");
    if (firstOther >= 0 && lastResult > firstOther)
      problems.push(`messages.${index}: tool_result blocks must come first`);
    if (message.role !== "assistant") continue;
    for (const block of message.content) {
      if (block.type !== "tool_use") continue;
      if (seen.has(block.id)) problems.push(`messages.${index}: tool_use ids must be unique`);
      seen.add(block.id);
    }
  }
  return problems;
}

function textOf(message: WireMessage | undefined): string {
  return message === undefined
    ? ""
    : message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

function resultsOf(message: WireMessage | undefined): ToolResultSeen[] {
  if (message?.role !== "user") return [];
  return message.content.flatMap((block) => {
    if (block.type !== "tool_result") return [];
    const text = (block.content ?? []).flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
    return [{ id: block.tool_use_id, text, isError: block.is_error === true }];
  });
}

function createEncoder(model: string): Encoder {
  const answer = randomUUID().replaceAll("-", "").slice(0, 12);
  let index = -1;
  let textOpen = false;
  const closed = () => {
    const frame = textOpen ? sse("content_block_stop", { type: "content_block_stop", index }) : "";
    textOpen = false;
    return frame;
  };
  const opened = (block: unknown) => {
    const before = closed();
    index += 1;
    return before + sse("content_block_start", { type: "content_block_start", index, content_block: block });
  };
  const delta = (value: unknown) => sse("content_block_delta", { type: "content_block_delta", index, delta: value });
  const whole = (block: unknown, deltas: readonly unknown[]) =>
    opened(block) + deltas.map(delta).join("") + sse("content_block_stop", { type: "content_block_stop", index });
  return {
    begin: (usage) =>
      sse("message_start", {
        type: "message_start",
        message: {
          id: `msg_${answer}`,
          type: "message",
          role: "assistant",
          model,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: countsOf({ ...usage, output: Math.min(1, usage.output) }),
        },
      }),
    text(chunk) {
      const start = textOpen ? "" : opened({ type: "text", text: "" });
      textOpen = true;
      return start + delta({ type: "text_delta", text: chunk });
    },
    part: (part) => whole(...blockOf(part, `toolu_${answer}_${index + 1}`)),
    ping: () => sse("ping", { type: "ping" }),
    fail: (type, message) => sse("error", { type: "error", error: { type, message } }),
    end: (reason, usage) => closed() + ending(reason, usage),
  };
}

/** A block's empty start, and the deltas that fill it. */
function blockOf(
  part: Extract<Part, { type: "thinking" | "redacted_thinking" | "tool_use" }>,
  id: string,
): [unknown, unknown[]] {
  switch (part.type) {
    case "thinking":
      return [
        { type: "thinking", thinking: "", signature: "" },
        [
          { type: "thinking_delta", thinking: part.text },
          { type: "signature_delta", signature: part.signature },
        ],
      ];
    case "redacted_thinking":
      return [{ type: "redacted_thinking", data: part.data }, []];
    case "tool_use": {
      const half = Math.ceil(part.json.length / 2);
      const pieces = [part.json.slice(0, half), part.json.slice(half)].filter((piece) => piece !== "");
      const deltas = pieces.map((piece) => ({ type: "input_json_delta", partial_json: piece }));
      return [{ type: "tool_use", id: part.id ?? id, name: part.name, input: {} }, deltas];
    }
    default:
      return part satisfies never;
  }
}

function countsOf(usage: Required<ScriptedUsage>) {
  return {
    input_tokens: usage.input,
    output_tokens: usage.output,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation_input_tokens: usage.cacheWrite,
  };
}

function ending(reason: StopReason, usage: Required<ScriptedUsage>): string {
  const delta = { stop_reason: reason, stop_sequence: null };
  return (
    sse("message_delta", { type: "message_delta", delta, usage: countsOf(usage) }) +
    sse("message_stop", { type: "message_stop" })
  );
}
