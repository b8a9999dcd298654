import { titleOf } from "../agent/tool-decision.ts";
import type { QueryConfig } from "../agents/query-config.ts";
import type { ModelChoice } from "../budget/model-choice.ts";
import { grantSubject } from "../permissions/approval-card.ts";
import { type PlatformName, sessionKeyOf, type ThreadRef } from "../platform/thread.ts";
import type { BusyState, SessionSummary } from "../protocol/session-summary.ts";
import { tokensOf } from "../protocol/usage.ts";
import { costOfAll } from "../store/ledger/usage-report.ts";
import type { SessionRow } from "../store/sessions.ts";
import type { Store } from "../store/store.ts";
import type { Tool } from "../tool.ts";
import { changedFilesOf } from "./run-changes.ts";
import { stepsOfRun } from "./run-steps.ts";
import { busyThreads, waitingFor } from "./session-state.ts";

export interface SummaryOptions {
  readonly store: Store;
  readonly models: Pick<ModelChoice, "windowOf">;
  readonly configOf: (session: SessionRow) => QueryConfig;
  readonly tools: () => readonly Tool[];
}

export interface Summaries {
  /** Null if the thread has no session. */
  of(thread: ThreadRef): Promise<SessionSummary | null>;
  /** Threads of a platform that are busy, by thread id. */
  busyThreads(platform: PlatformName): Promise<ReadonlyMap<string, BusyState>>;
}

/** Creates a read-only view of the state of sessions. */
export function createSummaries(options: SummaryOptions): Summaries {
  return {
    of: async (thread) => {
      const session = await options.store.sessions.byKey(sessionKeyOf(thread));
      return session === null ? null : summaryOf(session, options);
    },
    busyThreads: (platform) => busyThreads(options.store, platform, ({ threadId }) => threadId ?? ""),
  };
}

async function summaryOf(session: SessionRow, options: SummaryOptions): Promise<SessionSummary> {
  const { store, configOf, tools } = options;
  const config = configOf(session);
  const run = await store.runs.newestOf(session.id);
  const { ofSession, ofRun } = await store.children.family(session.id, run?.id ?? "");
  const titles = (name: string, input: unknown) => titleOf(tools(), { name, input });
  const [steps, files, spent, used, waiting, grants] = await Promise.all([
    run === null ? [] : stepsOfRun({ store, titleOf: titles }, { run, children: ofRun.children }),
    changedFilesOf(store, session.id),
    store.usage.total({ since: 0, sessionIds: ofSession.sessionIds }),
    usedContext(session.id, config, options),
    waitingFor(store, ofSession.sessionIds),
    store.grants.inForce({ sessionId: session.id, channelId: session.channelKey }),
  ]);
  return {
    agent: config.agentDefinition.name,
    mode: config.mode,
    model: config.model,
    steps,
    files,
    context: used === null || used.isShortened ? null : { tokens: used.tokens, window: used.window },
    costUsd: costOfAll([spent]),
    waiting,
    grants: grants.map((grant) => {
      const { id, grantedBy, sessionId } = grant;
      return { id, what: grantSubject(grant), grantedBy, scope: sessionId === null ? "always" : "session" };
    }),
  };
}

/**
 * How much of the window is used, as counted for the newest response; null before the first. Later messages are not
 * included yet.
 */
export async function usedContext(
  sessionId: string,
  config: QueryConfig,
  { store, models }: Pick<SummaryOptions, "store" | "models">,
) {
  const [newest, { at }, window] = await Promise.all([
    store.usage.newestTurn(sessionId),
    store.compactions.newestOf(sessionId),
    models.windowOf(config),
  ]);
  if (newest === null || window === null) return null;
  return { tokens: tokensOf(newest.usage), window, isShortened: at !== null && at >= newest.at };
}
