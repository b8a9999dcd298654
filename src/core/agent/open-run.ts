import type { Projection } from "../context/projection.ts";
import { cutsAfter } from "../context/resume.ts";
import { type Message, toolUsesOf } from "../protocol/messages.ts";
import type { ToolResult } from "../protocol/tool-result.ts";
import { addUsage, tokensOf, type Usage } from "../protocol/usage.ts";
import type { WriteIntent } from "../tool.ts";
import type {
  CallRecord,
  FailedCall,
  JournalledResponse,
  RunJournal,
  RunState,
  Steering,
  SummaryCost,
} from "./run-journal.ts";

/**
 * A run while it goes on: the journal, and beside it the state as `load()` would return it now. Each
 * method first makes its step durable and then takes it over, so the state never runs ahead of the journal.
 */
export class OpenRun {
  readonly #journal: RunJournal;
  #state: RunState;

  private constructor(journal: RunJournal, state: RunState) {
    this.#journal = journal;
    this.#state = state;
  }

  static async load(journal: RunJournal): Promise<OpenRun> {
    return new OpenRun(journal, await journal.load());
  }

  get state(): RunState {
    return this.#state;
  }

  async modelResponded(response: JournalledResponse): Promise<void> {
    await this.#journal.modelResponded(response);
    const { messages } = this.#state;
    this.#state = {
      ...this.#state,
      ...this.#spentWith(response.usage, response.costUsd),
      messages: [...messages, response.message],
      turns: response.turn,
      lastStopReason: response.stopReason,
      cuts: cutsAfter(this.#state.cuts, response.stopReason),
      calls: toolUsesOf(response.message.content).map((use) => ({
        callId: use.id,
        name: use.name,
        input: use.input,
        status: "pending",
        intent: null,
        result: null,
      })),
      lastMeasured: { tokens: tokensOf(response.usage), messages: messages.length + 1 },
    };
  }

  async resumed(message: Message): Promise<void> {
    await this.#journal.resumed(this.#state.turns, message);
    this.#append([message]);
  }

  async modelSwitched(model: string): Promise<void> {
    await this.#journal.modelSwitched(model);
    this.#state = { ...this.#state, switchedTo: model };
  }

  /** Requests carry less of the history from here on. */
  async projected(change: Projection, spent: SummaryCost | null): Promise<void> {
    const projection = { ...change, number: this.#state.projection.number + 1 };
    await this.#journal.projected(projection, spent);
    this.#state = { ...this.#state, projection, lastMeasured: null };
    if (spent === null) return;
    this.#state = { ...this.#state, ...this.#spentWith(spent.usage, spent.costUsd), hasSummarised: true };
  }

  /** A model call came to nothing. */
  async callFailed(call: FailedCall): Promise<void> {
    await this.#journal.callFailed(call);
    if (call.usage !== null) this.#state = { ...this.#state, ...this.#spentWith(call.usage, call.costUsd) };
  }

  async callBegun(callId: string): Promise<void> {
    await this.#journal.callBegun(callId);
    this.#updateCall(callId, { status: "begun" });
  }

  async callIntends(callId: string, intent: WriteIntent): Promise<void> {
    await this.#journal.callIntends(callId, intent);
    this.#updateCall(callId, { intent });
  }

  async callEnded(callId: string, result: ToolResult, durationMs: number): Promise<void> {
    await this.#journal.callEnded(callId, result, durationMs);
    this.#updateCall(callId, { status: "ended", result });
    const { toolsRun, knownFiles, changedFiles } = this.#state;
    const files = result.files ?? [];
    const known = new Map(knownFiles);
    for (const { path, sha256 } of files) {
      if (sha256 === null) known.delete(path);
      else known.set(path, sha256);
    }
    const wrote = files.filter((file) => file.action === "wrote").map((file) => file.path);
    this.#state = {
      ...this.#state,
      toolsRun: toolsRun + 1,
      knownFiles: known,
      changedFiles: [...new Set([...changedFiles, ...wrote])],
    };
  }

  async toolResults(message: Message): Promise<void> {
    await this.#journal.toolResults(this.#state.turns, message);
    this.#append([message]);
  }

  /** What people sent meanwhile, now part of the history. */
  async takeSteering(turn: number): Promise<Steering> {
    const steering = await this.#journal.takeSteering(turn);
    this.#append(steering.messages);
    return steering;
  }

  #spentWith(usage: Usage, costUsd: number | null): Pick<RunState, "usage" | "costUsd"> {
    return { usage: addUsage(this.#state.usage, usage), costUsd: sumOf(this.#state.costUsd, costUsd) };
  }

  #append(messages: readonly Message[]): void {
    this.#state = { ...this.#state, messages: [...this.#state.messages, ...messages] };
  }

  #updateCall(callId: string, change: Partial<CallRecord>): void {
    const calls = this.#state.calls.map((call) => (call.callId === callId ? { ...call, ...change } : call));
    this.#state = { ...this.#state, calls };
  }
}

/** Null as soon as one cost is unknown. */
function sumOf(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}
