import type { ParkedOn } from "../../../core/protocol/events.ts";
import { inlineCode, plainLine } from "../../../core/text/plain-text.ts";
import { tailOf } from "../markdown/incomplete-markdown.ts";
import { count, duration, elapsed } from "./figures.ts";
import { planLines } from "./plan-lines.ts";
import { isOpen, type ProgressState, type Step } from "./progress-state.ts";
import { isAtWork, isOfSubAgent, taskLines } from "./task-lines.ts";

/** Tool lines shown one by one; older ones fold into a count. */
const TOOL_LINES = 10;
/** The end of the text so far. */
const TAIL = { lines: 12, chars: 1_200 };
const TITLE_CHARS = 80;
const SUMMARY_CHARS = 60;
const NOTICE_CHARS = 300;
/** Shorter calls do not say how long they took. Milliseconds. */
const WORTH_TELLING_MS = 1_000;

export interface ProgressFrame {
  readonly agentName: string;
  readonly elapsedMs: number;
  /** Most characters of the result. */
  readonly maxChars: number;
  /** False where Markdown's tables are shown as they are written. */
  readonly showsTables: boolean;
}

/** The live message's Markdown: a head line, the plan, tool lines, what the operator of the thread should know, the text so far. */
export function renderProgress(state: ProgressState, frame: ProgressFrame): string {
  const top = [headLine(state, frame), ...planLines(state.plan)];
  const notices = [...noticeLines(state), ...(state.passing === null ? [] : [plainLine(state.passing, NOTICE_CHARS)])];
  const steps = toolLines(state);
  const tasks = taskLines(state.tasks);
  const blocks = (shown: readonly string[]) => [...top, ...shown, ...tasks, ...notices].join("\n");
  let shown = steps;
  while (shown.length > 1 && blocks(shown).length > frame.maxChars) shown = shown.slice(1);
  const above = blocks(shown);
  if (above.length > frame.maxChars) return plainLine(above, frame.maxChars);
  const room = Math.min(TAIL.chars, frame.maxChars - above.length - FENCE_ROOM);
  const tail = room < 40 ? "" : tailOf(state.text, { ...frame, lines: TAIL.lines, chars: room });
  return tail === "" ? above : `${above}\n\n${tail}`;
}

/** Kept free for a fence that has to be opened again and closed. Characters. */
const FENCE_ROOM = 80;

/** Statuses of a run that stay true, newest last, each on its own line. */
export function noticeLines(state: ProgressState): string[] {
  return state.notices.map((notice) => plainLine(notice, NOTICE_CHARS));
}

function headLine(state: ProgressState, { agentName, elapsedMs }: ProgressFrame): string {
  const name = `**${plainLine(agentName, 40)}**`;
  if (state.queuedBefore !== null) return `⏳ ${name} · queued, ${state.queuedBefore} before you`;
  const turn = state.turn > 0 ? ` · turn ${state.turn}` : "";
  const isWorking = state.parkedOn === null || waitsForTasks(state);
  if (!isWorking && state.parkedOn !== null) return `⏸ ${name}${turn} · ${waitsFor(state, state.parkedOn)}`;
  return `⏳ ${name}${turn} · ${elapsed(elapsedMs)}`;
}

/** Nobody need do anything: the run's sub-agents are at work, and not all of them wait. */
function waitsForTasks(state: ProgressState): boolean {
  const isAnyAtWork =
    state.parkedOn === "call" && state.tasks.some((task) => isAtWork(task) && task.state !== "waiting");
  return isAnyAtWork && waitingSteps(state).every(isOfSubAgent);
}

/** A call waits for a sub-agent, which may not have begun yet and so says nothing of itself. */
export function isHandedOver(state: ProgressState): boolean {
  return state.parkedOn === "call" && waitingSteps(state).some(isOfSubAgent);
}

function waitingSteps({ steps }: ProgressState): Step[] {
  return steps.filter(({ state }) => state === "waiting");
}

function waitsFor({ steps }: ProgressState, parkedOn: ParkedOn): string {
  if (parkedOn === "approval") return "waits for a decision";
  const waiting = steps.find(({ state }) => state === "waiting");
  return waiting === undefined ? "waits" : plainLine(waiting.summary, SUMMARY_CHARS);
}

function toolLines(state: ProgressState): string[] {
  const isTask = ({ toolId }: Step) => state.tasks.some(({ callId }) => callId === toolId);
  const lines = foldReads(state.steps.filter((step) => !isTask(step)));
  const shown = lines.slice(-TOOL_LINES);
  const older = state.earlierSteps + lines.slice(0, -TOOL_LINES).reduce((sum, line) => sum + line.steps, 0);
  const texts = shown.map((line) => line.text);
  return older === 0 ? texts : [`✓ ${count(older, "earlier step")}`, ...texts];
}

interface Line {
  readonly text: string;
  readonly steps: number;
}

const SEARCHES = new Set(["glob", "grep"]);

function isQuietRead(step: Step): boolean {
  return step.state === "done" && (step.toolName === "read" || SEARCHES.has(step.toolName));
}

/** Reads and searches in a row become one line. */
function foldReads(steps: readonly Step[]): Line[] {
  const lines: Line[] = [];
  let run: Step[] = [];
  const endRun = () => {
    if (run.length > 0)
      lines.push({ text: run.length === 1 ? run.map(stepLine).join("") : foldedLine(run), steps: run.length });
    run = [];
  };
  for (const step of steps) {
    if (isQuietRead(step)) {
      run.push(step);
      continue;
    }
    endRun();
    lines.push({ text: stepLine(step), steps: 1 });
  }
  endRun();
  return lines;
}

function foldedLine(run: readonly Step[]): string {
  const searches = run.filter((step) => SEARCHES.has(step.toolName)).length;
  const reads = run.length - searches;
  const parts = [
    ...(reads > 0 ? [`read ${count(reads, "file")}`] : []),
    ...(searches > 0 ? [`searched ${count(searches, "pattern")}`] : []),
  ];
  return `✓ ${parts.join(", ")}`;
}

const ICONS: Readonly<Record<Step["state"], string>> = {
  working: "⏳",
  queued: "⏳",
  waiting: "⏸",
  done: "✓",
  failed: "✗",
};

function stepLine(step: Step): string {
  const title = inlineCode(step.title, TITLE_CHARS);
  const parts = [`${ICONS[step.state]} ${plainLine(step.toolName, 64)}${title === "" ? "" : ` ${title}`}`];
  if (step.summary !== "") parts.push(plainLine(step.summary, SUMMARY_CHARS));
  if (step.state === "queued") parts.push(`waits for its place, ${step.before} before it`);
  if (!isOpen(step) && step.durationMs >= WORTH_TELLING_MS) parts.push(duration(step.durationMs));
  return parts.join(" · ");
}
