import { assertNever } from "../../../core/protocol/assert-never.ts";
import type { ParkedOn, QueryEvent, TaskProgress } from "../../../core/protocol/events.ts";
import type { PlanStep } from "../../../core/protocol/plan.ts";
import { openedAbove } from "../markdown/incomplete-markdown.ts";

/** The state shown by a run's live message, derived from the run's events. */
export interface ProgressState {
  readonly turn: number;
  /** What the run is parked on; null while it works. */
  readonly parkedOn: ParkedOn | null;
  /** Number of runs ahead of this one in the queue; null once it runs. */
  readonly queuedBefore: number | null;
  /** The plan being carried out; null if there is none. */
  readonly plan: readonly PlanStep[] | null;
  readonly steps: readonly Step[];
  /** Sub-agents, in the order in which they began. */
  readonly tasks: readonly TaskProgress[];
  /** Number of older steps that are no longer kept one by one. */
  readonly earlierSteps: number;
  /** The kept end of the newest turn's text. */
  readonly text: string;
  /** Whether the text belongs to the previous turn. It stays until the next token replaces it, to avoid flicker. */
  readonly textIsOld: boolean;
  readonly notices: readonly string[];
  /** A temporary status, such as a wait; null once the run continues. */
  readonly passing: string | null;
}

export interface Step {
  readonly toolId: string;
  readonly toolName: string;
  readonly title: string;
  readonly state: "working" | "queued" | "waiting" | "done" | "failed";
  /** Number of calls ahead of a queued one. */
  readonly before: number;
  /** The result of a finished call, what a waiting call waits for, or the progress of a working one. */
  readonly summary: string;
  readonly durationMs: number;
}

/** Maximum number of steps kept one by one. It exceeds what is shown, because consecutive reads fold into one line. */
const KEPT_STEPS = 60;
/** Maximum length of the kept text, far more than the tail that is shown. In characters. */
const KEPT_CHARS = 12_000;
const KEPT_NOTICES = 3;

export const NO_PROGRESS: ProgressState = {
  turn: 0,
  parkedOn: null,
  plan: null,
  queuedBefore: null,
  steps: [],
  tasks: [],
  earlierSteps: 0,
  text: "",
  textIsOld: false,
  notices: [],
  passing: null,
};

export function reduceProgress(state: ProgressState, event: QueryEvent): ProgressState {
  const next = followed(state, event);
  const isOver = event.type === "token" || event.type === "tool_start" || event.type === "turn_end";
  return isOver && next.passing !== null ? { ...next, passing: null } : next;
}

function followed(state: ProgressState, event: QueryEvent): ProgressState {
  switch (event.type) {
    case "turn_start":
      return { ...state, turn: event.turn, queuedBefore: null, textIsOld: true };
    case "token":
      return { ...state, text: keepTail(state.textIsOld ? event.text : state.text + event.text), textIsOld: false };
    case "text_discarded":
      return { ...state, text: "", textIsOld: false };
    case "tool_start": {
      const { toolId, toolName, title } = event;
      return withStep(state, { toolId, toolName, title, state: "working", before: 0, summary: "", durationMs: 0 });
    }
    case "tool_queued":
      return changeStep(state, event.toolId, { state: "queued", before: event.before });
    case "tool_waits":
      return changeStep(state, event.toolId, { state: "waiting", summary: event.what });
    case "tool_progress":
      return changeStep(state, event.toolId, { state: "working", summary: event.text });
    case "tool_end": {
      const { toolId, result, durationMs } = event;
      const { isError, summary = "" } = result;
      return changeStep(state, toolId, { state: isError ? "failed" : "done", summary, durationMs });
    }
    case "task":
      return withTask(state, event.task);
    case "plan":
      return { ...state, plan: event.steps };
    case "queued":
      return { ...state, queuedBefore: event.before };
    case "status":
      return event.passes === true ? { ...state, passing: event.text } : withNotice(state, event.text);
    case "parked":
      return { ...state, parkedOn: event.on };
    case "turn_end":
    case "steered":
      return state;
    default:
      return assertNever(event);
  }
}

/** Adds a notice, replacing an earlier one that differs only in its figures: `(1 of 2)`, then `(2 of 2)`. */
function withNotice(state: ProgressState, text: string): ProgressState {
  const others = state.notices.filter((notice) => shapeOf(notice) !== shapeOf(text));
  return { ...state, notices: [...others, text].slice(-KEPT_NOTICES) };
}

function shapeOf(notice: string): string {
  return notice.replaceAll(/\d+/g, "#");
}

/** Adds a step. One that starts again, as a call replayed after a restart does, keeps its old place. */
function withStep(state: ProgressState, step: Step): ProgressState {
  if (state.steps.some(({ toolId }) => toolId === step.toolId)) return changeStep(state, step.toolId, step);
  const steps = [...state.steps, step];
  const [oldest] = steps;
  if (steps.length <= KEPT_STEPS || oldest === undefined || isOpen(oldest)) return { ...state, steps };
  return { ...state, steps: steps.slice(1), earlierSteps: state.earlierSteps + 1 };
}

function withTask(state: ProgressState, task: TaskProgress): ProgressState {
  const known = state.tasks.some(({ id }) => id === task.id);
  const tasks = known ? state.tasks.map((each) => (each.id === task.id ? task : each)) : [...state.tasks, task];
  return { ...state, tasks };
}

function changeStep(state: ProgressState, toolId: string, change: Partial<Step>): ProgressState {
  return { ...state, steps: state.steps.map((step) => (step.toolId === toolId ? { ...step, ...change } : step)) };
}

export function isOpen(step: Step): boolean {
  return step.state !== "done" && step.state !== "failed";
}

/** Keeps the end of the text. If the cut falls inside code or a table, its opening line or head is repeated. */
function keepTail(text: string): string {
  if (text.length <= KEPT_CHARS) return text;
  const cut = text.indexOf("\n", text.length - KEPT_CHARS / 2);
  const from = cut === -1 ? text.length - KEPT_CHARS / 2 : cut + 1;
  const kept = text.slice(from);
  return openedAbove(text.slice(0, from).replace(/\n$/u, ""), kept.split("\n", 1).join("")) + kept.toWellFormed();
}
