import { raw, sqltag as sql } from "@prisma/client/runtime/client";
import { z } from "zod";
import type { Client } from "../../core/store/database/client.ts";
import { OPEN_OCCURRENCES } from "../../core/store/job-occurrences.ts";
import { GONE_KEY, generationsFrom } from "../../core/store/run/session-tree.ts";
import type { FeatureHost } from "../../feature-host.ts";
import { SESSION_TABLES } from "./tables.ts";

export type Database = FeatureHost["database"];

/** Rows deleted or changed per transaction, since nobody else can write meanwhile. */
export const BATCH = 200;

const stateSchema = z.enum(["marked", "begun", "ledger"]);

export interface Mark {
  /** `session:ses_1` */
  readonly id: string;
  /** `marked`: nothing is deleted yet. `ledger`: everything except a person's spending is done. */
  readonly state: z.infer<typeof stateSchema>;
  readonly pseudonym: string | null;
  readonly createdAt: number;
}

export interface Place {
  readonly id: string;
  readonly channelId: string;
  /** ThreadRef as JSON. */
  readonly thread: string;
  /** The session that started a sub-agent's session; null for any other. */
  readonly parentId: string | null;
}

/** Why a session is deleted: a person asked for it, or it is too old. */
export type DeletionReason = "session" | "old";

export function markId(why: DeletionReason, sessionId: string): string {
  return `${why}:${sessionId}`;
}

export function deletionReads(db: Client) {
  return {
    ...sessionData(db),

    async marks(): Promise<Mark[]> {
      const rows = await db.deletion.findMany({ orderBy: { createdAt: "asc" } });
      return rows.map(({ id, state, pseudonym, createdAt }) => ({
        id,
        state: stateSchema.parse(state),
        pseudonym,
        createdAt: createdAt.getTime(),
      }));
    },

    /** Sessions, except sub-agents', without activity since and not being deleted yet, the oldest first. */
    async olderThan(before: number, limit: number, without: readonly string[]): Promise<string[]> {
      const rows = await db.session.findMany({
        where: {
          parentId: null,
          updatedAt: { lt: new Date(before) },
          id: { notIn: [...without] },
          key: { not: { startsWith: GONE_KEY } },
        },
        orderBy: { updatedAt: "asc" },
        take: limit,
        select: { id: true },
      });
      return rows.map(({ id }) => id);
    },

    /** The sessions and those of all their sub-agents. */
    async family(roots: readonly string[]): Promise<string[]> {
      const all = new Set<string>();
      for await (const generation of generationsFrom(db, roots)) for (const { id } of generation) all.add(id);
      return [...all];
    },

    async countMessages(family: readonly string[]): Promise<number> {
      return db.message.count({ where: { sessionId: { in: [...family] } } });
    },

    async openRuns(family: readonly string[]): Promise<{ id: string; sessionId: string }[]> {
      const where = { sessionId: { in: [...family] }, status: { not: "ended" } };
      return db.run.findMany({ where, select: { id: true, sessionId: true } });
    },

    /** Removes deleted data from SQLite's write-ahead log; false while a reader prevents it. A no-op on PostgreSQL. */
    async emptyLog(database: Database): Promise<boolean> {
      if (database === "postgresql") return true;
      const rows = await db.$queryRaw<{ busy: unknown }[]>`PRAGMA wal_checkpoint(TRUNCATE)`;
      return Number(rows[0]?.busy ?? 0) === 0;
    },

    /** Whether something is running, or is about to start. */
    async isLive(family: readonly string[], now: number): Promise<boolean> {
      const sessionId = { in: [...family] };
      const begins = [{ wakes: true, dueAt: { lte: new Date(now) } }, { body: { contains: '"kind":"child"' } }];
      const [runs, events, occurrences] = await Promise.all([
        db.run.count({ where: { sessionId, status: { not: "ended" } } }),
        db.inboxEvent.count({ where: { sessionId, state: "waiting", OR: begins } }),
        db.jobOccurrence.count({ where: { sessionId, status: { in: OPEN_OCCURRENCES } } }),
      ]);
      return runs + events + occurrences > 0;
    },
  };
}

/** Reads what belongs to sessions beside their own rows. */
function sessionData(db: Client) {
  const runsOf = (family: readonly string[]) => ({ sessionId: { in: [...family] } });
  const runIdsOf = async (family: readonly string[]) =>
    (await db.run.findMany({ where: runsOf(family), select: { id: true } })).map(({ id }) => id);
  return {
    runIdsOf,

    async placesOf(roots: readonly string[]): Promise<Place[]> {
      return db.session.findMany({
        where: { id: { in: [...roots] } },
        select: { id: true, channelId: true, thread: true, parentId: true },
      });
    },

    /** Whether any other session, except sub-agents', has the thread. */
    async isThreadOfOthers(thread: string, channelId: string, roots: readonly string[]): Promise<boolean> {
      const where = { channelId, thread, parentId: null, id: { notIn: [...roots] } };
      return (await db.session.count({ where })) > 0;
    },

    /** Cards about repositories' instructions that wait for a decision, by run. */
    async openCards(family: readonly string[]): Promise<{ runId: string; thread: string }[]> {
      const runs = await db.run.findMany({ where: runsOf(family), include: { session: { select: { thread: true } } } });
      const runId = { in: runs.map(({ id }) => id) };
      const cards = await db.instructionCard.findMany({ where: { runId }, distinct: ["runId"] });
      return cards.flatMap((card) => {
        const thread = runs.find(({ id }) => id === card.runId)?.session.thread;
        return thread === undefined ? [] : [{ runId: card.runId, thread }];
      });
    },

    /** Number of the bot's messages whose final state people do not see yet. */
    async unshown(family: readonly string[]): Promise<number> {
      const runId = { in: await runIdsOf(family) };
      return db.post.count({ where: { runId, state: "sent", closing: { not: "" }, shownAt: null } });
    },

    /** Keys of the events that arrived since. */
    async keptKeys(family: readonly string[], since: number): Promise<string[]> {
      const where = { sessionId: { in: [...family] }, createdAt: { gte: new Date(since) } };
      return (await db.inboxEvent.findMany({ where, select: { key: true } })).map(({ key }) => key);
    },
  };
}

export function deletionWrites(db: Client, database: Database) {
  return {
    ...deletionReads(db),
    ...batches(db, database),

    /**
     * Hides the session from its thread, so that the next message there starts another. A session that is already
     * marked stays as it is.
     */
    async mark(why: DeletionReason, sessionId: string, at: number): Promise<void> {
      const { key } = await db.session.update({ where: { id: sessionId }, data: { epoch: { increment: 0 } } });
      if (key.startsWith(GONE_KEY)) return;
      const id = markId(why, sessionId);
      await db.deletion.create({ data: { id, state: "marked", formerKey: key, createdAt: new Date(at) } });
      await db.session.update({ where: { id: sessionId }, data: { key: `${GONE_KEY}${sessionId}` } });
    },

    /** From now on the deletion will be completed. */
    async begin(why: DeletionReason, sessionIds: readonly string[]): Promise<void> {
      const id = { in: sessionIds.map((each) => markId(why, each)) };
      await db.deletion.updateMany({ where: { id }, data: { state: "begun" } });
    },

    /** Restores the session. If its thread has another one by now, it gets a key beside that one. */
    async takeBack(why: DeletionReason, sessionId: string): Promise<void> {
      const mark = await db.deletion.findUnique({ where: { id: markId(why, sessionId) } });
      if (mark?.formerKey == null) return;
      const key = mark.formerKey;
      const owner = await db.session.findUnique({ where: { key }, select: { id: true } });
      const free = owner === null ? key : `${key}#${sessionId}`;
      await db.session.update({ where: { id: sessionId }, data: { key: free } });
      await db.deletion.delete({ where: { id: mark.id } });
    },

    /** Remembers which events were answered, in case a platform delivers them again. */
    async rememberAnswered(keys: readonly string[], at: number): Promise<void> {
      for (const key of keys) {
        const row = { key, at: new Date(at) };
        await db.answeredMessage.upsert({ where: { key }, create: row, update: row });
      }
    },

    /** Deletes the sessions themselves, and finally their marks. */
    async finish(why: DeletionReason, roots: readonly string[], family: readonly string[]): Promise<void> {
      await db.session.deleteMany({ where: { id: { in: [...family] } } });
      await db.deletion.deleteMany({ where: { id: { in: roots.map((each) => markId(why, each)) } } });
    },
  };
}

const callsSchema = z.array(z.object({ tool: z.string() }));

/** How each database names a row's position, and turns one value into a list of texts. */
const SQL = {
  sqlite: { row: raw("rowid"), each: raw("json_each"), type: raw("TEXT") },
  postgresql: { row: raw("ctid"), each: raw("json_array_elements"), type: raw("JSON") },
};

function batches(db: Client, database: Database) {
  const { row, each, type } = SQL[database];
  return {
    /** Deletes at most one batch of a table's rows; returns their number. */
    async deleteSome(table: (typeof SESSION_TABLES)[number], family: readonly string[]): Promise<number> {
      const [name, column] = table;
      const quoted = raw(`"${name}"`);
      const ids = JSON.stringify(family.map((id) => [id]));
      const theirs = sql`"sessionId" IN (SELECT "ids"."value" ->> 0 FROM ${each}(CAST(${ids} AS ${type})) AS "ids")`;
      const wanted = column === "sessionId" ? theirs : sql`"runId" IN (SELECT "id" FROM "Run" WHERE ${theirs})`;
      return db.$executeRaw`
        DELETE FROM ${quoted} WHERE ${row} IN (SELECT ${row} FROM ${quoted} WHERE ${wanted} LIMIT ${BATCH})`;
    },

    /** Copies to the audit log who decided what, without the calls' inputs. */
    async keepDecisions(family: readonly string[]): Promise<void> {
      const decided = {
        sessionId: { in: [...family] },
        status: { in: ["allowed", "denied"] },
        decidedBy: { not: null },
      };
      for (const { id, decidedAt, decidedBy, status, scope, calls } of await db.approval.findMany({ where: decided })) {
        if (decidedAt === null || decidedBy === null) continue;
        const tools = callsSchema.parse(JSON.parse(calls)).map(({ tool }) => tool);
        const about = [...new Set(tools)].join(", ");
        const row = { at: decidedAt, by: decidedBy, act: `approval.${status}`, about, details: scope ?? "" };
        await db.auditEntry.upsert({ where: { id }, create: { id, ...row }, update: {} });
      }
    },

    /** Deletes the sessions' grants. Grants for a whole channel stay, without the session in which they were given. */
    async clearGrants(family: readonly string[]): Promise<void> {
      const ids = { in: [...family] };
      await db.grant.deleteMany({ where: { sessionId: ids } });
      await db.grant.updateMany({ where: { givenIn: ids }, data: { givenIn: null } });
    },

    /** Keeps when a job ran and what it cost, but clears its results in words. */
    async clearOccurrences(family: readonly string[]): Promise<void> {
      const data = { sessionId: null, runId: null, message: null, error: null, reportHash: null };
      await db.jobOccurrence.updateMany({ where: { sessionId: { in: [...family] } }, data });
    },
  };
}
