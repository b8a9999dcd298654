import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { ScriptedUsage, StopReason } from "./model-script.ts";
import { type Dialect, type Encoder, sse, type ToolResultSeen } from "./model-server.ts";
import { openAiError } from "./openai-error.ts";

const saying = z.string().refine((value) => value.trim() !== "", "content must not be empty");
const partSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), text: saying }),
  z.strictObject({
    type: z.literal("image_url"),
    image_url: z.strictObject({ url: z.string().regex(/^data:image\//) }),
  }),
  z.strictObject({ type: z.literal("file"), file: z.strictObject({ filename: z.string(), file_data: z.string() }) }),
]);
const callSchema = z.looseObject({
  id: z.string().min(1),
  type: z.literal("function"),
  function: z.strictObject({
    name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
    arguments: z.string().refine(isJsonObject, "arguments must be JSON"),
  }),
});
const messageSchema = z.discriminatedUnion("role", [
  z.strictObject({ role: z.literal("system"), content: saying }),
  z.strictObject({ role: z.literal("developer"), content: saying }),
  z.strictObject({ role: z.literal("user"), content: z.union([saying, z.array(partSchema).min(1)]) }),
  z.looseObject({
    role: z.literal("assistant"),
    content: saying.nullable(),
    tool_calls: z.array(callSchema).min(1).optional(),
  }),
  z.strictObject({ role: z.literal("tool"), tool_call_id: z.string().min(1), content: saying }),
]);
type ChatMessage = z.infer<typeof messageSchema>;

const bodySchema = z.looseObject({
  model: z.string().min(1),
  stream: z.literal(true),
  stream_options: z.strictObject({ include_usage: z.boolean() }).optional(),
  messages: z.array(messageSchema).min(1),
  max_tokens: z.number().int().min(1).optional(),
  max_completion_tokens: z.number().int().min(1).optional(),
  tools: z
    .array(
      z.strictObject({
        type: z.literal("function"),
        function: z.strictObject({
          name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
          description: z.string(),
          parameters: z.looseObject({ type: z.literal("object") }),
        }),
      }),
    )
    .min(1)
    .optional(),
});

function isJsonObject(text: string): boolean {
  try {
    return typeof JSON.parse(text) === "object";
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** OpenAI Chat Completions. */
export const chatDialect: Dialect = {
  path: "/v1/chat/completions",
  problems(_headers, body) {
    const parsed = bodySchema.safeParse(body);
    if (!parsed.success) return parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
    const { messages, max_tokens, max_completion_tokens } = parsed.data;
    const limits = [max_tokens, max_completion_tokens].filter((limit) => limit !== undefined).length;
    return [
      ...(limits === 1 ? [] : ["exactly one of max_tokens and max_completion_tokens"]),
      ...pairingProblems(messages),
    ];
  },
  seen(body) {
    const messages = bodySchema.safeParse(body).data?.messages ?? [];
    const from = messages.findLastIndex(({ role }) => role === "assistant") + 1;
    const newest = messages.slice(from);
    return {
      lastUserText: newest
        .map(textOf)
        .filter((text) => text !== "")
        .join("\n"),
      toolResults: newest.flatMap(resultOf),
    };
  },
  encoder(body) {
    const parsed = bodySchema.safeParse(body).data;
    return createEncoder(parsed?.model ?? "unknown", parsed?.stream_options?.include_usage === true);
  },
  errorBody: openAiError,
};

function pairingProblems(messages: readonly ChatMessage[]): string[] {
  const problems: string[] = [];
  let open: string[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") {
      if (!open.includes(message.tool_call_id)) problems.push(`messages.${index}: tool message without its call`);
      open = open.filter((id) => id !== message.tool_call_id);
      continue;
    }
    if (open.length > 0) problems.push(`messages.${index}: calls ${open.join(", ")} have no tool message`);
    open = message.role === "assistant" ? (message.tool_calls ?? []).map(({ id }) => id) : [];
    if (message.role === "assistant" && message.content === null && open.length === 0)
      problems.push(`messages.${index}: empty assistant message`);
  }
  if (open.length > 0) problems.push(`calls ${open.join(", ")} have no tool message`);
  return problems;
}

function textOf(message: ChatMessage): string {
  if (message.role !== "user") return "";
  if (typeof message.content === "string") return message.content;
  return message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

function resultOf(message: ChatMessage): ToolResultSeen[] {
  if (message.role !== "tool") return [];
  return [{ id: message.tool_call_id, text: message.content, isError: message.content.startsWith("Error") }];
}

function createEncoder(model: string, withUsage: boolean): Encoder {
  const answer = randomUUID().replaceAll("-", "").slice(0, 12);
  let calls = 0;
  const chunk = (choices: readonly unknown[], extra: object = {}) =>
    sse(null, {
      id: `chatcmpl-${answer}`,
      object: "chat.completion.chunk",
      created: 1_790_000_000,
      model,
      choices,
      ...extra,
    });
  const delta = (value: object) => chunk([{ index: 0, delta: value, finish_reason: null }]);
  return {
    begin: () => delta({ role: "assistant", content: "" }),
    text: (content) => delta({ content }),
    part(part) {
      if (part.type === "redacted_thinking") return "";
      if (part.type === "thinking") return delta({ reasoning_content: part.text });
      const index = calls++;
      const id = part.id ?? `call_${answer}_${index}`;
      const half = Math.ceil(part.json.length / 2);
      const piece = (args: string) => delta({ tool_calls: [{ index, function: { arguments: args } }] });
      return (
        delta({ tool_calls: [{ index, id, type: "function", function: { name: part.name, arguments: "" } }] }) +
        piece(part.json.slice(0, half)) +
        piece(part.json.slice(half))
      );
    },
    ping: () => ": still here\n\n",
    fail: (type, message) => sse(null, openAiError(type, message)),
    end: (reason, usage) =>
      chunk([{ index: 0, delta: {}, finish_reason: FINISH[reason] }]) +
      (withUsage ? chunk([], { usage: usageOf(usage) }) : "") +
      sse(null, "[DONE]"),
  };
}

const FINISH: Readonly<Record<StopReason, string>> = {
  end_turn: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  refusal: "content_filter",
};

function usageOf({ input, output, cacheRead, cacheWrite }: Required<ScriptedUsage>) {
  const prompt = input + cacheRead + cacheWrite;
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
  };
}
