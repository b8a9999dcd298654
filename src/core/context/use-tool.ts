import { z } from "zod";
import { USE_TOOL } from "../permissions/finders.ts";
import type { ContentBlock, Message, ToolUseBlock } from "../protocol/messages.ts";
import { parseToolInput, type ToolInput } from "../providers/tool-input.ts";

/** Allowed tool names. Source: OpenAI docs, function calling. */
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** The name of the tool that a use_tool call names. */
export const targetToolSchema = z
  .string()
  .regex(TOOL_NAME, "must be the name of a tool")
  .refine((name) => name !== USE_TOOL, `must be the name of another tool: ${USE_TOOL} does not call itself`);

const callSchema = z.object({ name: targetToolSchema, input: z.unknown().optional() });

/**
 * Replaces each use_tool call in a response by a call of the tool that it names. Permissions, cards, the journal and
 * everything else then see only that tool. A call that names none stays and is refused by its schema.
 */
export function resolveUseToolCalls(content: readonly ContentBlock[]): readonly ContentBlock[] {
  return content.map((block) => (block.type === "tool_use" && block.name === USE_TOOL ? realCall(block) : block));
}

function realCall(block: ToolUseBlock): ToolUseBlock {
  const call = callSchema.safeParse(block.input);
  if (block.invalidJson !== undefined || !call.success) return block;
  return { ...block, name: call.data.name, via: USE_TOOL, ...inputOf(call.data.input) };
}

/** Accepts an inner input that a model wrote as JSON text or left out. */
function inputOf(given: unknown): ToolInput {
  if (given === undefined || given === null) return { input: {} };
  return parseToolInput(typeof given === "string" ? given : JSON.stringify(given));
}

/** Restores the calls of a message to what the model wrote, so that it reads its own words, the same each time. */
export function restoreUseToolCalls(message: Message): Message {
  const { content } = message;
  const isPlain = content.every((block) => block.type !== "tool_use" || block.via === undefined);
  return isPlain ? message : { ...message, content: content.map(asWritten) };
}

function asWritten(block: ContentBlock): ContentBlock {
  if (block.type !== "tool_use" || block.via === undefined) return block;
  const { via, name, input, invalidJson, ...rest } = block;
  return { ...rest, name: via, input: { name, input: invalidJson ?? input } };
}
