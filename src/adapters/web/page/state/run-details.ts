import type { MessageBody, PageMessage } from "../../../render/local/wire.ts";

/** How a thread's newest run stands, read off the messages that were posted. */

export interface Step {
  readonly sign: string;
  readonly text: string;
}

export type RunState = "none" | "working" | "waiting" | "done" | "failed" | "stopped";

export interface RunHead {
  readonly state: RunState;
  /** The head of the live message, or the line it folded into; without its sign. Empty where there was none. */
  readonly summary: string;
}

const SIGNED_LINE = /^(⏳|✓|✗|⏸|⏹|⚠)\uFE0F?\s+(\S.*)$/u;
/** A run's last line without its sign: “3 turns · 2 tools · 6 s · $0.004”, of a person's own command “1 tool · 0.2 s”. */
const FOLDED = /\b\d+ turns?\b|^\d+ tools? · \d/u;
const STATES: Readonly<Record<string, RunState>> = {
  "⏳": "working",
  "⏸": "waiting",
  "✓": "done",
  "✗": "failed",
  "⏹": "stopped",
  "⚠": "done",
};

/** The tool lines of a live message: what follows its head. */
export function stepsIn(body: MessageBody): Step[] {
  if (!isLive(body)) return [];
  return signedLines(body.markdown).slice(1);
}

function signedLines(markdown: string): Step[] {
  return markdown.split("\n").flatMap((line) => {
    const match = SIGNED_LINE.exec(line.trim());
    return match?.[1] === undefined || match[2] === undefined ? [] : [{ sign: match[1], text: match[2] }];
  });
}

/** `messages`: a thread's, oldest first. */
export function runHead(messages: readonly PageMessage[]): RunHead {
  const headAt = messages.findLastIndex(isHead);
  const answerAt = messages.findLastIndex(isAnswer);
  const answer = messages[answerAt];
  const begunAt = messages.findLastIndex(({ body }, index) => index < answerAt && beginsRun(body));
  if (answer !== undefined && begunAt > headAt) return { state: stateOfAnswer(answer.body), summary: "" };
  const newest = messages[headAt];
  const head = newest === undefined ? null : headOf(newest);
  return { state: head === null ? "none" : (STATES[head.sign] ?? "none"), summary: head?.text ?? "" };
}

function isHead(message: PageMessage): boolean {
  return message.body.by === "deckhand" && headOf(message) !== null;
}

function isAnswer({ body }: PageMessage): boolean {
  return body.by === "deckhand" && body.lane === "answer";
}

/** What a run has taken up while it worked is marked as seen, and begins none. */
function beginsRun({ by, signs }: MessageBody): boolean {
  return by === "person" && !signs.includes("seen");
}

/** A short run has no live message, and so no figures: its answer alone says how it ended. */
function stateOfAnswer({ tone, footer }: MessageBody): RunState {
  if (tone === "error") return "failed";
  return STATES[signedLines(footer ?? "")[0]?.sign ?? "✓"] ?? "done";
}

/** Whether a message shows a run that goes on. */
export function isLive({ buttons }: MessageBody): boolean {
  return buttons.some(({ id }) => id.startsWith("stop:"));
}

/** Whether a message asks people to decide, and waits for them. */
export function isQuestion(body: MessageBody): boolean {
  if (body.by !== "deckhand" || body.buttons.length === 0 || isLive(body)) return false;
  return signedLines(body.markdown)[0]?.sign === "⏸";
}

/** What a card that waits is, by its buttons: whatever its words say. */
export function cardOf(body: MessageBody): "approval" | "question" | "plan" | null {
  if (!isQuestion(body)) return null;
  if (body.buttons.some(({ id }) => id.startsWith("approve:"))) return "approval";
  if (body.buttons.some(({ id }) => id.startsWith("answer:go:"))) return "plan";
  return body.buttons.some(({ id }) => id.startsWith("answer:")) ? "question" : null;
}

/** Whether a message tells how something was decided or answered: its buttons have gone. */
export function isDecided({ by, lane, buttons }: MessageBody): boolean {
  return by === "deckhand" && lane === "approval" && buttons.length === 0;
}

/** Whether a message is a live one that has folded into its last line. */
export function isFolded({ by, markdown }: MessageBody): boolean {
  return by === "deckhand" && FOLDED.test(SIGNED_LINE.exec(markdown)?.[2] ?? "");
}

/** The line that tells how a run stands; null when the message is no run's live message or question. */
function headOf({ body }: PageMessage): Step | null {
  const [first] = signedLines(body.markdown);
  if (first !== undefined && (isLive(body) || isQuestion(body))) return first;
  return (
    signedLines(`${body.markdown}\n${body.footer ?? ""}`).find(({ text }) => FOLDED.test(text)) ?? stoppedOf(first)
  );
}

function stoppedOf(first: Step | undefined): Step | null {
  return first?.sign === "⏹" ? first : null;
}
