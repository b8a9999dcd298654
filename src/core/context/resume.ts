import { type ContentBlock, type Message, textOf, toolUsesOf } from "../protocol/messages.ts";
import type { Runtime } from "../protocol/runtime.ts";
import type { StopReason } from "../providers/provider.ts";
import { EMPTY_LABEL } from "../trust/label.ts";

/** Number of times that a response cut off by the output limit is continued. A turn with tools resets the count. */
export const MAX_RESUMES = 3;

const RESUME_TEXT =
  "Output token limit hit. Resume directly — no apology, no recap of what you were doing. Pick up mid-thought if that is where the cut happened. Break remaining work into smaller pieces.";

/** Prefix of message ids that distinguishes a resume message from what people wrote. */
const ID_PREFIX = "resume";

/** The user message that makes the model continue where it was cut off. */
export function resumeMessage({ clock, ids }: Runtime): Message {
  const content: ContentBlock[] = [{ type: "text", text: RESUME_TEXT }];
  return { id: ids.next(ID_PREFIX), role: "user", content, label: EMPTY_LABEL, createdAt: clock.now() };
}

export function isResume({ id, role }: Message): boolean {
  return role === "user" && id.startsWith(`${ID_PREFIX}_`);
}

/**
 * The number of consecutive cut responses after one more response. A response that ends without a call does not reset
 * it, because it completes the cut ones.
 */
export function nextCutCount(cuts: number, stopReason: StopReason): number {
  switch (stopReason) {
    case "max_tokens":
      return cuts + 1;
    case "tool_use":
      return 0;
    default:
      return cuts;
  }
}

/**
 * Joins a run's reply: its last response and the cut pieces before it with their continuations, also across turns with
 * tools. A cut leaves no seam, and text before a call becomes a paragraph of its own. `turns` is the number of the
 * run's responses.
 */
export function joinReply(messages: readonly Message[], turns: number): Message | undefined {
  const responses = responsesOf(messages).slice(-turns);
  const newest = responses.at(-1);
  if (newest === undefined || !responses.some(({ isResumed }) => isResumed)) return newest?.message;
  const pieces = responses.filter(
    (response, index) => response === newest || response.isResumed || responses[index - 1]?.isResumed === true,
  );
  const text = pieces.reduce((joined, { message: { content } }) => {
    const soFar = joined + textOf(content);
    return toolUsesOf(content).length > 0 && soFar.trim() !== "" ? `${soFar.trimEnd()}\n\n` : soFar;
  }, "");
  return { ...newest.message, content: [{ type: "text", text }] };
}

/** The reply so far of a run whose newest response was cut off and that cannot ask for the rest. */
export function unfinishedReply(run: {
  readonly messages: readonly Message[];
  readonly turns: number;
  readonly lastStopReason: StopReason | null;
}): { partial?: Message } {
  const partial = run.lastStopReason === "max_tokens" ? joinReply(run.messages, run.turns) : undefined;
  return partial === undefined ? {} : { partial };
}

function responsesOf(messages: readonly Message[]) {
  const responses: { readonly message: Message; isResumed: boolean }[] = [];
  for (const message of messages) {
    const newest = responses.at(-1);
    if (message.role === "assistant") responses.push({ message, isResumed: false });
    else if (newest !== undefined && isResume(message)) newest.isResumed = true;
  }
  return responses;
}
