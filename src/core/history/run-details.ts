import { collapseReads } from "../context/collapse-reads.ts";
import { renderBlock } from "../context/render-block.ts";
import type { OutgoingMessage } from "../platform/outgoing.ts";
import type { ToolUseBlock } from "../protocol/messages.ts";
import { textOfResult } from "../protocol/tool-result.ts";
import { inputTokensOf } from "../protocol/usage.ts";
import type { ToolCallRow } from "../store/run/tool-calls.ts";
import type { Store } from "../store/store.ts";
import { counted } from "../text/counted.ts";
import { dollars, figure } from "../text/dollars.ts";
import { codeBlock, inlineCode, plainLine, visibleText } from "../text/plain-text.ts";

/** Maximum length of a call's input on its line, in characters. */
const INPUT_CHARS = 120;
/** Length limits of a result on one line and, if there is room, in a block. In characters. */
const RESULT_CHARS = { line: 200, least: 400, most: 1_500 };
const RESULT_LINES = 12;
const NAME_CHARS = 40;
/** Room for a step's text beside its result, in characters. */
const STEP_CHARS = 200;
/** Room for the head and the note about omitted steps, in characters. */
const FRAME_CHARS = 200;
/** Minimum duration that is shown, in milliseconds. */
const MIN_SHOWN_MS = 100;

/** Lists a run's steps: as many as fit in a message, and all of them in a file. */
export async function runDetails(store: Store, runId: string, maxChars: number): Promise<OutgoingMessage | null> {
  const run = await store.runs.get(runId);
  if (run === null) return null;
  const [calls, spent] = await Promise.all([store.toolCalls.ofRun(runId), store.usage.ofRun(runId)]);
  const read = inputTokensOf(spent.usage);
  const cost = spent.costUsd === null ? "cost unknown" : spent.costUsd === 0 ? "free" : dollars(spent.costUsd);
  const head = `**${counted(spent.turns, "turn")}** · ${figure(read)} tokens read, ${figure(spent.usage.outputTokens)} written · ${cost}`;
  const below = await taskSteps(store, run);
  const parts: TaskSteps[] = [{ head: null, calls }, ...below];
  const steps = parts.reduce((sum, part) => sum + part.calls.length, 0);
  const file = { name: "steps.txt", mediaType: "text/plain", data: wholeSteps(calls, below) };
  return {
    lane: "answer",
    markdown: `${head}\n${stepList(parts, { steps, maxChars: maxChars - FRAME_CHARS })}`,
    tone: "plain",
    buttons: [],
    files: steps === 0 ? [] : [file],
  };
}

interface TaskSteps {
  /** Heading of a sub-agent's steps; null for the run's own. */
  readonly head: string | null;
  readonly calls: readonly ToolCallRow[];
}

async function taskSteps(store: Store, run: { id: string; sessionId: string }): Promise<TaskSteps[]> {
  const { ofRun } = await store.children.family(run.sessionId, run.id);
  return Promise.all(
    ofRun.children.map(async ({ id, task: { agent, description } }) => {
      const own = await store.runs.newestOf(id);
      const calls = own === null ? [] : await store.toolCalls.ofRun(own.id);
      return { head: `→ **${plainLine(agent, NAME_CHARS)}**: ${plainLine(description, INPUT_CHARS)}`, calls };
    }),
  );
}

/** Lists the steps in the most detailed form that fits; if none does, cuts the shortest one. */
function stepList(parts: readonly TaskSteps[], { steps, maxChars }: { steps: number; maxChars: number }): string {
  if (steps === 0) return "No tools were used.";
  const room = Math.floor(maxChars / steps) - STEP_CHARS;
  const asBlock = (chars: number) => listOf(parts, (calls) => calls.map((call) => stepWithBlock(call, chars)));
  const ways = [
    ...(room < RESULT_CHARS.least ? [] : [() => asBlock(Math.min(room, RESULT_CHARS.most))]),
    () => listOf(parts, (calls) => calls.map(stepWithLine)),
    () => listOf(parts, collapsedSteps),
  ];
  const lists = ways.map((way) => way());
  const fitting = lists.find((list) => list.join("\n").length <= maxChars);
  return fitting === undefined ? cutList(lists.at(-1) ?? [], maxChars) : fitting.join("\n");
}

function listOf(parts: readonly TaskSteps[], stepsOf: (calls: readonly ToolCallRow[]) => readonly string[]): string[] {
  return parts.flatMap(({ head, calls }) => [...(head === null ? [] : [head]), ...stepsOf(calls)]);
}

function cutList(list: readonly string[], maxChars: number): string {
  const shown: string[] = [];
  let left = maxChars;
  for (const step of list) {
    left -= step.length + 1;
    if (left < 0) break;
    shown.push(step);
  }
  return [...shown, `… ${list.length - shown.length} more in the file`].join("\n");
}

function stepHead(call: ToolCallRow): string {
  const sign = call.result === null ? "⏳" : call.result.isError ? "✗" : "✓";
  const time =
    call.durationMs === null || call.durationMs < MIN_SHOWN_MS ? "" : ` · ${(call.durationMs / 1000).toFixed(1)} s`;
  return `${sign} **${plainLine(call.name, NAME_CHARS)}** ${inlineCode(inputText(call.input), INPUT_CHARS)}${time}`;
}

function stepWithLine(call: ToolCallRow): string {
  const result = call.result === null ? "" : inlineCode(textOfResult(call.result), RESULT_CHARS.line);
  return result === "" ? stepHead(call) : `${stepHead(call)}\n   ${result}`;
}

function stepWithBlock(call: ToolCallRow, chars: number): string {
  if (call.result === null) return stepHead(call);
  const text = visibleText(textOfResult(call.result)).trimEnd();
  const shown = text.split("\n").slice(0, RESULT_LINES).join("\n").slice(0, chars).toWellFormed();
  const more = text.length - shown.length;
  return `${stepHead(call)}\n${codeBlock(more > 0 ? `${shown}\n… ${more} more characters` : shown, "")}`;
}

/** One line for each step. Consecutive reads and searches share a line unless one failed. */
function collapsedSteps(calls: readonly ToolCallRow[]): string[] {
  const byId = new Map(calls.map((call) => [call.callId, call]));
  const uses = calls.map(
    (call): ToolUseBlock => ({
      type: "tool_use",
      id: call.callId,
      // The added space keeps failed and open calls from being collapsed, since no read or search has such a name.
      name: call.result?.isError === false ? call.name : `${call.name} `,
      input: call.input,
    }),
  );
  return collapseReads(uses).map((block) => {
    const call = block.type === "tool_use" ? byId.get(block.id) : undefined;
    return call === undefined ? renderBlock(block) : stepWithLine(call);
  });
}

/** The input as text. A single string stands alone: `ls -l` instead of `{"command":"ls -l"}`. */
function inputText(input: unknown): string {
  const values = typeof input === "object" && input !== null ? Object.values(input) : [];
  const [only] = values;
  return values.length === 1 && typeof only === "string" ? only : JSON.stringify(input);
}

function wholeSteps(calls: readonly ToolCallRow[], below: readonly TaskSteps[]): Uint8Array {
  const steps = [...calls.map(wholeStep), ...below.flatMap((task) => [`${task.head}\n`, ...task.calls.map(wholeStep)])];
  return new TextEncoder().encode(steps.join(`\n${"─".repeat(40)}\n\n`));
}

function wholeStep(call: ToolCallRow): string {
  const result = call.result === null ? "(no result)" : textOfResult(call.result);
  return `turn ${call.turn} · ${call.name}\n${JSON.stringify(call.input, null, 2)}\n\n${result}\n`;
}
