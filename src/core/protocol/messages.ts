import { z } from "zod";
import { EMPTY_LABEL, type Label, UNKNOWN_LABEL, unionOf } from "../trust/label.ts";

/**
 * The vocabulary of a conversation: messages made of content blocks. Stored as JSON, so every block has a schema;
 * unknown keys are dropped on reading, which lets an older program read newer rows.
 */

/** The producer of provider-opaque data, which is only replayed to the same provider and model. */
const originSchema = z.object({ provider: z.string(), model: z.string() });
export type Origin = z.infer<typeof originSchema>;

const textBlock = z.object({
  type: z.literal("text"),
  text: z.string(),
  /** The program added this text to the author's words or to a tool's output. */
  isAdded: z.literal(true).exactOptional(),
  /** The author quotes this text from somebody else. */
  isQuoted: z.literal(true).exactOptional(),
  /** OpenAI's mark of the text as commentary or final answer. Without it the model later confuses the two. */
  phase: z.enum(["commentary", "final_answer"]).exactOptional(),
  origin: originSchema.exactOptional(),
});
export const imageTypeSchema = z.enum(["image/png", "image/jpeg", "image/gif", "image/webp"]);
/** `data` is base64. */
const imageBlock = z.object({
  type: z.literal("image"),
  mediaType: imageTypeSchema,
  data: z.string(),
  name: z.string().optional(),
});
/** Readable `text`, base64 `data` of a format that some models read themselves (PDF), or both. */
const documentBlock = z.object({
  type: z.literal("document"),
  name: z.string(),
  mediaType: z.string(),
  text: z.string().optional(),
  data: z.string().optional(),
  /** Origin: a path, a URL, or who attached it. Missing in older rows. */
  context: z.string().optional(),
});
const thinkingBlock = z.object({
  type: z.literal("thinking"),
  thinking: z.string(),
  signature: z.string().optional(),
  origin: originSchema,
  /** Provider-specific data that must be sent back unchanged. */
  opaque: z.unknown().optional(),
});
const redactedThinkingBlock = z.object({
  type: z.literal("redacted_thinking"),
  data: z.string(),
  origin: originSchema,
});
const toolUseBlock = z.object({
  type: z.literal("tool_use"),
  id: z.string(),
  name: z.string(),
  /** The parsed JSON. If the model wrote invalid JSON, input is {} and `invalidJson` holds the text. */
  input: z.unknown(),
  invalidJson: z.string().optional(),
  /** The tool through which the model called this one. */
  via: z.string().optional(),
  origin: originSchema.optional(),
  opaque: z.unknown().optional(),
});
const toolResultContent = z.discriminatedUnion("type", [textBlock, imageBlock, documentBlock]);
export type ToolResultContent = z.infer<typeof toolResultContent>;
const toolResultBlock = z.object({
  type: z.literal("tool_result"),
  toolUseId: z.string(),
  content: z.array(toolResultContent),
  isError: z.boolean(),
  /** As in the tool's result. Missing in older rows. */
  narrowsTo: z.array(z.string()).readonly().exactOptional(),
});
const userCommandBlock = z.object({ type: z.literal("user_command"), command: z.string(), args: z.string() });
const localCommandOutputBlock = z.object({
  type: z.literal("user_local_command_output"),
  command: z.string(),
  stdout: z.string(),
  stderr: z.string(),
  exitCode: z.number(),
});
/** `text` is what is read. `key` and `value` hold its content, and are missing in older rows. */
const memoryInputBlock = z.object({
  type: z.literal("user_memory_input"),
  text: z.string(),
  key: z.string().optional(),
  value: z.string().optional(),
});
const apiErrorBlock = z.object({
  type: z.literal("system_api_error"),
  code: z.string(),
  text: z.string(),
  retryAfterS: z.number().optional(),
});
const collapsedBlock = z.object({
  type: z.literal("collapsed_read_search"),
  reads: z.number(),
  searches: z.number(),
  labels: z.array(z.string()),
});
const taskAssignmentBlock = z.object({
  type: z.literal("task_assignment"),
  agent: z.string(),
  description: z.string(),
  sessionId: z.string(),
  /** Addresses in the assignment that its author knew rather than made up. */
  addresses: z.array(z.string()).exactOptional(),
});
const approvalRequestBlock = z.object({
  type: z.literal("approval_request"),
  approvalId: z.string(),
  callIds: z.array(z.string()),
});

export const contentBlockSchema = z.discriminatedUnion("type", [
  textBlock,
  imageBlock,
  documentBlock,
  thinkingBlock,
  redactedThinkingBlock,
  toolUseBlock,
  toolResultBlock,
  userCommandBlock,
  localCommandOutputBlock,
  memoryInputBlock,
  apiErrorBlock,
  collapsedBlock,
  taskAssignmentBlock,
  approvalRequestBlock,
]);
export type ContentBlock = z.infer<typeof contentBlockSchema>;
export type ImageBlock = z.infer<typeof imageBlock>;
export type DocumentBlock = z.infer<typeof documentBlock>;
export type ToolUseBlock = z.infer<typeof toolUseBlock>;
export type ToolResultBlock = z.infer<typeof toolResultBlock>;

/** A person as the thread knows them. `id`: `slack:U1`, `discord:1`, `web:local`; `roles`: as in access rules. */
export const authorSchema = z.object({
  id: z.string(),
  name: z.string(),
  roles: z.array(z.string()).readonly().exactOptional(),
});
export type Author = z.infer<typeof authorSchema>;

export interface Message {
  readonly id: string;
  readonly role: "user" | "assistant";
  readonly content: readonly ContentBlock[];
  /** Set on user messages that a person wrote. */
  readonly author?: Author;
  /** Thread conversation not addressed to the agent, marked as context for the model. */
  readonly context?: boolean;
  /** Whose words it holds and how confidential they are; absent if unknown. A model's own words add no label. */
  readonly label?: Label;
  /** Milliseconds since the Unix epoch; stored with the message, so that prompts stay byte-equal. */
  readonly createdAt: number;
}

/** Joins the text of all text blocks. */
export function textOf(content: readonly ContentBlock[]): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
}

export function toolUsesOf(content: readonly ContentBlock[]): ToolUseBlock[] {
  return content.filter((block): block is ToolUseBlock => block.type === "tool_use");
}

/** The union of what messages add to a request's label. */
export function labelOf(messages: readonly Message[]): Label {
  return unionOf(messages.map(({ role, label }) => label ?? (role === "assistant" ? EMPTY_LABEL : UNKNOWN_LABEL)));
}
