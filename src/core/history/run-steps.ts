import type { RunStep } from "../protocol/session-summary.ts";
import { textOfResult } from "../protocol/tool-result.ts";
import type { ChildRow } from "../store/run/children.ts";
import type { ToolCallRow } from "../store/run/tool-calls.ts";
import type { RunRow } from "../store/runs.ts";
import type { Store } from "../store/store.ts";
import { cut } from "../text/plain-text.ts";
import { openInteractions } from "./session-state.ts";

/** Maximum number of listed steps; the newest are kept. */
const MAX_STEPS = 100;
/** Maximum lengths of a step's input and of its result, in characters. */
const INPUT_CHARS = 1_000;
const RESULT_CHARS = 1_500;

export interface StepSources {
  readonly store: Store;
  /** Returns the short argument of a call. */
  readonly titleOf: (tool: string, input: unknown) => string;
}

/** The run's steps in order, followed by those of each of its sub-agents. */
export async function stepsOfRun(
  { store, titleOf }: StepSources,
  { run, children }: { readonly run: RunRow; readonly children: readonly ChildRow[] },
): Promise<RunStep[]> {
  const stepsOf = async (
    { id, sessionId }: Pick<RunRow, "id" | "sessionId">,
    agent: string | null,
  ): Promise<RunStep[]> => {
    const calls = (await store.toolCalls.ofRun(id)).slice(-MAX_STEPS);
    const asked = calls.some(({ result }) => result === null)
      ? (await openInteractions(store, [sessionId])).flat()
      : [];
    const open = asked.some(({ runId }) => runId === id) ? "waiting" : "working";
    return calls.map((call) => stepOf(call, { runId: id, agent, title: titleOf(call.name, call.input), open }));
  };
  const ofChild = async ({ id, task }: ChildRow): Promise<RunStep[]> => {
    const own = await store.runs.newestOf(id);
    return own === null ? [] : stepsOf(own, task.agent);
  };
  const [own, ...below] = await Promise.all([stepsOf(run, null), ...children.map(ofChild)]);
  return [...own, ...below.flat()];
}

interface StepFacts extends Pick<RunStep, "agent" | "title"> {
  readonly runId: string;
  /** The state of calls without a result. If the run is asking people, all of them wait. */
  readonly open: "waiting" | "working";
}

function stepOf(call: ToolCallRow, { runId, agent, title, open }: StepFacts): RunStep {
  const { callId, name, input, result, durationMs } = call;
  return {
    id: `${runId}:${callId}`,
    agent,
    tool: name,
    title,
    state: result === null ? open : result.isError ? "failed" : "done",
    input: cut(JSON.stringify(input, null, 2), INPUT_CHARS),
    result: result === null ? null : cut(textOfResult(result), RESULT_CHARS),
    durationMs,
  };
}
