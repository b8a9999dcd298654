import type { ChildReport } from "../../../src/core/events/child-event.ts";
import type { Receipt } from "../../../src/core/platform/inbound.ts";
import { type Message, type ToolUseBlock, textOf, toolUsesOf } from "../../../src/core/protocol/messages.ts";
import { reportOf } from "../../../src/core/store/child-status.ts";
import type { ChildRow } from "../../../src/core/store/run/children.ts";
import type { RunRow } from "../../../src/core/store/runs.ts";
import type { Store } from "../../../src/core/store/store.ts";
import { agentIdOf } from "./errands.ts";
import type { Deeds } from "./sim-tools.ts";

/** An accepted stop of a run. */
interface Stop {
  readonly runId: string;
  /** In milliseconds since the epoch. */
  readonly at: number;
}

/** A session of people, or a sub-agent's session beneath it. */
interface Line {
  readonly sessionId: string;
  readonly children: readonly ChildRow[];
  readonly calls: readonly Call[];
  /** Texts of users and notes. */
  readonly said: readonly string[];
}

interface Call extends ToolUseBlock {
  /** Texts of its results. */
  readonly results: readonly string[];
}

/** An ended sub-agent under examination. */
interface Ended {
  readonly child: ChildRow;
  readonly report: ChildReport | null;
  /** Null if it never began. */
  readonly run: RunRow | null;
  readonly parentRun: RunRow;
  readonly parent: Line;
}

/** Allowed delay in milliseconds for stops to take effect and for due work to start. */
const SLACK_MS = 3_000;
const NEVER_BEGAN = "It was stopped before it started.";

/** Checks that sessions and their sub-agents ended correctly. */
export class LineAudit {
  readonly #store: Store;
  readonly #deeds: Deeds;
  readonly #stops: Stop[] = [];
  #wrong: string[] = [];
  #stoppedAll = 0;

  constructor(store: Store, deeds: Deeds) {
    this.#store = store;
    this.#deeds = deeds;
  }

  /** Records the outcome of a click or a typed command. `at` is in milliseconds since the epoch. */
  clicked(button: string, receipt: Receipt, at: number): void {
    const [verb, runId = ""] = button.split(":");
    if (verb === "stop" && receipt.type === "accepted") this.#stops.push({ runId, at });
    if (verb === "/stop") this.#stoppedAll += 1;
  }

  /** True if nothing is in progress and nothing due is waiting. */
  async isAtRest(keys: readonly string[], now: number): Promise<boolean> {
    if ((await this.#store.inbox.sessionsToWake(now - SLACK_MS)).length > 0) return false;
    for (const { sessionId } of await this.#lines(keys)) {
      if ((await this.#store.runs.open(sessionId)) !== null) return false;
    }
    return true;
  }

  /** All violations, and counts of how sub-agents ended. `keys` are those of people's sessions. */
  async audit(keys: readonly string[], now: number) {
    this.#wrong = [];
    const ends: Record<string, number> = {};
    const lines = await this.#lines(keys);
    for (const line of lines) {
      await this.#checkWaits(line.sessionId, now);
      for (const { id, results } of line.calls) {
        if (results.length !== 1) this.#wrong.push(`${line.sessionId}:${id} has ${results.length} results`);
      }
      for (const child of line.children) {
        const ended = await this.#ended(child, line);
        this.#checkTold(ended);
        this.#checkLifetime(ended);
        const end = `${child.task.background ? "background" : "foreground"} ${ended.report?.status ?? "never begun"}`;
        ends[end] = (ends[end] ?? 0) + 1;
      }
    }
    for (const stop of this.#stops) await this.#checkStop(stop, lines);
    return { wrong: this.#wrong, ends };
  }

  /** People's sessions and all their descendants, parents before children. */
  async #lines(keys: readonly string[]): Promise<Line[]> {
    const found = await Promise.all(keys.map((key) => this.#store.sessions.byKey(key)));
    const ids = found.flatMap((session) => (session === null ? [] : [session.id]));
    const lines: Line[] = [];
    for (let sessionId = ids.shift(); sessionId !== undefined; sessionId = ids.shift()) {
      const children = await this.#store.children.ofSession(sessionId);
      lines.push({ sessionId, children, ...heardIn(await this.#store.messages.list(sessionId)) });
      ids.push(...children.map(({ id }) => id));
    }
    return lines;
  }

  /** Reports open runs and questions, and due events that still wait. */
  async #checkWaits(sessionId: string, now: number): Promise<void> {
    const { runs, inbox, questions } = this.#store;
    const run = await runs.open(sessionId);
    if (run !== null) this.#wrong.push(`${run.id} is ${run.status}, stopped by ${JSON.stringify(run.cancelledBy)}`);
    for (const { key } of await inbox.waiting(sessionId, now - SLACK_MS)) this.#wrong.push(`${key} waits`);
    const question = await questions.openIn(sessionId);
    if (question !== null) this.#wrong.push(`${question.id} is open`);
  }

  /** Collects how a sub-agent ended. */
  async #ended(child: ChildRow, parent: Line): Promise<Ended> {
    const { runs } = this.#store;
    const [run, parentRun] = await Promise.all([runs.newestOf(child.id), runs.get(child.parentRunId)]);
    if (parentRun === null) throw new Error(`${child.id} has no parent`);
    return { child, report: await reportOf(this.#store, child.id), run, parentRun, parent };
  }

  #checkTold(ended: Ended): void {
    const { child, report, run, parentRun } = ended;
    const { never, times } = told(ended);
    const isStopped = parentRun.cancelledBy !== null || this.#stoppedAll > 0 || isCancelledIn(ended);
    if (never && run !== null) this.#wrong.push(`${child.id} began, and its parent was told otherwise`);
    if (run === null && !isStopped) this.#wrong.push(`${child.id} never began, and nobody stopped it`);
    if (report === null) return;
    // If a parent was stopped, or a background sub-agent, nobody needs the report.
    const mayBeUntold = parentRun.cancelledBy !== null || (child.task.background && report.status === "stopped");
    const isRight = times === 1 || (times === 0 && mayBeUntold);
    if (!isRight) this.#wrong.push(`${child.id} ${report.status}: told ${times} times`);
  }

  /** Reports sub-agents that outlive a stopped parent. */
  #checkLifetime({ child, run, parentRun }: Ended): void {
    if (parentRun.cancelledBy === null || run === null || run.cancelledBy !== null) return;
    const outlives = (run.endedAt ?? Infinity) > (parentRun.endedAt ?? Infinity);
    if (outlives || run.startedAt > (parentRun.endedAt ?? Infinity)) {
      this.#wrong.push(`${child.id} went on after ${parentRun.id} was stopped`);
    }
  }

  /** Reports tool uses after a stop by the run or any beneath it. */
  async #checkStop({ runId, at }: Stop, lines: readonly Line[]): Promise<void> {
    const runIds = new Set([runId]);
    for (const child of lines.flatMap(({ children }) => children)) {
      const run = runIds.has(child.parentRunId) ? await this.#store.runs.newestOf(child.id) : null;
      if (run !== null) runIds.add(run.id);
    }
    const late = this.#deeds.uses().filter((use) => runIds.has(use.runId) && use.at > at + SLACK_MS);
    this.#wrong.push(...late.map((use) => `${use.runId} worked on after the stop of ${runId}`));
  }
}

function heardIn(history: readonly Message[]): Pick<Line, "calls" | "said"> {
  const results = history.flatMap(({ content }) => content.filter((block) => block.type === "tool_result"));
  const calls = history
    .flatMap(({ content }) => toolUsesOf(content))
    .map((use) => {
      const own = results.filter(({ toolUseId }) => toolUseId === use.id);
      return { ...use, results: own.map((block) => textOf(block.content.filter((part) => part.type === "text"))) };
    });
  const said = history.filter(({ role }) => role === "user").map(({ content }) => textOf(content));
  return { calls, said };
}

/**
 * How often the parent's history contains the sub-agent's report, and whether it says that the sub-agent never began.
 */
function told({ child, report, parent }: Ended): { readonly never: boolean; readonly times: number } {
  const about = parent.calls.filter((call) => call.id === child.parentCallId || agentIdOf(call) === child.id);
  const texts = about.flatMap(({ results }) => results);
  const head = `[Sub-agent ${child.task.agent} (${child.id})`;
  const notes = parent.said.filter((text) => text.startsWith(head));
  const reports = report === null ? [] : texts.filter((text) => text.startsWith(report.text));
  return { never: texts.some((text) => text.startsWith(NEVER_BEGAN)), times: notes.length + reports.length };
}

function isCancelledIn({ child, parent }: Ended): boolean {
  return parent.calls.some((call) => agentIdOf(call) === child.id && JSON.stringify(call.input).includes("cancel"));
}
