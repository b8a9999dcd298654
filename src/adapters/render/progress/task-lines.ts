import type { TaskProgress } from "../../../core/protocol/events.ts";
import type { ShownLine } from "../../../core/protocol/shown.ts";
import { elapsed } from "../../../core/text/duration.ts";
import { plainLine } from "../../../core/text/plain-text.ts";
import { count } from "./figures.ts";

/** Maximum number of sub-agents shown one by one; of more, ended ones fold into a count. */
const SHOWN = 10;
const DESCRIPTION_CHARS = 80;
const AGENT_CHARS = 40;
const NOTE_CHARS = 120;

const ICONS: Readonly<Record<TaskProgress["state"], string>> = {
  queued: "⏳",
  working: "⏳",
  waiting: "⏸",
  done: "✓",
  failed: "✗",
  stopped: "⏹",
};

const WORDS: Readonly<Record<TaskProgress["state"], string | null>> = {
  queued: "queued",
  working: null,
  waiting: null,
  done: null,
  failed: "did not finish",
  stopped: "stopped",
};

/** One line per sub-agent: `⏳ explorer: find usages · 3 tools · 8 s`. */
export function taskLines(tasks: readonly TaskProgress[]): ShownLine[] {
  const surplus = tasks.length - SHOWN;
  const folded = surplus <= 0 ? [] : tasks.filter((task) => !isAtWork(task)).slice(0, surplus);
  const shown = tasks.filter((task) => !folded.includes(task)).slice(0, SHOWN);
  const more = tasks.length - folded.length - shown.length;
  return [
    ...(folded.length === 0 ? [] : [{ sign: "✓", text: count(folded.length, "earlier sub-agent"), isOver: true }]),
    ...shown.map(taskLine),
    ...(more === 0 ? [] : [{ sign: "⏳", text: count(more, "more sub-agent"), isOver: false }]),
  ];
}

export function isAtWork({ state }: TaskProgress): boolean {
  return state === "queued" || state === "working" || state === "waiting";
}

/** Whether a waiting call waits for a sub-agent. */
export function isOfSubAgent({ toolName }: { readonly toolName: string }): boolean {
  return toolName.startsWith("agent");
}

function taskLine(task: TaskProgress): ShownLine {
  const { agent, description, state, tools, elapsedMs, note } = task;
  const parts = [
    `${plainLine(agent, AGENT_CHARS)}: ${plainLine(description, DESCRIPTION_CHARS)}`,
    ...(tools > 0 ? [count(tools, "tool")] : []),
    ...(state === "queued" ? [] : [elapsed(elapsedMs)]),
    ...(WORDS[state] === null ? [] : [WORDS[state]]),
    ...(note === "" || !isAtWork(task) ? [] : [plainLine(note, NOTE_CHARS)]),
  ];
  return { sign: ICONS[state], text: parts.join(" · "), isOver: !isAtWork(task) };
}
