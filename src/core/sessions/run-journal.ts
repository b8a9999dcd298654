import { z } from "zod";
import type { JournalledResponse, RunJournal, RunState, Steering } from "../agent/run-journal.ts";
import { type Message, toolUsesOf } from "../protocol/messages.ts";
import type { Runtime } from "../protocol/runtime.ts";
import type { FileState } from "../protocol/tool-result.ts";
import { tokensOf, type Usage } from "../protocol/usage.ts";
import type { Store, StoreTransaction } from "../store/store.ts";
import type { TurnContext } from "./engine.ts";
import type { StoredEvent } from "./session-event.ts";

/** Whom a run's usage is put down to. */
export interface RunAccount {
  readonly personId: string;
  readonly channelId: string;
}

export interface RunJournalOptions {
  readonly store: Store;
  readonly context: TurnContext;
  readonly runtime: Pick<Runtime, "clock" | "ids">;
  readonly run: { readonly id: string; readonly sessionId: string };
  readonly account: RunAccount;
  /** Turns an event into what enters the history: attachments fetched, text marked. */
  readonly toMessages: (event: StoredEvent) => Promise<readonly Message[]>;
}

/** The query loop's memory in the store: each method is one fenced transaction under its own key. */
export function createRunJournal(options: RunJournalOptions): RunJournal {
  const { store, context, runtime, run } = options;
  const { clock } = runtime;
  const append = (tx: StoreTransaction, message: Message) => tx.messages.append(run.sessionId, run.id, message);

  return {
    load: () => loadState(store, run),

    modelResponded: (response) =>
      context.transaction(`turn:${response.turn}:response`, async (tx) => {
        await append(tx, response.message);
        await tx.toolCalls.add(run, response.turn, toolUsesOf(response.message.content));
        await tx.usage.add(usageEntry(options, response));
        await tx.runs.countTurn(run.id);
      }),

    callFailed: ({ usage, ...call }) =>
      context.transaction(runtime.ids.next("failed"), (tx) =>
        usage === null ? tx.budgets.withdraw(run.id) : tx.usage.addCut({ ...callOf(options), ...call, usage }),
      ),

    callBegun: (callId) =>
      context.transaction(`call:${callId}:begun`, (tx) => tx.toolCalls.begun(run.id, callId, clock.now())),

    carried: (toolName) => store.toolCalls.carried(run.sessionId, toolName),

    callIntends: (callId, intent) =>
      context.transaction(`call:${callId}:intent`, (tx) => tx.toolCalls.intends(run.id, callId, intent)),

    callEnded: (callId, result, durationMs) =>
      context.transaction(`call:${callId}:ended`, (tx) =>
        tx.toolCalls.ended(run.id, callId, { result, durationMs, at: clock.now() }),
      ),

    toolResults: (turn, message) => context.transaction(`turn:${turn}:results`, (tx) => append(tx, message)),

    resumed: (turn, message) => context.transaction(`turn:${turn}:resume`, (tx) => append(tx, message)),

    modelSwitched: (model) => context.transaction(SWITCHED, () => Promise.resolve(model)).then(() => undefined),

    projected: (projection, spent) =>
      context.transaction(`projection:${projection.number}`, async (tx) => {
        await tx.compactions.add(run.sessionId, run.id, { projection, at: clock.now() });
        if (spent !== null) await tx.usage.add(usageEntry(options, { ...spent, turn: -projection.number }));
      }),

    takeSteering: (turn) => takeSteering(options, turn),
  };
}

/** The journal entry that holds the model a run has switched to. */
const SWITCHED = "model";

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
  const { context, run } = options;
  const events = await context.takeInbox(`turn:${turn}:inbox`);
  if (events.length === 0) return NO_STEERING;
  const messages = (await Promise.all(events.map((event) => options.toMessages(event)))).flat();
  let appended = false;
  await context.transaction(`turn:${turn}:steering`, async (tx) => {
    for (const message of messages) await tx.messages.append(run.sessionId, run.id, message);
    appended = true;
  });
  // Messages that an earlier owner appended are in the history already.
  return appended ? { messages, eventKeys: events.filter(isForUs).map((event) => event.key) } : NO_STEERING;
}

/** What people say to each other is read, too, but they are not told so. */
function isForUs({ body }: StoredEvent): boolean {
  return body.kind === "message" && body.addressed;
}

const NO_STEERING: Steering = { messages: [], eventKeys: [] };

async function loadState(store: Store, run: { id: string; sessionId: string }): Promise<RunState> {
  const [messages, calls, spent, files, switched, compaction, newest] = await Promise.all([
    store.messages.list(run.sessionId),
    store.toolCalls.ofRun(run.id),
    store.usage.ofRun(run.id),
    store.toolCalls.filesOfSession(run.sessionId),
    store.journal.get(run.id, SWITCHED),
    store.compactions.newestOf(run.sessionId),
    store.usage.newestTurn(run.sessionId),
  ]);
  const ended = calls.filter((call) => call.status === "ended");
  return {
    messages,
    turns: spent.turns,
    lastStopReason: spent.lastStopReason,
    cuts: spent.cuts,
    switchedTo: z.string().optional().parse(switched.value) ?? null,
    projection: compaction.projection,
    hasSummarised: spent.summaries > 0,
    lastMeasured: newest === null || (compaction.at ?? 0) >= newest.at ? null : measured(newest.usage, messages),
    calls: calls.filter((call) => call.turn === spent.turns),
    usage: spent.usage,
    costUsd: spent.costUsd,
    toolsRun: ended.length,
    knownFiles: knownFiles(files),
    changedFiles: changedFiles(ended.flatMap((call) => call.result?.files ?? [])),
  };
}

/** A call covers the history up to its response, the newest there is. */
function measured(usage: Usage, messages: readonly Message[]): RunState["lastMeasured"] {
  return {
    tokens: tokensOf(usage),
    messages: messages.findLastIndex(({ role }) => role === "assistant") + 1,
  };
}

function knownFiles(files: readonly FileState[]): ReadonlyMap<string, string> {
  const known = new Map<string, string>();
  for (const { path, sha256 } of files) {
    if (sha256 === null) known.delete(path);
    else known.set(path, sha256);
  }
  return known;
}

/** Paths in order of first change. */
export function changedFiles(files: readonly FileState[]): string[] {
  return [...new Set(files.filter((file) => file.action === "wrote").map((file) => file.path))];
}
