import type { ChatPlatform } from "../../../core/platform/chat-platform.ts";
import type { OutgoingMessage, PostedMessage } from "../../../core/platform/outgoing.ts";
import type { ThreadRef } from "../../../core/platform/thread.ts";
import { factsOf } from "../../../core/platform-facts.ts";
import type { Clock } from "../../../core/protocol/runtime.ts";
import { SuspendSignal } from "../../../core/protocol/signals.ts";
import type { SharedRates } from "../../../core/shared-rates.ts";
import { waitAtMost } from "../../../core/wait-at-most.ts";
import type { Turn } from "./paced-queue.ts";
import { WorkspaceBudgets } from "./workspace-budgets.ts";

export interface EditOptions {
  readonly thread: ThreadRef;
  /** Cancels the edit while it waits for its turn. */
  readonly signal: AbortSignal;
  /** Whether the edit is still wanted when its turn comes; always, if omitted. */
  readonly isWanted?: () => Promise<boolean>;
}

export interface WaitingSign {
  readonly messageId: string;
  readonly sign: "seen" | "working";
  readonly signal: AbortSignal;
}

/** A ChatPlatform that keeps within the platform's rate limits, with the extra operations that live messages need. */
export interface PacedPlatform extends ChatPlatform {
  /** Like `edit`, but asks for the message only when its turn comes, so that the newest one is sent. */
  editLatest(posted: PostedMessage, latest: () => OutgoingMessage, options: EditOptions): Promise<void>;
  /** Like `react`; the signal cancels the reaction while it waits for its turn. */
  putSign(thread: ThreadRef, sign: WaitingSign): Promise<void>;
  /**
   * Like `showStatus`, but asks for the text only when its turn comes; null if there is nothing left to show. The
   * signal cancels the status while it waits.
   */
  showLatestStatus?(thread: ThreadRef, latest: () => string | null, turn: Turn): Promise<void>;
  /** Whether a first post in the thread's channel would be sent at once. */
  canPostFirst(thread: ThreadRef): boolean;
  /** Waits for a slot among the channel's first posts; the next one is then sent at once. */
  reserveFirst(thread: ThreadRef, signal: AbortSignal): Promise<void>;
  releaseFirst(thread: ThreadRef): void;
  /** Registers work that continues after its run has ended and never rejects. `stop` waits for it briefly. */
  keep(work: Promise<unknown>): void;
}

/** How long `stop` waits for the kept work. */
const STOP_WAIT_MS = 2_000;

/** Use of the platform's rates by other processes. */
export interface SharedUsage {
  /** When an earlier process may have used up the bursts of all rates. In milliseconds since the epoch. */
  readonly emptyAt?: number | null;
  /** Counts the use of all processes that serve the platform at the same time. */
  readonly shared?: SharedRates | null;
}

/** Sends every request that creates or changes something through the rate scheduler of its workspace. */
export function pacePlatform(
  inner: ChatPlatform,
  clock: Clock,
  { emptyAt = null, shared = null }: SharedUsage = {},
): PacedPlatform {
  const budgets = new WorkspaceBudgets(inner, { clock, emptyAt, shared });
  const kept = new Set<Promise<unknown>>();
  let stopping = new AbortController();

  const createIn = async (thread: ThreadRef, lane: OutgoingMessage["lane"], send: () => Promise<PostedMessage>) => {
    const { signal } = stopping;
    const posted = await budgets.of(thread.workspaceId).post(thread.channelId, send, { lane, signal });
    budgets.remember(posted.channelId, thread.workspaceId);
    return posted;
  };

  const putSign = (thread: ThreadRef, { messageId, sign, signal }: WaitingSign) =>
    budgets.of(thread.workspaceId).reactions.run(() => inner.react(thread, messageId, sign), {
      lane: "progress",
      signal: AbortSignal.any([signal, stopping.signal]),
    });

  return {
    ...factsOf(inner),
    start(receive, signal) {
      stopping = new AbortController();
      return inner.start(receive, signal);
    },
    async stop() {
      await waitAtMost(STOP_WAIT_MS, Promise.all(kept), clock);
      // Posts still waiting for their turn are left to the next process.
      stopping.abort(new SuspendSignal("the platform is being stopped"));
      await inner.stop();
    },
    post: (thread, message, key) => createIn(thread, message.lane, () => inner.post(thread, message, key)),
    find: (thread, key, since) => inner.find(thread, key, since),
    edit: (posted, message) =>
      budgets.ofChannel(posted.channelId).edits.run(() => inner.edit(posted, message), {
        lane: message.lane,
        signal: stopping.signal,
      }),
    editLatest(posted, latest, { thread, signal, isWanted }) {
      budgets.remember(posted.channelId, thread.workspaceId);
      const send = async () => {
        if (isWanted === undefined || (await isWanted())) await inner.edit(posted, latest());
      };
      const either = AbortSignal.any([signal, stopping.signal]);
      return budgets.of(thread.workspaceId).edits.run(send, { lane: latest().lane, signal: either });
    },
    react: (thread, messageId, sign) => putSign(thread, { messageId, sign, signal: stopping.signal }),
    putSign,
    upload: (thread, file, key) => createIn(thread, "answer", () => inner.upload(thread, file, key)),
    ...pacedStatus(inner, budgets, () => stopping.signal),
    ...unpaced(inner),
    canPostFirst: (thread) => budgets.of(thread.workspaceId).canPostFirst(thread.channelId),
    reserveFirst: (thread, signal) => budgets.of(thread.workspaceId).reserveFirst(thread.channelId, signal),
    releaseFirst: (thread) => budgets.of(thread.workspaceId).releaseFirst(thread.channelId),
    keep(work) {
      const task = work.finally(() => kept.delete(task));
      kept.add(task);
    },
  };
}

function pacedStatus(
  inner: ChatPlatform,
  budgets: WorkspaceBudgets,
  stopping: () => AbortSignal,
): Pick<PacedPlatform, "showLatestStatus"> {
  if (inner.showStatus === undefined) return {};
  return {
    showLatestStatus(thread, latest, { lane, signal }) {
      const send = async () => {
        const words = latest();
        if (words !== null) await inner.showStatus?.(thread, words);
      };
      const either = AbortSignal.any([signal, stopping()]);
      return budgets.of(thread.workspaceId).statuses.run(send, { lane, signal: either });
    },
  };
}

/** Operations that do not count against the rates of a workspace. */
function unpaced(inner: ChatPlatform) {
  return {
    postEphemeral: inner.postEphemeral.bind(inner),
    ...(inner.openPrivateThread && { openPrivateThread: inner.openPrivateThread.bind(inner) }),
    ...(inner.previews && { previews: inner.previews.bind(inner) }),
    fetchFile: inner.fetchFile.bind(inner),
    fetchThread: inner.fetchThread.bind(inner),
    missed: inner.missed.bind(inner),
  };
}
