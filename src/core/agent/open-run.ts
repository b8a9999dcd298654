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
 * A run in progress: its journal and its state. Each method journals its step before applying it, so the state never
 * gets ahead of the journal.
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

  /** Makes later requests carry less of the history. */
  async projected(change: Projection, spent: SummaryCost | null): Promise<void> {
    const projection = { ...change, number: this.#state.projection.number + 1 };
    await this.#journal.projected(projection, spent);
    this.#take({ type: "projected", projection });
    if (spent !== null) this.#take({ type: "summarised", spent });
  }

  /** Records the charge of a failed model call. */
  async callFailed(call: FailedCall): Promise<void> {
    await this.#journal.callFailed(call);
    const { usage, costUsd } = call;
    if (usage !== null) this.#take({ type: "cut", spent: { usage, costUsd } });
  }

  /** `mayRepeat` means that the call runs again if a crash interrupts it. */
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
    // If the result carries tool state, it cannot wait: the tool's next call reads the state from the store.
    const mayWait = isLast || (mayRepeat && result.toolState === undefined);
    await this.#journal.callEnded(callId, result, { durationMs, mayWait, ...(labelled && { labelled }) });
    this.#take({ type: "call_ended", callId, result });
  }

  /** Appends the messages that people have sent meanwhile to the history. */
  async takeSteering(turn: number): Promise<Steering> {
    const steering = await this.#journal.takeSteering(turn);
    this.#take({ type: "appended", messages: steering.messages });
    return steering;
  }

  #take(step: RunStep): void {
    this.#state = reduceRun(this.#state, step);
  }
}
