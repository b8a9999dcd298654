import { childEndKeys, childStartKey } from "../../events/child-event.ts";
import { type ChildTask, childTaskSchema, taskTreeOf } from "../../events/child-task.ts";
import type { SessionSettings } from "../../events/session-settings.ts";
import { type Client, mapRow, type Stored } from "../database/client.ts";

export interface ChildRow {
  /** Id of the child's session. */
  readonly id: string;
  readonly parentId: string;
  readonly parentRunId: string;
  readonly parentCallId: string;
  readonly task: ChildTask;
  readonly createdAt: number;
}

export interface NewChild extends ChildRow {
  readonly settings: SessionSettings;
  readonly createdBy: string;
}

export function beginKeyOf(child: Pick<ChildRow, "parentId" | "parentRunId" | "parentCallId">): string {
  return childStartKey({ parent: { sessionId: child.parentId, runId: child.parentRunId, callId: child.parentCallId } });
}

/** What descends from a session and from one of its runs. Of the children, parents come before their own. */
export interface Family {
  /** `sessionIds`: with the session itself. */
  readonly ofSession: { readonly children: readonly ChildRow[]; readonly sessionIds: readonly string[] };
  /** `runIds`: with the run itself. */
  readonly ofRun: { readonly children: readonly ChildRow[]; readonly runIds: readonly string[] };
}

export function childReads(db: Client) {
  return {
    async get(id: string): Promise<ChildRow | null> {
      return mapRow(await db.session.findUnique({ where: { id }, select: COLUMNS }), toRow);
    },

    /** Children that a run's calls have begun, oldest first. */
    async ofRun(parentId: string, parentRunId: string): Promise<ChildRow[]> {
      return childrenWhere(db, { parentId, parentRunId });
    },

    /** Children that a session has begun, oldest first. */
    async ofSession(parentId: string): Promise<ChildRow[]> {
      return childrenWhere(db, { parentId });
    },

    async family(sessionId: string, runId: string): Promise<Family> {
      const all = await descendants(db, sessionId);
      const ofRun = new Map<string, ChildRow>();
      for (const child of all) {
        const isBelow = child.parentId === sessionId ? child.parentRunId === runId : ofRun.has(child.parentId);
        if (isBelow) ofRun.set(child.id, child);
      }
      const children = [...ofRun.values()];
      const runs = await runsOf(db, children);
      return {
        ofRun: { children, runIds: [runId, ...runs.map(({ id }) => id)] },
        ofSession: { children: all, sessionIds: [sessionId, ...all.map(({ id }) => id)] },
      };
    },

    /** The runs of a task tree: the root run, its sub-agents', and those of the session that their ends began. */
    async runsOfTaskTree(sessionId: string, runId: string): Promise<string[]> {
      const all = (await descendants(db, sessionId)).filter(({ task }) => taskTreeOf(task) === runId);
      const below = await runsOf(db, all);
      const notes = below.map((run) => childEndKeys(run.sessionId, run.id).note);
      const began = await db.inboxEvent.findMany({ where: { key: { in: notes } }, select: { seq: true } });
      const eventSeq = { in: began.map(({ seq }) => seq) };
      const woken = await db.run.findMany({ where: { sessionId, eventSeq }, select: { id: true } });
      return [runId, ...[...below, ...woken].map(({ id }) => id)];
    },
  };
}

/** All generations; parents come before their children. */
async function descendants(db: Client, sessionId: string): Promise<ChildRow[]> {
  const all: ChildRow[] = [];
  for (let level = [sessionId]; level.length > 0; ) {
    const below = await childrenWhere(db, { parentId: { in: level } });
    all.push(...below);
    level = below.map(({ id }) => id);
  }
  return all;
}

async function runsOf(db: Client, children: readonly ChildRow[]): Promise<{ id: string; sessionId: string }[]> {
  if (children.length === 0) return [];
  const sessionId = { in: children.map(({ id }) => id) };
  return db.run.findMany({ where: { sessionId }, select: { id: true, sessionId: true } });
}

export function childWrites(db: Client) {
  return {
    ...childReads(db),

    /** Creates the child's session in its parent's thread, under a key of its own, so that no message reaches it. */
    async create({ task, settings, createdAt, ...child }: NewChild): Promise<void> {
      const parent = await db.session.findUniqueOrThrow({ where: { id: child.parentId } });
      const at = new Date(createdAt);
      await db.session.create({
        data: {
          ...child,
          key: `child:${child.parentRunId}:${child.parentCallId}`,
          channelId: parent.channelId,
          thread: parent.thread,
          agent: task.agent,
          people: parent.people,
          settings: JSON.stringify(settings),
          task: JSON.stringify(task),
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

type StoredChild = Pick<Stored<"Session">, keyof typeof COLUMNS>;

async function childrenWhere(
  db: Client,
  where: { parentId: string | { in: string[] }; parentRunId?: string },
): Promise<ChildRow[]> {
  const rows = await db.session.findMany({ where, select: COLUMNS, orderBy: { createdAt: "asc" } });
  return rows.flatMap((row) => toRow(row) ?? []);
}

/** Null if the session is no child. */
function toRow({ task, parentId, parentRunId, parentCallId, id, createdAt }: StoredChild): ChildRow | null {
  if (task === null || parentId === null || parentRunId === null || parentCallId === null) return null;
  const parsed = childTaskSchema.parse(JSON.parse(task));
  return { id, parentId, parentRunId, parentCallId, task: parsed, createdAt: createdAt.getTime() };
}
