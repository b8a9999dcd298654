import type { CallEnding, FailedCall, RunJournal, Steering, SummaryCost } from "../../../src/core/agent/run-journal.ts";
import type { JournalledResponse, RunState } from "../../../src/core/agent/run-state.ts";
import { nextCutCount } from "../../../src/core/context/resume.ts";
import type { WriteIntent } from "../../../src/core/events/call-record.ts";
import type { Projection } from "../../../src/core/events/projection.ts";
import { WHOLE_HISTORY } from "../../../src/core/events/projection.ts";
import { labelOf, type Message, toolUsesOf } from "../../../src/core/protocol/messages.ts";
import type { ToolResult } from "../../../src/core/protocol/tool-result.ts";
import { addUsage, NO_USAGE, tokensOf, type Usage } from "../../../src/core/protocol/usage.ts";
import type { LabelledFile } from "../../../src/core/trust/file-labels.ts";
import { UNKNOWN_LABEL, unionOf } from "../../../src/core/trust/label.ts";

/** Thrown when the process dies at a journal write: nothing happens afterwards until `restart`. */
export class ProcessDied extends Error {}

export type JournalWrite = Exclude<keyof RunJournal, "load" | "appended"> | "toolResults" | "resumed";

/** The write, counted from 1 over the journal's life, before or after whose durability the process dies. */
export interface CrashPoint {
  readonly write: number;
  readonly when: "before" | "after";
}

interface StoredCall {
  readonly turn: number;
  status: "pending" | "begun" | "ended";
  intent: WriteIntent | null;
  result: ToolResult | null;
}

/**
 * A run's journal in memory, as strict as a database's constraints: it rejects writes that are out of order. It derives
 * the state from the stored writes on every load, as a restarted process does.
 */
export class MemoryJournal implements RunJournal {
  readonly #messages: Message[];
  readonly #responses: JournalledResponse[] = [];
  readonly #calls = new Map<string, StoredCall>();
  readonly #inbox: { readonly message: Message; readonly eventKey: string }[] = [];
  readonly #endedCalls: { readonly callId: string; readonly result: ToolResult; readonly durationMs: number }[] = [];
  readonly #writes: JournalWrite[] = [];
  readonly #resumedTurns = new Set<number>();
  #switchedTo: string | null = null;
  #projection: Projection = WHOLE_HISTORY;
  readonly #summaries: SummaryCost[] = [];
  readonly #cut: { readonly usage: Usage; readonly costUsd: number | null }[] = [];
  /** The response whose usage gives the size of requests; null once requests contain something else. */
  #measured: JournalledResponse | null = null;
  #crashAt: CrashPoint | null = null;
  #dead = false;
  /** Calls whose ends are written with the next write, so reading the store does not find them yet. */
  readonly #waiting = new Set<string>();

  constructor(history: readonly Message[]) {
    this.#messages = [...history];
  }

  /** The durable writes in order. */
  get writes(): readonly JournalWrite[] {
    return this.#writes;
  }

  get responses(): readonly JournalledResponse[] {
    return this.#responses;
  }

  /** A person's message arrives while the run continues. */
  arrives(message: Message, eventKey: string): void {
    this.#inbox.push({ message, eventKey });
  }

  crashAt(point: CrashPoint): void {
    this.#crashAt = point;
  }

  toolState(toolName: string): Promise<string | null> {
    const ended = this.#endedCalls.findLast(({ callId, result }) => {
      return result.toolState !== undefined && !this.#waiting.has(callId) && this.#nameOf(callId) === toolName;
    });
    return Promise.resolve(ended?.result.toolState ?? null);
  }

  #nameOf(callId: string): string | undefined {
    const uses = this.#messages.flatMap(({ content }) => toolUsesOf(content));
    return uses.find(({ id }) => id === callId)?.name;
  }

  restart(): void {
    this.#dead = false;
    this.#crashAt = null;
  }

  async load(): Promise<RunState> {
    this.#assertAlive();
    const newest = this.#responses.at(-1)?.message;
    const results = this.#endedCalls.map((call) => call.result);
    const files = results.flatMap((result) => result.files ?? []);
    const known = new Map<string, string>();
    for (const file of files) {
      if (file.sha256 === null) known.delete(file.path);
      else known.set(file.path, file.sha256);
    }
    const spent = [...this.#responses, ...this.#summaries, ...this.#cut];
    const costs = spent.map(({ costUsd }) => costUsd);
    return structuredClone({
      messages: this.#messages,
      label: unionOf([
        labelOf(this.#messages),
        ...(this.#projection.summary === null ? [] : [this.#projection.summary.label ?? UNKNOWN_LABEL]),
      ]),
      turns: this.#responses.length,
      lastStopReason: this.#responses.at(-1)?.stopReason ?? null,
      cuts: this.#responses.reduce((cuts, { stopReason }) => nextCutCount(cuts, stopReason), 0),
      switchedTo: this.#switchedTo,
      projection: this.#projection,
      hasSummarised: this.#summaries.length > 0,
      lastMeasured: this.#lastMeasured(),
      calls: toolUsesOf(newest?.content ?? []).map(({ id, name, input }) => {
        const { status, intent, result } = this.#call(id);
        return { callId: id, name, input, status, intent, result };
      }),
      usage: spent.map(({ usage }) => usage).reduce(addUsage, NO_USAGE),
      costUsd: costs.reduce((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0),
      callsAsked: this.#calls.size,
      toolsRun: this.#endedCalls.length,
      knownFiles: known,
      changedFiles: [...new Set(files.filter((file) => file.action === "wrote").map((file) => file.path))],
    });
  }

  modelResponded(response: JournalledResponse): Promise<void> {
    return this.#write("modelResponded", () => {
      const turn = this.#responses.length + 1;
      if (response.turn !== turn) throw new Error(`turn ${response.turn} follows ${turn - 1}`);
      if (this.#messages.at(-1)?.role !== "user") throw new Error("a response answers a user message");
      for (const use of toolUsesOf(response.message.content)) {
        if (this.#calls.has(use.id)) throw new Error(`call ${use.id} exists`);
        this.#calls.set(use.id, { turn, status: "pending", intent: null, result: null });
      }
      this.#responses.push(response);
      this.#messages.push(response.message);
      this.#measured = response;
    });
  }

  callFailed({ usage, costUsd }: FailedCall): Promise<void> {
    return this.#write("callFailed", () => {
      if (usage !== null) this.#cut.push({ usage, costUsd });
    });
  }

  callBegun(callId: string): Promise<void> {
    return this.#write("callBegun", () => {
      const call = this.#call(callId);
      if (call.status !== "pending") throw new Error(`call ${callId} is ${call.status}`);
      call.status = "begun";
    });
  }

  callIntends(callId: string, intent: WriteIntent): Promise<void> {
    return this.#write("callIntends", () => {
      const call = this.#call(callId);
      if (call.status !== "begun") throw new Error(`call ${callId} is ${call.status}`);
      call.intent = intent;
    });
  }

  labelledFiles(): Promise<readonly LabelledFile[]> {
    return Promise.resolve([]);
  }

  callEnded(callId: string, result: ToolResult, { durationMs, mayWait }: CallEnding): Promise<void> {
    return this.#write("callEnded", () => {
      if (mayWait) this.#waiting.add(callId);
      else this.#waiting.clear();
      const call = this.#call(callId);
      if (call.status === "ended") throw new Error(`call ${callId} has ended`);
      call.status = "ended";
      call.result = result;
      this.#endedCalls.push({ callId, result, durationMs });
    });
  }

  appended(message: Message): Promise<void> {
    return message.content.some(({ type }) => type === "tool_result")
      ? this.#toolResults(message)
      : this.#resumed(message);
  }

  #toolResults(message: Message): Promise<void> {
    return this.#write("toolResults", () => {
      this.#waiting.clear();
      const turn = this.#responses.at(-1)?.turn;
      const calls = [...this.#calls.values()].filter((call) => call.turn === turn);
      if (calls.some((call) => call.status !== "ended")) throw new Error("a call has not ended");
      const results = message.content.filter((block) => block.type === "tool_result");
      if (results.length !== calls.length) throw new Error(`${results.length} results of ${calls.length} calls`);
      this.#messages.push(message);
    });
  }

  #resumed(message: Message): Promise<void> {
    return this.#write("resumed", () => {
      const newest = this.#responses.at(-1);
      if (newest?.stopReason !== "max_tokens") throw new Error("no response was cut");
      if (this.#resumedTurns.has(newest.turn)) throw new Error(`turn ${newest.turn} was resumed before`);
      this.#resumedTurns.add(newest.turn);
      this.#messages.push(message);
    });
  }

  modelSwitched(model: string): Promise<void> {
    return this.#write("modelSwitched", () => {
      if (this.#switchedTo !== null) throw new Error("the run has switched before");
      this.#switchedTo = model;
    });
  }

  projected(projection: Projection, spent: SummaryCost | null): Promise<void> {
    return this.#write("projected", () => {
      const { number, evictedResults, summary } = this.projection;
      if (projection.number !== number + 1) throw new Error(`projection ${projection.number} follows ${number}`);
      if (projection.evictedResults < evictedResults) throw new Error("an evicted result came back");
      if ((projection.summary?.messages ?? 0) < (summary?.messages ?? 0))
        throw new Error("summarised messages came back");
      this.#projection = projection;
      this.#measured = null;
      if (spent !== null) this.#summaries.push(spent);
    });
  }

  get projection(): Projection {
    return this.#projection;
  }

  /** Only messages count as a write; reading an empty inbox changes nothing. */
  async takeSteering(_turn: number): Promise<Steering> {
    this.#assertAlive();
    if (this.#inbox.length === 0) return { messages: [], eventKeys: [] };
    return this.#write("takeSteering", () => {
      const taken = this.#inbox.splice(0);
      this.#messages.push(...taken.map((entry) => entry.message));
      return { messages: taken.map((entry) => entry.message), eventKeys: taken.map((entry) => entry.eventKey) };
    });
  }

  async #write<T>(name: JournalWrite, apply: () => T): Promise<T> {
    this.#assertAlive();
    const crash = this.#crashAt?.write === this.#writes.length + 1 ? this.#crashAt.when : null;
    if (crash === "before") this.#die();
    const result = apply();
    this.#writes.push(name);
    if (crash === "after") this.#die();
    return structuredClone(result);
  }

  #lastMeasured(): RunState["lastMeasured"] {
    if (this.#measured === null) return null;
    const { usage, message } = this.#measured;
    return { tokens: tokensOf(usage), messages: this.#messages.indexOf(message) + 1 };
  }

  #die(): never {
    this.#dead = true;
    throw new ProcessDied("the process died");
  }

  #assertAlive(): void {
    if (this.#dead) this.#die();
  }

  #call(callId: string): StoredCall {
    const call = this.#calls.get(callId);
    if (call === undefined) throw new Error(`no call ${callId}`);
    return call;
  }
}
