import type { PlatformName, ThreadRef } from "../platform/thread.ts";
import type { BusyState, WaitingFor } from "../protocol/session-summary.ts";
import type { Store } from "../store/store.ts";
import { isTreeAtWork, openChildren } from "../subagents/children.ts";
import { plainLine } from "../text/plain-text.ts";

/** What a session is doing. A run that waits for sub-agents or sleeps counts as working. */
export type SessionState =
  | { readonly type: "idle" }
  /** The session or a sub-agent waits for people. */
  | { readonly type: "asks"; readonly asks: readonly WaitingFor[] }
  /** `turns` counts those of the session's own run; null if only background sub-agents are working. */
  | { readonly type: "works"; readonly turns: number | null; readonly subAgents: number };

export async function stateOf(store: Store, sessionId: string): Promise<SessionState> {
  if (!(await isTreeAtWork(store, sessionId))) return { type: "idle" };
  const { ofSession } = await store.children.family(sessionId, "");
  const asks = await waitingFor(store, ofSession.sessionIds);
  if (asks.length > 0) return { type: "asks", asks };
  const [run, children] = await Promise.all([store.runs.open(sessionId), openChildren(store, sessionId)]);
  const turns = run === null ? null : (await store.usage.ofRun(run.id)).turns;
  return { type: "works", turns, subAgents: children.length };
}

/** Maximum length of a question in a list, in characters. */
const TITLE_CHARS = 160;

/** Undecided approvals and unanswered questions of the sessions, oldest first. */
export function openInteractions({ approvals, questions }: Store, sessionIds: readonly string[]) {
  return Promise.all([approvals.pendingOf(sessionIds), questions.openOf(sessionIds)]);
}

/** What these sessions are waiting for people to decide or answer. */
export async function waitingFor(store: Store, sessionIds: readonly string[]): Promise<WaitingFor[]> {
  const [approvals, questions] = await openInteractions(store, sessionIds);
  return [
    ...approvals.map(({ id, calls, expiresAt }): WaitingFor => {
      const asked = calls.filter(({ refused }) => refused === undefined);
      return { kind: "approval", id, title: asked.map(({ title }) => title).join(", "), expiresAt };
    }),
    ...questions.map(({ id, body }): WaitingFor => {
      const title = body.kind === "plan" ? "The plan" : plainLine(body.question, TITLE_CHARS);
      return { kind: body.kind, id, title, expiresAt: null };
    }),
  ];
}

/** The busy threads of a platform, keyed by `keyOf`. */
export async function busyThreads(
  store: Store,
  platform: PlatformName,
  keyOf: (thread: ThreadRef) => string,
): Promise<ReadonlyMap<string, BusyState>> {
  const busy = (await store.runs.busySessions()).filter(({ thread }) => thread.platform === platform);
  const ids = busy.map(({ sessionId }) => sessionId);
  const asked = await openInteractions(store, ids);
  const asking = new Set(asked.flat().map(({ sessionId }) => sessionId));
  const states = new Map<string, BusyState>();
  for (const { sessionId, thread } of busy) {
    const key = keyOf(thread);
    states.set(key, asking.has(sessionId) || states.get(key) === "waiting" ? "waiting" : "working");
  }
  return states;
}
