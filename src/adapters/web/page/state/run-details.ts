import type { ShownEnd, ShownLine } from "../../../../core/protocol/shown.ts";
import type { MessageBody, PageMessage } from "../../../render/local/wire.ts";

/** How a thread's newest run stands, by what its messages show. */

export type RunState = "none" | "working" | "waiting" | ShownEnd;

export interface RunHead {
  readonly state: RunState;
  /** The head of the live message, or the line it folded into; without its sign. Empty where there was none. */
  readonly summary: string;
}

/** What stands below a live message's head. */
export function stepsIn({ shows }: MessageBody): readonly ShownLine[] {
  return shows?.type === "live" ? shows.lines : [];
}

/** `messages`: a thread's, oldest first. */
export function runHead(messages: readonly PageMessage[]): RunHead {
  const headAt = messages.findLastIndex(({ body }) => headOf(body) !== null);
  const answerAt = messages.findLastIndex(isAnswer);
  const answer = messages[answerAt];
  const begunAt = messages.findLastIndex(({ body }, index) => index < answerAt && beginsRun(body));
  if (answer !== undefined && begunAt > headAt) return { state: stateOfAnswer(answer.body), summary: "" };
  const newest = messages[headAt];
  const head = newest === undefined ? null : headOf(newest.body);
  if (head === null) return { state: "none", summary: "" };
  // What an earlier version left says that it has ended, and not how.
  const isUntold = head.state === "done" && head.summary === "" && answer !== undefined && answerAt > headAt;
  return isUntold ? { ...head, state: stateOfAnswer(answer.body) } : head;
}

function isAnswer({ body }: PageMessage): boolean {
  return body.by === "deckhand" && body.lane === "answer";
}

/** What a run has taken up while it worked is marked as seen, and begins none. */
function beginsRun({ by, signs }: MessageBody): boolean {
  return by === "person" && !signs.includes("seen");
}

/** A short run has no live message, and so no figures: its answer alone says how it ended. */
function stateOfAnswer({ tone, shows }: MessageBody): ShownEnd {
  if (tone === "error") return "failed";
  return shows?.type === "answer" ? shows.state : "done";
}

/** Whether a message shows a run that goes on. */
export function isLive({ shows }: MessageBody): boolean {
  return shows?.type === "live";
}

/** Whether a message asks people to decide, and waits for them. */
export function isQuestion({ by, buttons, shows }: MessageBody): boolean {
  return by === "deckhand" && buttons.length > 0 && shows?.type === "card";
}

/** What a card that waits is; null for what is no such card, and for an offer. */
export function cardOf(body: MessageBody): "approval" | "question" | "plan" | null {
  const { shows } = body;
  return isQuestion(body) && shows?.type === "card" && shows.card !== "offer" ? shows.card : null;
}

/** Whether a message tells how something was decided or answered: its buttons have gone. */
export function isDecided({ by, lane, buttons }: MessageBody): boolean {
  return by === "deckhand" && lane === "approval" && buttons.length === 0;
}

/** Whether a message is a live one that has folded into its last line. */
export function isFolded({ shows }: MessageBody): boolean {
  return shows?.type === "end" && shows.isFigures;
}

/** How a run stands by one message; null when that is no run's live message, question or end. */
function headOf(body: MessageBody): RunHead | null {
  const { by, shows } = body;
  if (by !== "deckhand") return null;
  if (shows?.type === "live" || shows?.type === "end") return { state: shows.state, summary: shows.head };
  return shows?.type === "card" && isQuestion(body) ? { state: "waiting", summary: shows.head } : null;
}
