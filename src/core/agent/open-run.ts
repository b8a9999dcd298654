import type { WriteIntent } from "../events/call-record.ts";
import type { Projection } from "../events/projection.ts";
import type { Message } from "../protocol/messages.ts";
import type { ToolResult } from "../protocol/tool-result.ts";
import type { LabelledFile } from "../trust/file-labels.ts";
import type { CallEnding, FailedCall, RunJournal, Steering, SummaryCost } from "./run-journal.ts";
import { type JournalledResponse, type RunState, type RunStep, reduceRun } from "./run-state.ts";

interface Repeatable {
  readonly mayRepeat: boolean;
}

/**
 * A run while it goes on: its journal, and its state. Each method first makes its step durable and then takes it over, so the
 * state never runs ahead of the journal.
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
    this.#take({ type: "responded", response });
  }

  async appended(message: Message): Promise<void> {
    await this.#journal.appended(message);
    this.#take({ type: "appended", messages: [message] });
  }

  async modelSwitched(model: string): Promise<void> {
    await this.#journal.modelSwitched(model);
    this.#take({ type: "switched", model });
  }

  /** Requests carry less of the history from here on. */
  async projected(change: Projection, spent: SummaryCost | null): Promise<void> {
    const projection = { ...change, number: this.#state.projection.number + 1 };
    await this.#journal.projected(projection, spent);
    this.#take({ type: "projected", projection });
    if (spent !== null) this.#take({ type: "summarised", spent });
  }

  /** A model call came to nothing. */
  async callFailed(call: FailedCall): Promise<void> {
    await this.#journal.callFailed(call);
    const { usage, costUsd } = call;
    if (usage !== null) this.#take({ type: "cut", spent: { usage, costUsd } });
  }

  /** `mayRepeat`: a call that a crash has cut off runs again. */
  async callBegun(callId: string, { mayRepeat }: Repeatable): Promise<void> {
    await this.#journal.callBegun(callId, { mayWait: mayRepeat });
    this.#take({ type: "call_begun", callId });
  }

  labelledFiles(root: string): Promise<readonly LabelledFile[]> {
    return this.#journal.labelledFiles(root);
  }

  async callIntends(callId: string, intent: WriteIntent): Promise<void> {
    await this.#journal.callIntends(callId, intent);
    this.#take({ type: "call_intends", callId, intent });
  }

  async callEnded(
    callId: string,
    result: ToolResult,
    { durationMs, mayRepeat, labelled }: Repeatable & Pick<CallEnding, "durationMs" | "labelled">,
  ): Promise<void> {
    const { calls } = this.#state;
    const isOfTurn = calls.some((call) => call.callId === callId);
    const isLast = isOfTurn && calls.every((call) => call.callId === callId || call.status === "ended");
    // The next call of its tool asks the store for the state that it has left.
    const mayWait = isLast || (mayRepeat && result.toolState === undefined);
    await this.#journal.callEnded(callId, result, { durationMs, mayWait, ...(labelled && { labelled }) });
    this.#take({ type: "call_ended", callId, result });
  }

  /** What people sent meanwhile, now part of the history. */
  async takeSteering(turn: number): Promise<Steering> {
    const steering = await this.#journal.takeSteering(turn);
    this.#take({ type: "appended", messages: steering.messages });
    return steering;
  }

  #take(step: RunStep): void {
    this.#state = reduceRun(this.#state, step);
  }
}
