import type { ParkedOn } from "../../../core/protocol/events.ts";
import { lineText, type Shown, type ShownLine } from "../../../core/protocol/shown.ts";
import { duration, elapsed } from "../../../core/text/duration.ts";
import { inlineCode, plainLine } from "../../../core/text/plain-text.ts";
import { completedTail } from "../markdown/incomplete-markdown.ts";
import { count } from "./figures.ts";
import { planLines } from "./plan-lines.ts";
import { isOpen, type ProgressState, type Step } from "./progress-state.ts";
import { isAtWork, isOfSubAgent, taskLines } from "./task-lines.ts";

/** Maximum number of tool lines shown one by one; older ones fold into a count. */
const TOOL_LINES = 10;
/** Size of the shown end of the text. */
const TAIL = { lines: 12, chars: 1_200 };
const TITLE_CHARS = 80;
const SUMMARY_CHARS = 60;
const NOTICE_CHARS = 300;
/** Duration from which a call shows how long it took. In milliseconds. */
const WORTH_TELLING_MS = 1_000;

export interface ProgressFrame {
  readonly agentName: string;
  readonly elapsedMs: number;
  /** Maximum length of the result, in characters. */
  readonly maxChars: number;
  /** False if the platform shows Markdown tables as their source. */
  readonly showsTables: boolean;
}

/**
 * Renders the live message: a head line, the plan, tool lines, sub-agents, notices, and the end of the text so far.
 * Everything except the text is returned as data, too.
 */
export function renderProgress(state: ProgressState, frame: ProgressFrame): { markdown: string; shows: Shown } {
  const head = headLine(state, frame);
  const passing = state.passing === null ? [] : [noticeLine(state.passing)];
  const below = [...taskLines(state.tasks), ...state.notices.map(noticeLine), ...passing];
  const plan = planLines(state.plan);
  let steps = toolLines(state);
  const lines = () => [...plan, ...steps, ...below];
  const blocks = () => [head, ...lines()].map(lineText).join("\n");
  while (steps.length > 1 && blocks().length > frame.maxChars) steps = steps.slice(1);
  const above = blocks();
  const shows = { type: "live", state: head.state, head: head.text, lines: lines() } as const;
  if (above.length > frame.maxChars) return { markdown: plainLine(above, frame.maxChars), shows };
  const room = Math.min(TAIL.chars, frame.maxChars - above.length - FENCE_ROOM);
  const tail = room < 40 ? "" : completedTail(state.text, { ...frame, lines: TAIL.lines, chars: room });
  return { markdown: tail === "" ? above : `${above}\n\n${tail}`, shows };
}

/** Room reserved for reopening and closing a fence, in characters. */
const FENCE_ROOM = 80;

/** Notices of a run that stay relevant after it, newest last, one line each. */
export function noticeLines(state: ProgressState): string[] {
  return state.notices.map((notice) => lineText(noticeLine(notice)));
}

/** A notice contains its own sign. */
function noticeLine(notice: string): ShownLine {
  return { sign: "", text: plainLine(notice, NOTICE_CHARS), isOver: true };
}

interface Head {
  readonly state: "working" | "waiting";
  readonly sign: string;
  readonly text: string;
}

function headLine(state: ProgressState, { agentName, elapsedMs }: ProgressFrame): Head {
  const name = `**${plainLine(agentName, 40)}**`;
  const working = (text: string) => ({ state: "working", sign: "⏳", text }) as const;
  if (state.queuedBefore !== null) return working(`${name} · queued, ${state.queuedBefore} before you`);
  const turn = state.turn > 0 ? ` · turn ${state.turn}` : "";
  if (state.parkedOn === null || waitsForTasks(state)) return working(`${name}${turn} · ${elapsed(elapsedMs)}`);
  return { state: "waiting", sign: "⏸", text: `${name}${turn} · ${waitsFor(state, state.parkedOn)}` };
}

/** Whether the run only waits for sub-agents that are at work, so that nobody needs to act. */
function waitsForTasks(state: ProgressState): boolean {
  const isAnyAtWork =
    state.parkedOn === "call" && state.tasks.some((task) => isAtWork(task) && task.state !== "waiting");
  return isAnyAtWork && waitingSteps(state).every(isOfSubAgent);
}

/** Whether a call waits for a sub-agent, even one that has not begun yet and so reports no progress. */
export function isHandedOver(state: ProgressState): boolean {
  return state.parkedOn === "call" && waitingSteps(state).some(isOfSubAgent);
}

function waitingSteps({ steps }: ProgressState): Step[] {
  return steps.filter(({ state }) => state === "waiting");
}

function waitsFor({ steps }: ProgressState, parkedOn: ParkedOn): string {
  if (parkedOn === "approval") return "waiting for a decision";
  const waiting = steps.find(({ state }) => state === "waiting");
  return waiting === undefined ? "waiting" : plainLine(waiting.summary, SUMMARY_CHARS);
}

function toolLines(state: ProgressState): ShownLine[] {
  const isTask = ({ toolId }: Step) => state.tasks.some(({ callId }) => callId === toolId);
  const lines = foldReads(state.steps.filter((step) => !isTask(step)));
  const shown = lines.slice(-TOOL_LINES);
  const older = state.earlierSteps + lines.slice(0, -TOOL_LINES).reduce((sum, line) => sum + line.steps, 0);
  const texts = shown.map(({ line }) => line);
  return older === 0 ? texts : [{ sign: "✓", text: count(older, "earlier step"), isOver: true }, ...texts];
}

const SEARCHES = new Set(["glob", "grep"]);

function isQuietRead(step: Step): boolean {
  return step.state === "done" && (step.toolName === "read" || SEARCHES.has(step.toolName));
}

/** Folds consecutive reads and searches into one line. `steps`: the number of steps that a line stands for. */
function foldReads(steps: readonly Step[]): { readonly line: ShownLine; readonly steps: number }[] {
  const runs: [Step, ...Step[]][] = [];
  for (const step of steps) {
    const last = runs.at(-1);
    if (last !== undefined && isQuietRead(last[0]) && isQuietRead(step)) last.push(step);
    else runs.push([step]);
  }
  return runs.map((run) => ({ line: run.length === 1 ? stepLine(run[0]) : foldedLine(run), steps: run.length }));
}

function foldedLine(run: readonly Step[]): ShownLine {
  const searches = run.filter((step) => SEARCHES.has(step.toolName)).length;
  const reads = run.length - searches;
  const parts = [
    ...(reads > 0 ? [`read ${count(reads, "file")}`] : []),
    ...(searches > 0 ? [`searched ${count(searches, "pattern")}`] : []),
  ];
  return { sign: "✓", text: parts.join(", "), isOver: true };
}

const ICONS: Readonly<Record<Step["state"], string>> = {
  working: "⏳",
  queued: "⏳",
  waiting: "⏸",
  done: "✓",
  failed: "✗",
};

function stepLine(step: Step): ShownLine {
  const title = inlineCode(step.title, TITLE_CHARS);
  const parts = [`${plainLine(step.toolName, 64)}${title === "" ? "" : ` ${title}`}`];
  if (step.summary !== "") parts.push(plainLine(step.summary, SUMMARY_CHARS));
  if (step.state === "queued") parts.push(`queued, ${step.before} before it`);
  if (!isOpen(step) && step.durationMs >= WORTH_TELLING_MS) parts.push(duration(step.durationMs));
  return { sign: ICONS[step.state], text: parts.join(" · "), isOver: !isOpen(step) };
}
