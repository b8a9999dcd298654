import { type ChildTask, childTaskSchema } from "../sessions/child-task.ts";
import type { SessionSettings } from "../sessions/session-settings.ts";
import type { Client } from "./client.ts";

export interface ChildRow {
  /** Of the child's session. */
  readonly id: string;
  readonly parentId: string;
  readonly parentRunId: string;
  readonly parentCallId: string;
  readonly task: ChildTask;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

export interface NewChild extends ChildRow {
  readonly settings: SessionSettings;
  readonly createdBy: string;
}

/** A line of sessions and runs, its root included. */
export interface Family {
  readonly sessionIds: readonly string[];
  readonly runIds: readonly string[];
}

export function childReads(db: Client) {
  return {
    async get(id: string): Promise<ChildRow | null> {
      const row = await db.session.findUnique({ where: { id }, select: COLUMNS });
      return row === null ? null : toRow(row);
    },

    /** Those that a run's calls have begun, oldest first. */
    async ofRun(parentId: string, parentRunId: string): Promise<ChildRow[]> {
      return childrenWhere(db, { parentId, parentRunId });
    },

    /** Those that a session has begun, oldest first. */
    async ofSession(parentId: string): Promise<ChildRow[]> {
      return childrenWhere(db, { parentId });
    },

    /** The child's only run; null when it has not begun. */
    async runOf(
      id: string,
    ): Promise<{ id: string; isEnded: boolean; isParked: boolean; cancelledBy: string | null } | null> {
      const run = await db.run.findFirst({ where: { sessionId: id } });
      if (run === null) return null;
      const { status, cancelledBy } = run;
      return { id: run.id, isEnded: status === "ended", isParked: status === "parked", cancelledBy };
    },

    /** A session with all that descend from it; with a run, that run and what descends from it. */
    async family(sessionId: string, runId: string): Promise<{ ofRun: Family; ofSession: Family }> {
      let level = (await childrenWhere(db, { parentId: sessionId })).map((row) => ({
        id: row.id,
        isOfRun: row.parentRunId === runId,
      }));
      const all = [...level];
      while (level.length > 0) {
        const isOfRun = new Map(level.map((row) => [row.id, row.isOfRun]));
        const below = await childrenWhere(db, { parentId: { in: [...isOfRun.keys()] } });
        level = below.map((row) => ({ id: row.id, isOfRun: isOfRun.get(row.parentId) ?? false }));
        all.push(...level);
      }
      const runs = await db.run.findMany({
        where: { sessionId: { in: all.map(({ id }) => id) } },
        select: { id: true, sessionId: true },
      });
      const ofRun = all.filter((row) => row.isOfRun).map(({ id }) => id);
      const runIds = runs.filter((run) => ofRun.includes(run.sessionId)).map(({ id }) => id);
      return {
        ofRun: { sessionIds: ofRun, runIds: [runId, ...runIds] },
        ofSession: { sessionIds: [sessionId, ...all.map(({ id }) => id)], runIds: runs.map(({ id }) => id) },
      };
    },
  };
}

export function childWrites(db: Client) {
  return {
    ...childReads(db),

    /** Until the transaction ends, no other begins or releases what descends from the session. */
    async lockLine(sessionId: string): Promise<void> {
      await db.session.update({ where: { id: sessionId }, data: { epoch: { increment: 0 } } });
    },

    /** Begins the session beside its parent's, in the same thread; it has a key of its own, so that no message finds it. */
    async create({
      id,
      parentId,
      parentRunId,
      parentCallId,
      task,
      settings,
      createdBy,
      createdAt,
    }: NewChild): Promise<void> {
      const parent = await db.session.findUniqueOrThrow({ where: { id: parentId } });
      const at = new Date(createdAt);
      await db.session.create({
        data: {
          id,
          key: `child:${parentRunId}:${parentCallId}`,
          channelId: parent.channelId,
          thread: parent.thread,
          agent: task.agent,
          people: parent.people,
          settings: JSON.stringify(settings),
          parentId,
          parentRunId,
          parentCallId,
          task: JSON.stringify(task),
          createdBy,
          createdAt: at,
          updatedAt: at,
        },
      });
    },
  };
}

const COLUMNS = {
  id: true,
  parentId: true,
  parentRunId: true,
  parentCallId: true,
  task: true,
  createdAt: true,
} as const;

interface StoredChild {
  id: string;
  parentId: string | null;
  parentRunId: string | null;
  parentCallId: string | null;
  task: string | null;
  createdAt: Date;
}

async function childrenWhere(
  db: Client,
  where: { parentId: string | { in: string[] }; parentRunId?: string },
): Promise<ChildRow[]> {
  const rows = await db.session.findMany({ where, select: COLUMNS, orderBy: { createdAt: "asc" } });
  return rows.flatMap((row) => toRow(row) ?? []);
}

/** Null for a session that is nobody's child. */
function toRow({ task, parentId, parentRunId, parentCallId, id, createdAt }: StoredChild): ChildRow | null {
  if (task === null || parentId === null || parentRunId === null || parentCallId === null) return null;
  const parsed = childTaskSchema.parse(JSON.parse(task));
  return { id, parentId, parentRunId, parentCallId, task: parsed, createdAt: createdAt.getTime() };
}
