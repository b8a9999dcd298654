import { type ContentBlock, type Message, toolUsesOf } from "../protocol/messages.ts";
import { utcMinute } from "../text/utc.ts";
import { isSummary } from "./projection.ts";
import { isResume } from "./resume.ts";
import { restoreUseToolCalls } from "./use-tool.ts";

/**
 * The history as a model call carries it. It depends only on the stored messages, so bytes that were sent before never
 * change. People's messages end with a line that gives their date, since the system prompt has none. Empty responses
 * and what a model declined are left out. visible-content.ts in providers/ adds names and marks, and converts each kind
 * of block.
 */
export function messagesForModel(messages: readonly Message[]): Message[] {
  return withoutDeclined(messages)
    .filter((message) => message.role === "user" || saysSomething(message.content))
    .map((message) => (isWritten(message) ? dated(message) : restoreUseToolCalls(message)));
}

const DECLINED: ContentBlock = {
  type: "text",
  text: "[This request, and what was done for it, is left out because the model declined it.]",
};

/**
 * Leaves out a declined request and the work on it, back to the previous answer, because the model would decline every
 * request that carries them. Source: Anthropic docs, Streaming refusals.
 */
function withoutDeclined(messages: readonly Message[]): Message[] {
  const kept: Message[] = [];
  for (const message of messages) {
    if (isDeclined(message)) {
      const context = kept.splice(kept.findLastIndex(endsTurn) + 1).filter((each) => each.context === true);
      kept.push(...context);
    }
    kept.push(message);
  }
  return kept.map((message) =>
    isDeclined(message) ? { ...message, content: [...message.content, DECLINED] } : message,
  );
}

function isDeclined({ content }: Message): boolean {
  return content.some((block) => block.type === "system_api_error" && block.code === "refused");
}

/**
 * Whether the message completes a turn: an answer, a summary, or the note of a failure. The last response does not
 * count, since it may be the declined one.
 */
function endsTurn(message: Message, at: number, all: readonly Message[]): boolean {
  if (message.role === "user") return isSummary(message) || message.content.some(isFailure);
  const next = all[at + 1];
  return next !== undefined && !isResume(next) && toolUsesOf(message.content).length === 0;
}

function isFailure({ type }: ContentBlock): boolean {
  return type === "system_api_error";
}

/** False for a response without text and tool calls, which has nothing to show or to continue from. */
function saysSomething(content: readonly ContentBlock[]): boolean {
  return content.some((block) => {
    switch (block.type) {
      case "text":
        return block.text.trim() !== "";
      case "thinking":
      case "redacted_thinking":
        return false;
      default:
        return true;
    }
  });
}

/** True for a request to the agent; false for messages of the loop itself and for conversation that is only context. */
function isWritten(message: Message): boolean {
  const { role, context, content } = message;
  if (role !== "user" || context === true || isResume(message) || isSummary(message)) return false;
  return !content.some((block) => block.type === "tool_result" || isFailure(block));
}

function dated(message: Message): Message {
  return { ...message, content: [...message.content, { type: "text", text: `[${dateText(message.createdAt)}]` }] };
}

/** `Tue 2026-11-03 09:12 UTC`. `at` is in milliseconds since the epoch. */
export function dateText(at: number): string {
  return `${WEEKDAYS[new Date(at).getUTCDay()]} ${utcMinute(at)} UTC`;
}

const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
