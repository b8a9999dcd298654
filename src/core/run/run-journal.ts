import type { FilesOfRoot, RunJournal, Steering } from "../agent/run-journal.ts";
import type { JournalledResponse } from "../agent/run-state.ts";
import { REPEATABLE, type TurnContext } from "../engine/engine.ts";
import type { StoredEvent } from "../events/session-event.ts";
import { bringAll } from "../input/run-input.ts";
import { type Message, toolUsesOf } from "../protocol/messages.ts";
import type { Runtime } from "../protocol/runtime.ts";
import type { Store, StoreTransaction } from "../store/store.ts";
import type { LabelledFile } from "../trust/file-labels.ts";
import { type LoadedRun, loadRun, SWITCHED } from "./load-run.ts";

/** Whom a run's usage is put down to. */
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
  /** A response that ends the run is posted in its thread. */
  readonly isAnswered: boolean;
  /** Turns an event into what enters the history: attachments fetched, text marked. */
  readonly toMessages: (event: StoredEvent) => Promise<readonly Message[]>;
}

/** The query loop's memory in the store: each method is one fenced transaction under its own key. */
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
    // Commands that people type are calls of the run before it is loaded.
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

    // A session's first run has nothing before it.
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

    modelSwitched: (model) => context.transaction(SWITCHED, () => Promise.resolve(model)).then(() => undefined),

    projected: (projection, spent) =>
      context.transaction(`projection:${projection.number}`, async (tx) => {
        await tx.compactions.add(run.sessionId, run.id, { projection, at: clock.now() });
        if (spent !== null) await tx.usage.add(usageEntry(options, { ...spent, turn: -projection.number }));
      }),

    takeSteering: (turn) => takeSteering(options, turn),
  };
}

/** Files with words of others: read once, and kept with what the run writes itself. */
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

/** The key under which a run's answer is posted, or the first of its parts. */
const FIRST_ANSWER = "answer:0";

function usageEntry(options: RunJournalOptions, response: Omit<JournalledResponse, "message">) {
  const { turn, model, stopReason, usage, costUsd } = response;
  return { ...callOf(options), turn, model, stopReason, usage, costUsd };
}

/** What every call of the run is put down to. */
function callOf({ run, account, runtime }: RunJournalOptions) {
  return { runId: run.id, sessionId: run.sessionId, ...account, at: runtime.clock.now() };
}

/** Takes what waits; the events are this run's before their messages are in the history, so each step has a key. */
async function takeSteering(options: RunJournalOptions, turn: number): Promise<Steering> {
  const { context } = options;
  const events = await context.takeInbox(`turn:${turn}:inbox`);
  if (events.length === 0) return NO_STEERING;
  const messages = (await bringAll(events, options.toMessages)).flat();
  let appended = false;
  await context.transaction(`turn:${turn}:steering`, async (tx) => {
    await context.append(tx, messages);
    appended = true;
  });
  // Messages that an earlier owner appended are in the history already.
  if (!appended) return NO_STEERING;
  // What people say to each other is read, too, but they are not told so.
  const isForUs = ({ body }: StoredEvent) => body.kind === "message" && body.addressed;
  return { messages, eventKeys: events.filter(isForUs).map((event) => event.key) };
}

const NO_STEERING: Steering = { messages: [], eventKeys: [] };
