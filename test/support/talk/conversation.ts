import { randomUUID } from "node:crypto";
import type { ContentBlock, Message } from "../../../src/core/protocol/messages.ts";

/** Shorthands for conversations in tests. */

export const READ_TOOL = {
  name: "read",
  description: "Reads a file.",
  inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
};

/** A picture of one pixel, as PNG in Base64. */
export const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

export function said(role: Message["role"], content: readonly ContentBlock[], extra: Partial<Message> = {}): Message {
  return { id: `msg_${randomUUID()}`, role, content, createdAt: 1_800_000_000_000, ...extra };
}

export function user(words: string, extra: Partial<Message> = {}): Message {
  return said("user", [{ type: "text", text: words }], extra);
}

export function results(...blocks: readonly { id: string; text: string; isError?: boolean }[]): Message {
  return said(
    "user",
    blocks.map(({ id, text: words, isError = false }) => ({
      type: "tool_result",
      toolUseId: id,
      content: [{ type: "text", text: words }],
      isError,
    })),
  );
}
