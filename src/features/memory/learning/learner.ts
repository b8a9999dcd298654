import type { BackgroundAnswer, CallModel } from "../../../core/budget/background-call.ts";
import { createChangeNotifier } from "../../../core/change-notices.ts";
import { isDatabaseUnavailable, isDiskFull } from "../../../core/protocol/database-failure.ts";
import { AppError, toAppError } from "../../../core/protocol/errors.ts";
import { labelOf, textOf } from "../../../core/protocol/messages.ts";
import { sleepUnlessAborted } from "../../../core/protocol/runtime.ts";
import type { HookedRun } from "../../../core/run/run-hooks.ts";
import type { SessionRow } from "../../../core/store/sessions.ts";
import type { StoreTransaction } from "../../../core/store/store.ts";
import { isWithin, originsIn } from "../../../core/trust/label.ts";
import type { FeatureHost } from "../../../feature-host.ts";
import { readerIn } from "../audience.ts";
import { indexed, type Memories, newMemory } from "../memories.ts";
import type { Memory } from "../memory.ts";
import { memoryWrites } from "../store.ts";
import { judgeNotes, type Learned } from "./judge.ts";
import { isWorthLearning, isWorthRemembering, type Line, linesOf } from "./lines.ts";
import { LEARN_SYSTEM, learnPrompt, notesIn } from "./prompt.ts";
import { smallModelFor } from "./small-models.ts";
import { type Lesson, lessonReads, lessonWrites } from "./store.ts";

type Host = Pick<
  FeatureHost,
  "store" | "runtime" | "log" | "membershipOf" | "configOf" | "callModel" | "addToFold" | "cluster"
>;

export interface LearnSettings {
  /** Whether to learn without being asked. */
  readonly learn: boolean;
  /** How long a thread must be quiet first, in milliseconds. */
  readonly quietMs: number;
  /** `provider/model`; null for the provider's small model. */
  readonly model: string | null;
}

/** Learns from threads in the background, once from each message. */
export interface Learner {
  /** Called in the transaction that ends a run: schedules a lesson for when its thread is quiet. */
  noteRun(run: HookedRun, tx: StoreTransaction): Promise<void>;
  /** Schedules a lesson at once, because a person asked for it. */
  ask(sessionId: string): Promise<void>;
  /** Drops the pending lessons of all threads that a person took part in, because that person wants to be forgotten. */
  dropThreadsOf(personId: string): Promise<void>;
  /** Learns whatever is due until the signal aborts; never rejects. */
  work(signal: AbortSignal): Promise<void>;
}

const NOTES_TOKENS = 2_000;
/** After this many failures of a small model, the thread's own model is used. */
const SMALL_TRIES = 2;
const MAX_TRIES = 6;
/**
 * Base of the pause after a failed lesson, in milliseconds; the pause is twice this after the first failure and doubles
 * with each further one.
 */
const RETRY_MS = 60_000;
/** Minimum time between two checks for due lessons, in milliseconds. */
const LOOK_MS = 1_000;
/** Maximum time between two checks if processes share the database: a notice may be lost. In milliseconds. */
const MAX_LOOK_MS = 10_000;
/** Minimum time until another attempt to find out who may read a channel, in milliseconds. */
const UNKNOWN_MS = 5_000;
/**
 * After this long without knowing who may read a channel, each further attempt counts as failed: the channel is gone,
 * or closed to the bot. In milliseconds.
 */
const GONE_MS = 86_400_000;
/** Related memories are looked up by this many of the longest lines, with this many results each. */
const ASKED_LINES = 6;
const KNOWN_EACH = 5;

/** Tells other processes that a person has asked for a lesson. */
const LESSON_ASKED = "lesson";

export function createLearner(memories: Memories, given: Host, settings: LearnSettings): Learner {
  const host = { ...given, callModel: keepingLast(given.callModel) };
  const { store, runtime, log, cluster } = host;
  const { clock } = runtime;
  const tellOthers = createChangeNotifier({ cluster, topic: "memories", clock, log }, LESSON_ASKED);
  const reads = store.tables(lessonReads);
  let asked = Promise.withResolvers<void>();

  const pass = async (signal: AbortSignal): Promise<number> => {
    for (let lesson = await reads.due(clock.now()); lesson !== null; lesson = await reads.due(clock.now())) {
      await attempt(lesson, { memories, host, settings, signal });
    }
    const next = await reads.nextDue();
    const longestMs = longestLookMs(settings, cluster);
    return next === null ? longestMs : Math.min(longestMs, Math.max(0, next - clock.now()));
  };

  const work = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      try {
        asked = Promise.withResolvers();
        const waitMs = await pass(signal);
        await Promise.race([clock.sleep(waitMs, signal), asked.promise]);
      } catch (error) {
        if (signal.aborted) return;
        // The database is unreachable or full. Runs continue, and noted lessons remain for later.
        log.warn({ err: toAppError(error) }, "learning_waits");
        const retried = sleepUnlessAborted(clock, Math.max(settings.quietMs, RETRY_MS), signal);
        await Promise.race([retried, asked.promise]);
      }
    }
  };

  return {
    async noteRun({ session, event: { seq, body } }, tx) {
      if (!settings.learn || session.task !== undefined || body.kind !== "message") return;
      if (!isWorthRemembering(body.text) || (await memories.isPaused(session.channelKey))) return;
      const note = { sessionId: session.id, after: seq - 1, dueAt: clock.now() + settings.quietMs };
      await tx.tables(lessonWrites).note(note);
    },
    async ask(sessionId) {
      await store.transaction((tx) => tx.tables(lessonWrites).ask(sessionId, clock.now()));
      asked.resolve();
      tellOthers();
    },
    async dropThreadsOf(personId) {
      const sessions = await Promise.all((await reads.waiting()).map((id) => store.sessions.get(id)));
      const theirs = sessions.filter(({ people }) => people.includes(personId)).map(({ id }) => id);
      await store.transaction((tx) => tx.tables(lessonWrites).drop(theirs));
    },
    work(signal) {
      const unsubscribe = cluster.subscribe("memories", (about) =>
        about === LESSON_ASKED ? asked.resolve() : undefined,
      );
      return work(signal).finally(unsubscribe);
    },
  };
}

function longestLookMs({ quietMs }: LearnSettings, { isShared }: Host["cluster"]): number {
  return Math.max(isShared ? Math.min(quietMs, MAX_LOOK_MS) : quietMs, LOOK_MS);
}

interface LearnScope {
  readonly memories: Memories;
  readonly host: Host;
  readonly settings: LearnSettings;
  readonly signal: AbortSignal;
}

/** What a thread contains since its last lesson. */
interface Thread {
  readonly session: SessionRow;
  readonly lines: readonly Line[];
  readonly isMixed: boolean;
  /** Number of the newest inbox event in it. */
  readonly upTo: number;
}

/** Remembers the last call's answer: if it could not be stored, the retry does not pay for it again. */
function keepingLast(callModel: CallModel): CallModel {
  let last: { readonly id: string; readonly prompt: string; readonly answer: BackgroundAnswer } | null = null;
  return async (call, signal) => {
    const { id, prompt } = call;
    if (last?.id !== id || last.prompt !== prompt) last = { id, prompt, answer: await callModel(call, signal) };
    return last.answer;
  };
}

/** Tries a lesson; after a failure, tries again later with growing pauses, and finally gives up. */
async function attempt(lesson: Lesson, learning: LearnScope): Promise<void> {
  const { store, runtime, log } = learning.host;
  try {
    await learn(lesson, learning);
  } catch (error) {
    learning.signal.throwIfAborted();
    // Not the thread's fault: its lesson waits until the database is back and has room.
    if (isDatabaseUnavailable(error) || isDiskFull(error)) throw error;
    const tries = lesson.tries + 1;
    log.warn({ err: toAppError(error), sessionId: lesson.sessionId, tries }, "not_learned");
    const nextAt = runtime.clock.now() + RETRY_MS * 2 ** tries;
    await store.transaction(async (tx) => {
      const lessons = tx.tables(lessonWrites);
      await (tries < MAX_TRIES ? lessons.postpone(lesson, nextAt, tries) : lessons.close(lesson, lesson.after, null));
    });
  }
}

async function learn(lesson: Lesson, learning: LearnScope): Promise<void> {
  const { memories, host, settings } = learning;
  const { store, runtime } = host;
  const now = runtime.clock.now();
  const postpone = (dueAt: number) =>
    store.transaction((tx) => tx.tables(lessonWrites).postpone(lesson, dueAt, lesson.tries));
  const session = await store.sessions.get(lesson.sessionId);
  const { channelKey } = session;
  const thread = await threadOf(session, lesson, host);
  const saidAt = Math.max(0, ...thread.lines.map(({ at }) => at));
  const isOpen = (await store.runs.open(lesson.sessionId)) !== null;
  const dueAt = (isOpen ? now : saidAt) + settings.quietMs;
  if (!lesson.isAsked && dueAt > now) return postpone(dueAt);
  const close = (tx: StoreTransaction) =>
    closed(tx, { lesson, thread, nextAt: runtime.clock.now() + settings.quietMs });
  const isOff = await memories.isPaused(channelKey);
  const model = settings.model ?? modelFor(session, lesson, host);
  const speaker = thread.lines.findLast(({ author }) => author !== null)?.author ?? null;
  if (isOff || speaker === null || model.startsWith("demo/") || !isWorthLearning(thread.lines)) {
    await store.transaction(close);
    return;
  }
  const isPrivate = await isPrivateNow(session, host);
  if (isPrivate === null && now - saidAt > GONE_MS) throw new AppError("thread_gone", "nobody knows who may read it");
  if (isPrivate === null) return postpone(now + Math.max(UNKNOWN_MS, (now - saidAt) / 10));
  const known = await knownTo(thread, memories);
  const account = { sessionId: lesson.sessionId, personId: speaker.id, channelId: channelKey };
  const id = `learn:${lesson.sessionId}:${lesson.after}:${thread.upTo}`;
  const prompt = learnPrompt(thread.lines, known);
  const call = { id, model, system: LEARN_SYSTEM, prompt, maxTokens: NOTES_TOKENS, account };
  const { response, count } = await host.callModel(call, learning.signal);
  const notes = notesIn(textOf(response.content));
  const learned = judgeNotes(notes, { ...thread, known, channelKey, isPrivate });
  const storedForRuns = await store.transaction(async (tx) => {
    if (!(await close(tx))) return [];
    await count(tx);
    return keep(tx, learned, { thread, isPrivate, runtime });
  });
  for (const runId of new Set(storedForRuns)) {
    const words = `${storedForRuns.filter((each) => each === runId).length} remembered`;
    await host.addToFold({ thread: session.thread, runId }, words).catch((error: unknown) => {
      // The memory is stored all the same, and the Details show it.
      host.log.warn({ err: toAppError(error), runId }, "fold_not_amended");
    });
  }
  host.log.info({ sessionId: lesson.sessionId, notes: notes.length, learned: learned.length }, "learned");
}

/** The small model, or after failures the thread's own, since the provider's key may not reach the small one. */
function modelFor(session: SessionRow, { tries }: Lesson, { configOf }: Host): string {
  const { model } = configOf(session);
  return tries < SMALL_TRIES ? smallModelFor(model) : model;
}

/** Null if unknown for now, for example while the platform is not connected. */
async function isPrivateNow(
  { thread, people: [first = ""] }: SessionRow,
  { membershipOf }: Host,
): Promise<boolean | null> {
  try {
    return (await membershipOf(thread, first))?.isPrivate ?? null;
  } catch {
    return null;
  }
}

async function threadOf(session: SessionRow, { sessionId, after }: Lesson, { store }: Host): Promise<Thread> {
  const [events, messages] = await Promise.all([
    store.inbox.takenSince(sessionId, after),
    store.messages.list(sessionId),
  ]);
  const runIds = [...new Set(events.flatMap(({ runId }) => runId ?? []))];
  const calls = (
    await Promise.all(
      runIds.map(async (runId) => (await store.toolCalls.ofRun(runId)).map((call) => ({ ...call, runId }))),
    )
  ).flat();
  const label = labelOf(messages);
  const isMixed = originsIn(label).length > 0 || !isWithin(label, "private");
  const upTo = Math.max(after, ...events.map(({ seq }) => seq));
  return { session, lines: linesOf({ events, messages, calls }), isMixed, upTo };
}

/** The existing memories about a thread's topics, as far as everybody who spoke in it may read them. */
async function knownTo({ session, lines }: Thread, memories: Memories): Promise<Memory[]> {
  const byPeople = lines.filter(({ author }) => author !== null);
  const speakers = new Set(byPeople.map(({ author }) => author?.id));
  const [only = null] = speakers.size === 1 ? byPeople.map(({ author }) => author?.id ?? null) : [];
  const reader = readerIn(session.thread, session.channelKey, only);
  const longest = byPeople.toSorted((one, other) => other.text.length - one.text.length).slice(0, ASKED_LINES);
  const known = new Map<number, Memory>();
  for (const { text } of longest) {
    const hits = await memories.search({ query: text, reader, limit: KNOWN_EACH });
    for (const { memory } of hits) if (memory.endedAt === null) known.set(memory.seq, memory);
  }
  return [...known.values()];
}

/** Closes the lesson; false if it has already been learned. */
async function closed(
  tx: StoreTransaction,
  { lesson, thread, nextAt }: { lesson: Lesson; thread: Thread; nextAt: number },
): Promise<boolean> {
  const more = await tx.inbox.takenSince(lesson.sessionId, thread.upTo);
  return tx.tables(lessonWrites).close(lesson, thread.upTo, more.length === 0 ? null : nextAt);
}

/** Stores what was learned; returns the run id of each new memory. */
async function keep(
  tx: StoreTransaction,
  learned: readonly Learned[],
  { thread, isPrivate, runtime }: { thread: Thread; isPrivate: boolean } & Pick<Host, "runtime">,
): Promise<string[]> {
  const writes = tx.tables(memoryWrites);
  const now = runtime.clock.now();
  const { session } = thread;
  const runIds: string[] = [];
  for (const { line, isOfPerson, same, replaces, ...lesson } of learned) {
    if (same !== null) {
      await writes.renew([same.seq], now);
      continue;
    }
    const id = runtime.ids.next("mem");
    const run = line.runId === null ? {} : { runId: line.runId };
    const scope = isOfPerson ? "person" : "channel";
    const draft = { ...lesson, ...run, scope, thread: session.thread, channelKey: session.channelKey } as const;
    await writes.add(indexed(newMemory(draft, { id, at: line.at, isPrivate })), now);
    if (replaces !== null) await writes.end(replaces.seq, id, now);
    if (line.runId !== null) runIds.push(line.runId);
  }
  return runIds;
}
