import type { Cluster } from "../cluster.ts";
import type { TurnContext, Wake } from "../engine/engine.ts";
import { postKey } from "../engine/post-once.ts";
import type { SessionEventBody } from "../events/session-event.ts";
import type { MessageFinaliser } from "../people/message-finaliser.ts";
import type { PlatformName } from "../platform/thread.ts";
import type { Log } from "../protocol/log.ts";
import type { Runtime } from "../protocol/runtime.ts";
import type { Store } from "../store/store.ts";
import { tasksOfRun } from "../subagents/run-tasks.ts";
import { keepingNotices, noticesOf } from "./run-notices.ts";
import type { OpenRunView, RunView } from "./run-view.ts";

export interface ViewedRun {
  readonly wake: Wake;
  readonly context: TurnContext;
  readonly isQueued: boolean;
}

export interface OpenRunViewOptions {
  readonly store: Store;
  readonly runtime: Runtime;
  readonly log: Log;
  readonly finaliser: MessageFinaliser;
  /** Tells whether other processes may continue a parked run. */
  readonly cluster: Pick<Cluster, "isShared">;
  /** Returns the function that opens a view, for a platform and the event that began the run. */
  readonly openView: (name: PlatformName, body: SessionEventBody) => OpenRunView;
}

/**
 * Opens a run's view and restores what earlier wakes have shown. A run that is just beginning has posted nothing yet.
 */
export async function openRunView(
  { wake, context, isQueued }: ViewedRun,
  { store, openView, runtime, log, finaliser, cluster }: OpenRunViewOptions,
): Promise<RunView> {
  const { runId, session, event } = wake;
  const live = postKey(runId, "live");
  const earlier = wake.resumed ? await earlierProgress(store, wake, runtime) : NO_PROGRESS;
  const begun = openView(session.thread.platform, event.body);
  const view = begun({
    ...earlier,
    runId,
    sessionId: session.id,
    thread: session.thread,
    agentName: session.agent,
    startedAt: wake.startedAt,
    isQueued,
    triggerMessageId: event.body.kind === "message" ? event.body.messageId : null,
    askedBy: event.body.kind === "message" ? event.body.author.id : null,
    closes: (last) => store.transaction((tx) => tx.posts.closes(live, last)),
    finalise: (last) => finaliser.finalise({ key: live, thread: session.thread, last }),
    repeatFinal: () => finaliser.repeat(runId, "live", session.thread),
    ...(cluster.isShared ? { isOurs: () => store.sessions.isOwnedIn(session.id, context.epoch) } : {}),
    post: (key, message, thread) => context.post(key, message, thread),
  });
  return keepingNotices(view, context, { runtime, log });
}

const NO_PROGRESS = { isLive: false, tasks: [], toolsBefore: 0, noticesBefore: [] };

async function earlierProgress(store: Store, { sessionId, runId }: Wake, { clock }: Pick<Runtime, "clock">) {
  const [live, tasks, calls, noticesBefore] = await Promise.all([
    store.posts.get(postKey(runId, "live")),
    tasksOfRun(store, { sessionId, runId }, clock.now()),
    store.toolCalls.ofRun(runId),
    noticesOf(store, runId),
  ]);
  const toolsBefore = calls.filter(({ status }) => status === "ended").length;
  return { isLive: live !== null, tasks, toolsBefore, noticesBefore };
}
