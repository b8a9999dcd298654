import { plainLine } from "../protocol/plain-text.ts";
import type { OutgoingMessage } from "../protocol/platform.ts";
import type { ToolResult } from "../protocol/tool-result.ts";
import type { Store } from "../store/store.ts";
import type { ToolCallRow } from "../store/tool-calls.ts";

/** Of a call's input and of its result, in the list. Characters. */
const INPUT_CHARS = 120;
const RESULT_CHARS = 200;
const NAME_CHARS = 40;
/** Shorter calls do not say how long they took. Milliseconds. */
const WORTH_TELLING_MS = 100;
/** Of the whole list; the rest goes into the file. Characters. */
const LIST_CHARS = 1_800;

/** Every step of a run for the person who asked: a list cut to a message's size, and all of it as a file. */
export async function runDetails(store: Store, runId: string): Promise<OutgoingMessage | null> {
  const run = await store.runs.get(runId);
  if (run === null) return null;
  const [calls, spent] = await Promise.all([store.toolCalls.ofRun(runId), store.usage.ofRun(runId)]);
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = spent.usage;
  const read = inputTokens + cacheReadTokens + cacheWriteTokens;
  const cost = spent.costUsd === null ? "cost unknown" : spent.costUsd === 0 ? "free" : `$${spent.costUsd.toFixed(4)}`;
  const head = `**${spent.turns} turn${spent.turns === 1 ? "" : "s"}** · ${read} tokens read, ${outputTokens} written · ${cost}`;
  const below = await taskSteps(store, run);
  const own = calls.length === 0 ? "No tools were used." : calls.map(stepLine).join("\n");
  const list = [own, ...below.map(({ head: title, calls: steps }) => [title, ...steps.map(stepLine)].join("\n"))].join(
    "\n",
  );
  const isCut = list.length > LIST_CHARS;
  const shown = isCut ? `${list.slice(0, list.lastIndexOf("\n", LIST_CHARS))}\n…` : list;
  return {
    lane: "answer",
    markdown: `${head}\n${shown}`,
    tone: "plain",
    buttons: [],
    files: calls.length === 0 ? [] : [{ name: "steps.txt", mediaType: "text/plain", data: wholeSteps(calls, below) }],
  };
}

interface TaskSteps {
  readonly head: string;
  readonly calls: readonly ToolCallRow[];
}

/** What each sub-agent that descends from the run has done. */
async function taskSteps(store: Store, run: { id: string; sessionId: string }): Promise<TaskSteps[]> {
  const { ofRun } = await store.children.family(run.sessionId, run.id);
  const children = await Promise.all(ofRun.sessionIds.map((id) => store.children.get(id)));
  return Promise.all(
    children
      .filter((child) => child !== null)
      .map(async ({ id, task: { agent, description } }) => {
        const own = await store.children.runOf(id);
        const calls = own === null ? [] : await store.toolCalls.ofRun(own.id);
        return { head: `→ **${plainLine(agent, NAME_CHARS)}**: ${plainLine(description, INPUT_CHARS)}`, calls };
      }),
  );
}

function stepLine(call: ToolCallRow): string {
  const sign = call.result === null ? "⏳" : call.result.isError ? "✗" : "✓";
  const time =
    call.durationMs === null || call.durationMs < WORTH_TELLING_MS ? "" : ` · ${(call.durationMs / 1000).toFixed(1)} s`;
  const input = code(cut(JSON.stringify(call.input), INPUT_CHARS));
  const result = call.result === null ? "" : `\n   ${code(cut(oneLine(textOfResult(call.result)), RESULT_CHARS))}`;
  return `${sign} ${call.name} ${input}${time}${result}`;
}

function wholeSteps(calls: readonly ToolCallRow[], below: readonly TaskSteps[]): Uint8Array {
  const steps = [...calls.map(wholeStep), ...below.flatMap((task) => [`${task.head}\n`, ...task.calls.map(wholeStep)])];
  return new TextEncoder().encode(steps.join(`\n${"─".repeat(40)}\n\n`));
}

function wholeStep(call: ToolCallRow): string {
  const result = call.result === null ? "(no result)" : textOfResult(call.result);
  return `turn ${call.turn} · ${call.name}\n${JSON.stringify(call.input, null, 2)}\n\n${result}\n`;
}

function textOfResult(result: ToolResult): string {
  return result.content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
}

function code(text: string): string {
  return `\`${text.replaceAll("`", "'")}\``;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function cut(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, chars - 1)}…`;
}
