import type { PlatformName, ThreadRef } from "../protocol/platform.ts";
import type { BusyState, WaitingFor } from "../protocol/session-summary.ts";
import type { Store } from "../store/store.ts";
import { isFamilyAtWork, openChildren } from "../subagents/children.ts";
import { plainLine } from "../text/plain-text.ts";

/** What goes on in a session. A run that waits for its sub-agents, or pauses, waits for nobody: it works. */
export type SessionState =
  | { readonly type: "idle" }
  /** People are asked, by the session itself or a sub-agent. */
  | { readonly type: "asks"; readonly asks: readonly WaitingFor[] }
  /** `turns`: of its own run; null when only sub-agents in the background go on. */
  | { readonly type: "works"; readonly turns: number | null; readonly subAgents: number };

export async function stateOf(store: Store, sessionId: string): Promise<SessionState> {
  if (!(await isFamilyAtWork(store, sessionId))) return { type: "idle" };
  const { ofSession } = await store.children.family(sessionId, "");
  const asks = await waitingFor(store, ofSession.sessionIds);
  if (asks.length > 0) return { type: "asks", asks };
  const [run, children] = await Promise.all([store.runs.open(sessionId), openChildren(store, sessionId)]);
  const turns = run === null ? null : (await store.usage.ofRun(run.id)).turns;
  return { type: "works", turns, subAgents: children.length };
}

/** Characters of a question in a list. */
const TITLE_CHARS = 160;

/** Cards of these sessions that nobody has decided or answered, the oldest first. */
export function askedIn({ approvals, questions }: Store, sessionIds: readonly string[]) {
  return Promise.all([approvals.pendingOf(sessionIds), questions.openOf(sessionIds)]);
}

/** What these sessions have asked people and nobody has answered yet. */
export async function waitingFor(store: Store, sessionIds: readonly string[]): Promise<WaitingFor[]> {
  const [approvals, questions] = await askedIn(store, sessionIds);
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

/** Threads of a platform in which something goes on, by what `keyOf` makes of them. */
export async function busyThreads(
  store: Store,
  platform: PlatformName,
  keyOf: (thread: ThreadRef) => string,
): Promise<ReadonlyMap<string, BusyState>> {
  const busy = (await store.runs.busySessions()).filter(({ thread }) => thread.platform === platform);
  const ids = busy.map(({ sessionId }) => sessionId);
  const asked = await askedIn(store, ids);
  const asking = new Set(asked.flat().map(({ sessionId }) => sessionId));
  const states = new Map<string, BusyState>();
  for (const { sessionId, thread } of busy) {
    const key = keyOf(thread);
    states.set(key, asking.has(sessionId) || states.get(key) === "waiting" ? "waiting" : "working");
  }
  return states;
}
