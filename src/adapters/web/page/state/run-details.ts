import type { ShownEnd, ShownLine } from "../../../../core/protocol/shown.ts";
import type { MessageBody, PageMessage } from "../../../render/local/wire.ts";

/** Derives the state of a thread's newest run from the thread's messages. */

export type RunState = "none" | "working" | "waiting" | ShownEnd;

export interface RunHead {
  readonly state: RunState;
  /** The head of the live message, or the line it folded into, without its sign. Empty if there was no live message. */
  readonly summary: string;
}

/** Returns the lines below a live message's head. */
export function stepsIn({ shows }: MessageBody): readonly ShownLine[] {
  return shows?.type === "live" ? shows.lines : [];
}

/** Returns the state of the newest run; `messages` are those of one thread, oldest first. */
export function runHead(messages: readonly PageMessage[]): RunHead {
  const headAt = messages.findLastIndex(({ body }) => headOf(body) !== null);
  const answerAt = messages.findLastIndex(isAnswer);
  const answer = messages[answerAt];
  const begunAt = messages.findLastIndex(({ body }, index) => index < answerAt && beginsRun(body));
  if (answer !== undefined && begunAt > headAt) return { state: stateOfAnswer(answer.body), summary: "" };
  const newest = messages[headAt];
  const head = newest === undefined ? null : headOf(newest.body);
  if (head === null) return { state: "none", summary: "" };
  // A message from an earlier version says that the run has ended, but not how.
  const isUntold = head.state === "done" && head.summary === "" && answer !== undefined && answerAt > headAt;
  return isUntold ? { ...head, state: stateOfAnswer(answer.body) } : head;
}

function isAnswer({ body }: PageMessage): boolean {
  return body.by === "deckhand" && body.lane === "answer";
}

/** Whether a message begins a run. One that a run picked up while working is marked as seen, and begins none. */
function beginsRun({ by, signs }: MessageBody): boolean {
  return by === "person" && !signs.includes("seen");
}

/** How a short run ended, by its answer alone, because it has no live message. */
function stateOfAnswer({ tone, shows }: MessageBody): ShownEnd {
  if (tone === "error") return "failed";
  return shows?.type === "answer" ? shows.state : "done";
}

export function isLive({ shows }: MessageBody): boolean {
  return shows?.type === "live";
}

/** Whether a message is a card that waits for a decision. */
export function isQuestion({ by, buttons, shows }: MessageBody): boolean {
  return by === "deckhand" && buttons.length > 0 && shows?.type === "card";
}

/** Returns the kind of a waiting card; null for any other message, and for an offer. */
export function cardOf(body: MessageBody): "approval" | "question" | "plan" | null {
  const { shows } = body;
  return isQuestion(body) && shows?.type === "card" && shows.card !== "offer" ? shows.card : null;
}

/** Whether a message is a card that was decided or answered, and so has no buttons left. */
export function isDecided({ by, lane, buttons }: MessageBody): boolean {
  return by === "deckhand" && lane === "approval" && buttons.length === 0;
}

/** Whether a message is a live one that has folded into its last line. */
export function isFolded({ shows }: MessageBody): boolean {
  return shows?.type === "end" && shows.isFigures;
}

/** Returns a run's state by one message; null unless that is a live message, a question or the end of a run. */
function headOf(body: MessageBody): RunHead | null {
  const { by, shows } = body;
  if (by !== "deckhand") return null;
  if (shows?.type === "live" || shows?.type === "end") return { state: shows.state, summary: shows.head };
  return shows?.type === "card" && isQuestion(body) ? { state: "waiting", summary: shows.head } : null;
}

/** Finds the newest message with a Stop button, and the action of that button. */
export function newestStop(messages: readonly PageMessage[]): { messageId: string; action: string } | null {
  for (const message of messages.toReversed()) {
    const button = message.body.buttons.find(({ id }) => id.startsWith("stop:"));
    if (button !== undefined) return { messageId: message.id, action: button.id };
  }
  return null;
}
