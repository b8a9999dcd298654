import { isForeignKeyFailure } from "../protocol/database-failure.ts";
import type { Runtime } from "../protocol/runtime.ts";
import { type AdvisoryLock, takeAdvisoryLock } from "./database/advisory-locks.ts";
import type { Client, DatabaseClient } from "./database/client.ts";
import { connectedLate } from "./database/late-tiering.ts";
import { MIGRATIONS } from "./database/migrate.ts";
import { presenceReads, presenceWrites } from "./database/presence.ts";
import { inboxReads, inboxWrites } from "./inbox.ts";
import { occurrenceReads, occurrenceWrites } from "./job-occurrences.ts";
import { jobReads, jobWrites } from "./jobs.ts";
import { ChannelMemory, type KnownChannels } from "./known-channels.ts";
import { knownWorkspaceReads, knownWorkspaceWrites } from "./known-workspaces.ts";
import { budgetWrites } from "./ledger/budgets.ts";
import { usageReads, usageWrites } from "./ledger/usage.ts";
import { messageReads, messageWrites } from "./messages.ts";
import { postReads, postWrites } from "./posts.ts";
import { revisionReads, revisionWrites } from "./revisions.ts";
import { approvalReads, approvalWrites } from "./run/approvals.ts";
import { childReads, childWrites } from "./run/children.ts";
import { compactionReads, compactionWrites } from "./run/compactions.ts";
import { feedbackReads, feedbackWrites } from "./run/feedback.ts";
import { fileLabelReads, fileLabelWrites } from "./run/file-labels.ts";
import { grantReads, grantWrites } from "./run/grants.ts";
import { journalReads, journalWrites } from "./run/journal.ts";
import { planReads, planWrites } from "./run/plans.ts";
import { questionReads, questionWrites } from "./run/questions.ts";
import { toolCallReads, toolCallWrites } from "./run/tool-calls.ts";
import { undoReads, undoWrites } from "./run/undos.ts";
import { runReads, runWrites } from "./runs.ts";
import { sessionReads, sessionWrites } from "./sessions.ts";
import { webThreadReads, webThreadWrites } from "./web-threads.ts";

function reads(db: Client) {
  return {
    sessions: sessionReads(db),
    children: childReads(db),
    inbox: inboxReads(db),
    runs: runReads(db),
    journal: journalReads(db),
    messages: messageReads(db),
    toolCalls: toolCallReads(db),
    usage: usageReads(db),
    compactions: compactionReads(db),
    posts: postReads(db),
    presence: presenceReads(db),
    knownWorkspaces: knownWorkspaceReads(db),
    questions: questionReads(db),
    plans: planReads(db),
    approvals: approvalReads(db),
    grants: grantReads(db),
    fileLabels: fileLabelReads(db),
    feedback: feedbackReads(db),
    undos: undoReads(db),
    jobs: jobReads(db),
    occurrences: occurrenceReads(db),
    webThreads: webThreadReads(db),
    revisions: revisionReads(db),
    tables: tablesOf(db),
  };
}

/** A feature's own tables, read outside a transaction or used within one. */
function tablesOf(db: Client) {
  return <T>(of: (db: Client) => T): T => of(db);
}

function writes(db: Client, channels: KnownChannels, isFile: boolean) {
  return {
    sessions: sessionWrites(db, channels),
    children: childWrites(db),
    inbox: inboxWrites(db),
    runs: runWrites(db),
    journal: journalWrites(db),
    messages: messageWrites(db),
    toolCalls: toolCallWrites(db),
    usage: usageWrites(db),
    budgets: budgetWrites(db),
    compactions: compactionWrites(db),
    posts: postWrites(db),
    presence: presenceWrites(db),
    knownWorkspaces: knownWorkspaceWrites(db),
    questions: questionWrites(db),
    plans: planWrites(db),
    approvals: approvalWrites(db),
    grants: grantWrites(db),
    fileLabels: fileLabelWrites(db),
    feedback: feedbackWrites(db),
    undos: undoWrites(db),
    jobs: jobWrites(db),
    occurrences: occurrenceWrites(db),
    webThreads: webThreadWrites(db),
    revisions: revisionWrites(db),
    /**
     * Must come first in a transaction: what follows runs in one transaction at a time across all processes. On SQLite
     * every transaction does.
     */
    takeAdvisoryLock: async (turn: AdvisoryLock) => (isFile ? undefined : takeAdvisoryLock(db, turn)),
    tables: tablesOf(db),
  };
}

export type StoreReads = ReturnType<typeof reads>;

export type StoreTransaction = ReturnType<typeof writes>;

/** All state. Writes exist only inside `transaction`. Reads outside it see committed data only. */
export interface Store extends StoreReads {
  transaction<T>(work: (tx: StoreTransaction) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/**
 * Opens `file:…` or `postgresql://…` and migrates it to this version, loading the driver on demand. Rejects with
 * ConfigError if the operator must mend DATABASE_URL or the database, with StoreError if that is newer. `isShared`:
 * other processes use the database too, so what this one holds is freed if it freezes.
 */
export async function openStore(url: string, runtime: Runtime, { isShared = false } = {}): Promise<Store> {
  return createStore(await openClient(url, runtime, isShared), url.startsWith("file:"));
}

async function openClient(url: string, runtime: Runtime, isShared: boolean): Promise<DatabaseClient> {
  if (url.startsWith("file:")) {
    const { openSqlite } = await import("./database/sqlite.ts");
    return connectedLate(await openSqlite(url, MIGRATIONS.sqlite, runtime));
  }
  const { openPostgresql } = await import("./database/postgresql.ts");
  return connectedLate(await openPostgresql({ url, isShared }, MIGRATIONS.postgresql, runtime));
}

function createStore(client: DatabaseClient, isFile: boolean): Store {
  const channels = new ChannelMemory();
  const transaction = async <T>(work: (tx: StoreTransaction) => Promise<T>): Promise<T> => {
    const known = channels.begin();
    try {
      const value = await client.$transaction((tx) => work(writes(tx, known, isFile)));
      known.committed();
      return value;
    } catch (error) {
      if (!known.isTrusted() || !isForeignKeyFailure(error)) throw error;
      // A channel that was assumed to have a row has none; the second try writes it.
      channels.forget();
      return transaction(work);
    }
  };
  return {
    ...reads(client),
    transaction,
    close: () => client.$disconnect(),
  };
}
