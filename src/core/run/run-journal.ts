import type { FilesOfRoot, RunJournal, Steering } from "../agent/run-journal.ts";
import type { JournalledResponse } from "../agent/run-state.ts";
import { REPEATABLE, type TurnContext } from "../engine/engine.ts";
import type { StoredEvent } from "../events/session-event.ts";
import { convertEvents } from "../input/run-input.ts";
import { type Message, toolUsesOf } from "../protocol/messages.ts";
import type { Runtime } from "../protocol/runtime.ts";
import type { Store, StoreTransaction } from "../store/store.ts";
import type { LabelledFile } from "../trust/file-labels.ts";
import { type LoadedRun, loadRun, SWITCHED_MODEL_KEY } from "./load-run.ts";

/** The person and channel that a run's usage is charged to. */
export interface RunAccount {
  readonly personId: string;
  readonly channelId: string;
}

export interface RunJournalOptions {
  readonly store: Store;
  readonly context: TurnContext;
  readonly runtime: Pick<Runtime, "clock" | "ids">;
  readonly run: LoadedRun;
  readonly account: RunAccount;
  /** Whether the final response is posted in the thread. */
  readonly isAnswered: boolean;
  /** Turns an event into messages for the history, with attachments fetched and text marked. */
  readonly toMessages: (event: StoredEvent) => Promise<readonly Message[]>;
}

/** Implements the query loop's journal on the store. Each method is one fenced transaction under its own key. */
export function createRunJournal(options: RunJournalOptions): RunJournal {
  const { store, context, runtime, run } = options;
  const { clock } = runtime;
  let hasEnded = false;
  const begunAt = new Map<string, number>();
  const files = labelledFiles(store);

  const soon = (callId: string, write: (tx: StoreTransaction) => Promise<void>, mayWait: boolean) => {
    if (!mayWait) return context.commit(write, REPEATABLE);
    context.defer(`call:${callId}`, write);
    return Promise.resolve();
  };

  return {
    // Local commands that a person typed run as calls before the run is loaded.
    load: () => loadRun(store, context, hasEnded ? { ...run, resumed: true, isFirst: false } : run),

    modelResponded(response) {
      const calls = toolUsesOf(response.message.content);
      const ends = calls.length === 0 && response.stopReason === "end_turn";
      const respond = async (tx: StoreTransaction) => {
        await context.append(tx, [response.message]);
        await tx.toolCalls.add(run, response.turn, calls);
        await tx.usage.add(usageEntry(options, response));
      };
      return context.commit(respond, {
        isDone: (tx) => tx.messages.has(response.message.id),
        announces: ends && options.isAnswered ? [FIRST_ANSWER] : [],
      });
    },

    callFailed: ({ usage, ...call }) =>
      context.transaction(runtime.ids.next("failed"), (tx) =>
        usage === null ? tx.budgets.withdraw(run.id) : tx.usage.addCut({ ...callOf(options), ...call, usage }),
      ),

    callBegun(callId, { mayWait }) {
      const at = clock.now();
      begunAt.set(callId, at);
      return soon(callId, (tx) => tx.toolCalls.begun(run.id, callId, at), mayWait);
    },

    // Nothing precedes a session's first run.
    toolState: (toolName) =>
      run.isFirst && !hasEnded ? Promise.resolve(null) : store.toolCalls.toolState(run.sessionId, toolName),

    callIntends: (callId, intent) => context.commit((tx) => tx.toolCalls.intends(run.id, callId, intent), REPEATABLE),

    labelledFiles: (root) => files.inRoot(root),

    callEnded(callId, result, { durationMs, mayWait, labelled }) {
      hasEnded = true;
      const end = { result, durationMs, beganAt: begunAt.get(callId), at: clock.now() };
      const write = (tx: StoreTransaction) =>
        tx.toolCalls.ended(run.id, callId, end).then(() => files.put(tx, labelled));
      return soon(callId, write, mayWait);
    },

    appended: (message) =>
      context.commit((tx) => context.append(tx, [message]), { isDone: (tx) => tx.messages.has(message.id) }),

    modelSwitched: (model) =>
      context.transaction(SWITCHED_MODEL_KEY, () => Promise.resolve(model)).then(() => undefined),

    projected: (projection, spent) =>
      context.transaction(`projection:${projection.number}`, async (tx) => {
        await tx.compactions.add(run.sessionId, run.id, { projection, at: clock.now() });
        if (spent !== null) await tx.usage.add(usageEntry(options, { ...spent, turn: -projection.number }));
      }),

    takeSteering: (turn) => takeSteering(options, turn),
  };
}

/** The labelled files of a root. They are read once and then updated with the run's own writes. */
function labelledFiles(store: Store) {
  let known: readonly LabelledFile[] | null = null;
  return {
    async inRoot(root: string): Promise<readonly LabelledFile[]> {
      known ??= await store.fileLabels.inRoot(root);
      return known;
    },
    async put(tx: StoreTransaction, { root, files }: FilesOfRoot = NO_FILES): Promise<void> {
      for (const file of files) await tx.fileLabels.put(root, file);
      if (known !== null) known = [...known, ...files];
    },
  };
}

const NO_FILES: FilesOfRoot = { root: "", files: [] };

/** Key of the post that holds a run's answer, or its first part. */
const FIRST_ANSWER = "answer:0";

function usageEntry(options: RunJournalOptions, response: Omit<JournalledResponse, "message">) {
  const { turn, model, stopReason, usage, costUsd } = response;
  return { ...callOf(options), turn, model, stopReason, usage, costUsd };
}

/** The fields that every usage entry of the run shares. */
function callOf({ run, account, runtime }: RunJournalOptions) {
  return { runId: run.id, sessionId: run.sessionId, ...account, at: runtime.clock.now() };
}

/**
 * Takes waiting events from the inbox. Each step has its own key, because the events are already taken when their
 * messages are not yet in the history.
 */
async function takeSteering(options: RunJournalOptions, turn: number): Promise<Steering> {
  const { context } = options;
  const events = await context.takeInbox(`turn:${turn}:inbox`);
  if (events.length === 0) return NO_STEERING;
  const messages = (await convertEvents(events, options.toMessages)).flat();
  let appended = false;
  await context.transaction(`turn:${turn}:steering`, async (tx) => {
    await context.append(tx, messages);
    appended = true;
  });
  // If an earlier owner has appended the messages, they are already in the history.
  if (!appended) return NO_STEERING;
  // Messages that people address to each other are read as well, but not acknowledged.
  const isForUs = ({ body }: StoredEvent) => body.kind === "message" && body.addressed;
  return { messages, eventKeys: events.filter(isForUs).map((event) => event.key) };
}

const NO_STEERING: Steering = { messages: [], eventKeys: [] };
