import { eventsEnteringRun, type StoredEvent } from "../events/session-event.ts";
import type { OutgoingMessage, PostedMessage } from "../platform/outgoing.ts";
import type { ThreadRef } from "../platform/thread.ts";
import type { StoreTransaction } from "../store/store.ts";
import type { TurnContext } from "./engine.ts";
import { type PostTarget, postKey, postOnce } from "./post-once.ts";
import { fromJournal, HistoryCursor, WakeJournal, type WakeJournalOptions } from "./wake-journal.ts";

export interface TurnContextOptions extends WakeJournalOptions {
  readonly target: PostTarget;
  readonly thread: ThreadRef;
  /** Whether the session has no history yet. */
  readonly isNewSession: boolean;
  /** Aborts on a person's stop and at the end of this owner. Posting continues after a person's stop. */
  readonly signal: AbortSignal;
}

/** Creates the context of one wake on the journal in our own tables. */
export function createTurnContext(options: TurnContextOptions): TurnContext {
  const { clock, sessionId, runId, isResumed } = options;
  const history = new HistoryCursor(options.isNewSession);
  const journal = new WakeJournal(options, history);
  const posts = new Map<string, Promise<PostedMessage>>();
  const begun = new Set<string>();
  const refused = new Set<string>();

  const postNow = async (key: string, message: OutgoingMessage, thread: ThreadRef) => {
    const owner = { runId, sessionId, epoch: options.epoch };
    const intentAt = journal.intentOf(key);
    // The first post under an announced key uses up its intent.
    const isFirst = intentAt !== null || (!isResumed && !begun.has(key));
    begun.add(key);
    const marks =
      intentAt === null ? null : (posted: PostedMessage) => journal.defer(`post:${key}`, markSent(key, posted));
    const signals = { signal: options.suspended, stopped: options.signal };
    const posting = { ...options, ...signals, thread, owner, isFirst, intentAt, refused, marks };
    return postOnce(posting, postKey(runId, key), message);
  };

  const markSent = (key: string, posted: PostedMessage) => (tx: StoreTransaction) =>
    tx.posts.sent(postKey(runId, key), posted, clock.now());

  return {
    runId,
    epoch: options.epoch,
    signal: options.signal,
    earlier: (key) => journal.earlier(key),
    transaction: (key, work) => journal.transaction(key, work),
    commit: (work, proof) => journal.commit(work, proof),
    defer: (key, work) => journal.defer(key, work),
    flush: () => journal.flush(),
    append: (tx, messages) => history.append(tx, { sessionId, runId }, messages),
    history: () => history.whole(),

    async stage(key, work) {
      const done = await journal.earlier(key);
      if (done.found) return fromJournal(done.value);
      const value = await work();
      journal.stage(key, value);
      return value;
    },

    post(key: string, message: OutgoingMessage, thread: ThreadRef = options.thread) {
      const running = posts.get(key);
      if (running !== undefined) return running;
      const posting = postNow(key, message, thread);
      posts.set(key, posting);
      return posting.finally(() => posts.delete(key));
    },

    takeInbox: (key) => takeInbox(key, journal, options),
  };
}

async function takeInbox(
  key: string,
  journal: WakeJournal,
  { store, clock, sessionId, runId }: WakeJournalOptions,
): Promise<StoredEvent[]> {
  const waiting = await store.inbox.waiting(sessionId, clock.now());
  if (waiting.length === 0 && !(await journal.earlier(key)).found) return [];
  const seqs = await journal.transaction(key, async (tx) => {
    const [run, events] = [await tx.runs.get(runId), await tx.inbox.waiting(sessionId, clock.now())];
    const began = run === null ? null : await tx.inbox.get(run.eventSeq);
    const taken = eventsEnteringRun(events, began).map((event) => event.seq);
    await tx.inbox.take(taken, runId);
    return taken;
  });
  return Promise.all(seqs.map((seq) => store.inbox.get(seq)));
}
