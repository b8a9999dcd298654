import type { MessageBody, PageMessage } from "../wire.ts";

/** What the side panel shows about a thread's runs, read off the messages that were posted. */

export interface Step {
  readonly sign: string;
  readonly text: string;
}

export interface RunDetails {
  /** The newest message that tells of a run's state. */
  readonly messageId: string | null;
  readonly state: "none" | "working" | "waiting" | "done" | "failed" | "stopped";
  /** The head of the live message, or the line it folded into; without its sign. */
  readonly summary: string;
  readonly steps: readonly Step[];
  /** The run ended faster than its live message was edited: it had more steps than that has shown. */
  readonly hasMoreSteps: boolean;
  readonly changedFiles: readonly string[];
  /** Of all the thread's runs that said what they cost; null when none did. US dollars. */
  readonly costUsd: number | null;
}

const SIGNED_LINE = /^(⏳|✓|✗|⏸|⏹|⚠)\uFE0F?\s+(.+)$/u;
/** A run's last line: “✓ 3 turns · 2 tools · 6 s · $0.004”. */
const FOLDED = /\b\d+ turns?\b/u;
const COST = /\$(\d+(?:\.\d+)?)/u;
const TOOLS = /\b(\d+) tools?\b/u;
/** Lines that stand for several steps: “14 earlier steps”, “read 6 files, searched 2 patterns”. */
const SEVERAL = /\b(\d+) (?:earlier steps?|files?|patterns?)\b/gu;
const CHANGING = /^(?:edit|write)\b[^`]*`([^`]+)`/u;

const STATES: Readonly<Record<string, RunDetails["state"]>> = {
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

/** `messages`: a thread's, oldest first. `shownSteps`: what live messages have shown while the page was open. */
export function runDetails(
  messages: readonly PageMessage[],
  shownSteps: ReadonlyMap<string, readonly Step[]>,
): RunDetails {
  const ours = messages.filter((message) => message.body.by === "deckhand");
  const newest = ours.findLast((message) => headOf(message) !== null);
  const head = newest === undefined ? null : headOf(newest);
  const steps = newest === undefined ? [] : (shownSteps.get(newest.id) ?? stepsIn(newest.body));
  const state = head === null ? "none" : (STATES[head.sign] ?? "none");
  const isOver = state !== "working" && state !== "waiting";
  const known = isOver ? steps.filter(({ sign }) => sign !== "⏳") : steps;
  const costs = ours.flatMap((message) => costOf(message) ?? []);
  return {
    messageId: newest?.id ?? null,
    state,
    summary: head?.text ?? "",
    steps: known,
    hasMoreSteps: isOver && stepsOf(known) < Number(TOOLS.exec(head?.text ?? "")?.[1] ?? 0),
    changedFiles: changedFiles([...shownSteps.entries()].filter(([id]) => ours.some((one) => one.id === id))),
    costUsd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
  };
}

/** Whether a message shows a run that goes on. */
export function isLive({ buttons }: MessageBody): boolean {
  return buttons.some(({ id }) => id.startsWith("stop:"));
}

/** Whether a message asks people to decide, and waits for them. */
export function isQuestion({ by, markdown, buttons }: MessageBody): boolean {
  return by === "deckhand" && buttons.length > 0 && signedLines(markdown)[0]?.sign === "⏸";
}

/** Whether a message is a live one that has folded into its last line. */
export function isFolded({ by, markdown }: MessageBody): boolean {
  return by === "deckhand" && FOLDED.test(markdown) && SIGNED_LINE.test(markdown);
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

function costOf({ body }: PageMessage): number | null {
  const folded = signedLines(`${body.markdown}\n${body.footer ?? ""}`).filter(({ text }) => FOLDED.test(text));
  const match = COST.exec(folded.map(({ text }) => text).join("\n"));
  return match?.[1] === undefined ? null : Number(match[1]);
}

/** How many steps the lines stand for. */
function stepsOf(lines: readonly Step[]): number {
  return lines.reduce((sum, { text }) => {
    const counts = text.includes("`") ? [] : [...text.matchAll(SEVERAL)].map(([, number]) => Number(number));
    return sum + (counts.length === 0 ? 1 : counts.reduce((all, one) => all + one, 0));
  }, 0);
}

function changedFiles(shown: readonly (readonly [string, readonly Step[]])[]): string[] {
  const paths = shown.flatMap(([, steps]) =>
    steps.flatMap(({ sign, text }) => (sign === "✓" ? (CHANGING.exec(text)?.[1] ?? []) : [])),
  );
  return [...new Set(paths)];
}
