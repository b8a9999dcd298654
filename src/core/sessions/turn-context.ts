import type { Log } from "../protocol/log.ts";
import type { OutgoingMessage, PostedMessage, ThreadRef } from "../protocol/platform.ts";
import type { Clock } from "../protocol/runtime.ts";
import type { Store } from "../store/store.ts";
import type { TurnContext } from "./engine.ts";
import { type PostTarget, postKey, postOnce } from "./post-once.ts";
import { beginsOwnRun, isClosedRun, type StoredEvent } from "./session-event.ts";
import { tryAgain } from "./try-again.ts";

export interface TurnContextOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly target: PostTarget;
  readonly sessionId: string;
  readonly runId: string;
  readonly epoch: number;
  readonly thread: ThreadRef;
  /** A person's stop or the end of this owner. */
  readonly signal: AbortSignal;
  /** The end of this owner only: posts go on after a person's stop. */
  readonly suspended: AbortSignal;
}

/** The journal of one wake, on our own tables. */
export function createTurnContext(options: TurnContextOptions): TurnContext {
  const { store, clock, sessionId, runId, epoch } = options;
  const posts = new Map<string, Promise<PostedMessage>>();

  const journalled: TurnContext["transaction"] = (key, work) =>
    store.transaction(async (tx) => {
      const at = clock.now();
      await tx.sessions.fence(sessionId, epoch, at);
      const done = await tx.journal.get(runId, key);
      if (done.found) return fromJournal(done.value);
      const value = await work(tx);
      await tx.journal.put(runId, key, { value, at });
      return value;
    });

  /** Under its key it counts once, and what led to it is not lost. */
  const transaction: TurnContext["transaction"] = (key, work) =>
    tryAgain(() => journalled(key, work), { ...options, signal: options.suspended, what: { runId, key } });

  return {
    runId,
    epoch,
    signal: options.signal,
    transaction,

    async step(key, work) {
      const done = await store.journal.get(runId, key);
      if (done.found) return fromJournal(done.value);
      const value = await work();
      return transaction(key, () => Promise.resolve(value));
    },

    post(key: string, message: OutgoingMessage, thread: ThreadRef = options.thread) {
      const running = posts.get(key);
      if (running !== undefined) return running;
      const owner = { runId, sessionId, epoch };
      const context = { ...options, thread, owner, signal: options.suspended };
      const posting = postOnce(context, postKey(runId, key), message);
      posts.set(key, posting);
      return posting.finally(() => posts.delete(key));
    },

    async takeInbox(key) {
      const waiting = await store.inbox.waiting(sessionId, clock.now());
      const done = await store.journal.get(runId, key);
      if (waiting.length === 0 && !done.found) return [];
      const seqs = await transaction(key, async (tx) => {
        const [run, events] = [await tx.runs.get(runId), await tx.inbox.waiting(sessionId, clock.now())];
        const isClosed = run !== null && isClosedRun(await tx.inbox.get(run.eventSeq));
        const end = events.findIndex((event) => beginsOwnRun(event) || (isClosed && isSaid(event)));
        const taken = (end === -1 ? events : events.slice(0, end)).map((event) => event.seq);
        await tx.inbox.take(taken, runId);
        return taken;
      });
      return Promise.all(seqs.map((seq) => store.inbox.get(seq)));
    },
  };
}

function isSaid({ body }: StoredEvent): boolean {
  return body.kind === "message" || body.kind === "note";
}

/** What the same step journalled before it was cut off; its type is the step's own. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- names the one place that trusts the key
function fromJournal<T>(value: unknown): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by the same key's step
  return value as T;
}
