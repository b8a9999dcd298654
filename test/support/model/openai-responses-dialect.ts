import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Part, ScriptedUsage } from "./model-script.ts";
import { type Dialect, type Encoder, sse, type ToolResultSeen } from "./model-server.ts";
import { openAiError } from "./openai-error.ts";

const saying = z.string().refine((value) => value.trim() !== "", "text must not be empty");
const contentSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("input_text"), text: saying }),
  z.strictObject({
    type: z.literal("input_image"),
    detail: z.enum(["auto", "low", "high"]),
    image_url: z.string().regex(/^data:image\//),
  }),
  z.strictObject({ type: z.literal("input_file"), filename: z.string(), file_data: z.string().regex(/^data:/) }),
]);
const itemSchema = z.union([
  z.strictObject({ type: z.literal("message"), role: z.literal("user"), content: z.array(contentSchema).min(1) }),
  z.strictObject({ type: z.literal("message"), role: z.literal("assistant"), content: saying }),
  z.strictObject({
    type: z.literal("function_call"),
    call_id: z.string().min(1),
    name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
    arguments: z.string().startsWith("{"),
  }),
  z.strictObject({
    type: z.literal("function_call_output"),
    call_id: z.string().min(1),
    output: z.union([saying, z.array(contentSchema).min(1)]),
  }),
  z.strictObject({
    type: z.literal("reasoning"),
    id: z.string().min(1),
    summary: z.array(z.unknown()),
    encrypted_content: z.string().min(1),
  }),
]);
type Item = z.infer<typeof itemSchema>;

const bodySchema = z.strictObject({
  model: z.string().min(1),
  stream: z.literal(true),
  store: z.literal(false),
  instructions: saying.optional(),
  input: z.array(itemSchema).min(1),
  include: z.array(z.literal("reasoning.encrypted_content")).optional(),
  max_output_tokens: z.number().int().min(16),
  prompt_cache_key: z.string().min(1).max(64).optional(),
  reasoning: z
    .strictObject({ effort: z.enum(["none", "minimal", "low", "medium", "high", "xhigh", "max"]) })
    .optional(),
  temperature: z.number().optional(),
  tools: z
    .array(
      z.strictObject({
        type: z.literal("function"),
        name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
        description: z.string(),
        parameters: z.looseObject({ type: z.literal("object") }),
        strict: z.boolean(),
      }),
    )
    .min(1)
    .optional(),
});

/** OpenAI Responses. */
export const responsesDialect: Dialect = {
  path: "/v1/responses",
  problems(_headers, body) {
    const parsed = bodySchema.safeParse(body);
    if (!parsed.success) return parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
    return pairingProblems(parsed.data.input);
  },
  seen(body) {
    const items = bodySchema.safeParse(body).data?.input ?? [];
    const from = items.findLastIndex(
      (item) => item.type === "function_call" || (item.type === "message" && item.role === "assistant"),
    );
    const newest = items.slice(from + 1);
    return { lastUserText: newest.flatMap(textsOf).join("\n"), toolResults: newest.flatMap(resultOf) };
  },
  encoder: (body) => createEncoder(bodySchema.safeParse(body).data?.model ?? "unknown"),
  errorBody: openAiError,
};

function pairingProblems(items: readonly Item[]): string[] {
  const calls = items.flatMap((item) => (item.type === "function_call" ? [item.call_id] : []));
  const outputs = items.flatMap((item) => (item.type === "function_call_output" ? [item.call_id] : []));
  const unanswered = calls
    .filter((id) => !outputs.includes(id))
    .map((id) => `no tool output found for function call ${id}`);
  const orphans = outputs
    .filter((id) => !calls.includes(id))
    .map((id) => `no tool call found for function call output ${id}`);
  const dangling = items.flatMap((item, index) => {
    const next = items[index + 1];
    const follows =
      next !== undefined &&
      (next.type === "function_call" ||
        next.type === "reasoning" ||
        (next.type === "message" && next.role === "assistant"));
    return item.type === "reasoning" && !follows
      ? [`item ${item.id} of type reasoning without its required following item`]
      : [];
  });
  return [...unanswered, ...orphans, ...dangling];
}

function textsOf(item: Item): string[] {
  if (item.type !== "message" || typeof item.content === "string") return [];
  return item.content.flatMap((part) => (part.type === "input_text" ? [part.text] : []));
}

function resultOf(item: Item): ToolResultSeen[] {
  if (item.type !== "function_call_output") return [];
  const { output } = item;
  const text =
    typeof output === "string"
      ? output
      : output.flatMap((part) => (part.type === "input_text" ? [part.text] : [])).join("\n");
  return [{ id: item.call_id, text, isError: text.startsWith("Error") }];
}

interface OutputItem {
  readonly type: string;
  readonly [key: string]: unknown;
}

function createEncoder(model: string): Encoder {
  const answer = randomUUID().replaceAll("-", "").slice(0, 12);
  const output: OutputItem[] = [];
  let sequence = 0;
  let said: string | null = null;
  const event = (type: string, data: object) => sse(type, { type, sequence_number: sequence++, ...data });
  const response = (status: string, extra: object) => ({
    response: {
      id: `resp_${answer}`,
      object: "response",
      model,
      status,
      output,
      error: null,
      incomplete_details: null,
      ...extra,
    },
  });
  const added = (item: OutputItem) => event("response.output_item.added", { output_index: output.length, item });
  const done = (item: OutputItem) => {
    const frame = event("response.output_item.done", { output_index: output.length, item });
    output.push(item);
    return frame;
  };
  const messageItem = (text: string) => ({
    type: "message",
    id: `msg_${answer}_${output.length}`,
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text, annotations: [] }],
  });
  const messageClosed = () => {
    const frame = said === null ? "" : done(messageItem(said));
    said = null;
    return frame;
  };
  return {
    begin: () => event("response.created", response("in_progress", {})),
    text(chunk) {
      const start = said === null ? added(messageItem("")) : "";
      said = (said ?? "") + chunk;
      return (
        start +
        event("response.output_text.delta", {
          output_index: output.length,
          content_index: 0,
          item_id: "msg",
          delta: chunk,
        })
      );
    },
    part(part) {
      const before = messageClosed();
      const item = itemOf(part, `${answer}_${output.length}`);
      return before + added({ ...item, arguments: "" }) + itemDeltas(part, event, output.length) + done(item);
    },
    ping: () => ": still here\n\n",
    fail: (code, message) => event("error", { code, message, param: null }),
    end(reason, usage) {
      const before = messageClosed();
      const cut = { max_tokens: "max_output_tokens", refusal: "content_filter" };
      if (reason === "max_tokens" || reason === "refusal") {
        return (
          before +
          event(
            "response.incomplete",
            response("incomplete", { usage: usageOf(usage), incomplete_details: { reason: cut[reason] } }),
          )
        );
      }
      return before + event("response.completed", response("completed", { usage: usageOf(usage) }));
    },
  };
}

type SpecialPart = Extract<Part, { type: "thinking" | "redacted_thinking" | "tool_use" }>;

function itemOf(part: SpecialPart, id: string): OutputItem {
  switch (part.type) {
    case "thinking":
      return {
        type: "reasoning",
        id: `rs_${id}`,
        summary: [{ type: "summary_text", text: part.text }],
        encrypted_content: part.signature,
      };
    case "redacted_thinking":
      return { type: "reasoning", id: `rs_${id}`, summary: [], encrypted_content: part.data };
    case "tool_use":
      return {
        type: "function_call",
        id: `fc_${id}`,
        call_id: part.id ?? `call_${id}`,
        name: part.name,
        arguments: part.json,
        status: "completed",
      };
    default:
      return part satisfies never;
  }
}

function itemDeltas(part: SpecialPart, event: (type: string, data: object) => string, index: number): string {
  if (part.type === "thinking")
    return event("response.reasoning_summary_text.delta", {
      output_index: index,
      item_id: "rs",
      summary_index: 0,
      delta: part.text,
    });
  if (part.type !== "tool_use") return "";
  const half = Math.ceil(part.json.length / 2);
  const pieces = [part.json.slice(0, half), part.json.slice(half)].filter((piece) => piece !== "");
  const written = (delta: string) => ({ output_index: index, item_id: "fc", delta });
  return pieces.map((piece) => event("response.function_call_arguments.delta", written(piece))).join("");
}

function usageOf({ input, output, cacheRead, cacheWrite }: Required<ScriptedUsage>) {
  const all = input + cacheRead + cacheWrite;
  return {
    input_tokens: all,
    input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: all + output,
  };
}
