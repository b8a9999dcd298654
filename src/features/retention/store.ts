import { raw, sqltag as sql } from "@prisma/client/runtime/client";
import { z } from "zod";
import type { Client } from "../../core/store/database/client.ts";
import { OPEN_OCCURRENCES } from "../../core/store/job-occurrences.ts";
import type { FeatureHost } from "../../feature-host.ts";
import { OF_SESSIONS } from "./tables.ts";

export type Database = FeatureHost["database"];

/** Rows that one transaction deletes or changes: while it goes on, nobody else writes. */
export const BATCH = 200;
/** Generations of sub-agents are few (MAX_DEPTH); a row that points to itself ends here. */
const MOST_GENERATIONS = 8;
/** What keys of sessions that are being deleted begin with: no thread finds them any more. */
const GONE_KEY = "deleted:";

const stateSchema = z.enum(["marked", "begun", "ledger"]);

export interface Mark {
  /** `session:ses_1` */
  readonly id: string;
  /** `marked`: nothing is deleted yet. `ledger`: all but what a person has spent is done. */
  readonly state: z.infer<typeof stateSchema>;
  readonly pseudonym: string | null;
  readonly createdAt: number;
}

export interface Place {
  readonly id: string;
  readonly channelId: string;
  /** ThreadRef as JSON. */
  readonly thread: string;
  /** The session that has begun a sub-agent's; null for any other. */
  readonly parentId: string | null;
}

/** Why a session goes: somebody deletes it, or it is too old. */
export type Why = "session" | "old";

export function markId(why: Why, sessionId: string): string {
  return `${why}:${sessionId}`;
}

export function deletionReads(db: Client) {
  return {
    ...looks(db),

    async marks(): Promise<Mark[]> {
      const rows = await db.deletion.findMany({ orderBy: { createdAt: "asc" } });
      return rows.map(({ id, state, pseudonym, createdAt }) => ({
        id,
        state: stateSchema.parse(state),
        pseudonym,
        createdAt: createdAt.getTime(),
      }));
    },

    /** Sessions that are no sub-agent's, that nobody deletes yet, and in which nothing has happened since, the oldest first. */
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

    /** A session's own and those of all its sub-agents. */
    async family(roots: readonly string[]): Promise<string[]> {
      const all = [...roots];
      let level = [...roots];
      for (let generation = 0; level.length > 0 && generation < MOST_GENERATIONS; generation += 1) {
        const rows = await db.session.findMany({ where: { parentId: { in: level } }, select: { id: true } });
        level = rows.map(({ id }) => id).filter((id) => !all.includes(id));
        all.push(...level);
      }
      return all;
    },

    async countMessages(family: readonly string[]): Promise<number> {
      return db.message.count({ where: { sessionId: { in: [...family] } } });
    },

    /** Runs that have not ended. */
    async openRuns(family: readonly string[]): Promise<{ id: string; sessionId: string }[]> {
      const where = { sessionId: { in: [...family] }, status: { not: "ended" } };
      return db.run.findMany({ where, select: { id: true, sessionId: true } });
    },

    /** Takes what was deleted out of SQLite's log, too; false where a reader keeps it for now. PostgreSQL does so by itself. */
    async emptyLog(database: Database): Promise<boolean> {
      if (database === "postgresql") return true;
      const rows = await db.$queryRaw<{ busy: unknown }[]>`PRAGMA wal_checkpoint(TRUNCATE)`;
      return Number(rows[0]?.busy ?? 0) === 0;
    },

    /** Whether something goes on, or is about to begin. */
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

/** What hangs on sessions and is no row of theirs. */
function looks(db: Client) {
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

    /** Whether a session that is no sub-agent's, and none of these, has the thread. */
    async isThreadOfOthers(thread: string, channelId: string, roots: readonly string[]): Promise<boolean> {
      const where = { channelId, thread, parentId: null, id: { notIn: [...roots] } };
      return (await db.session.count({ where })) > 0;
    },

    /** Cards of repositories' instructions that wait for a decision, by run. */
    async openCards(family: readonly string[]): Promise<{ runId: string; thread: string }[]> {
      const runs = await db.run.findMany({ where: runsOf(family), include: { session: { select: { thread: true } } } });
      const runId = { in: runs.map(({ id }) => id) };
      const cards = await db.instructionCard.findMany({ where: { runId }, distinct: ["runId"] });
      return cards.flatMap((card) => {
        const thread = runs.find(({ id }) => id === card.runId)?.session.thread;
        return thread === undefined ? [] : [{ runId: card.runId, thread }];
      });
    },

    /** Messages of ours whose last state people do not see yet. */
    async unshown(family: readonly string[]): Promise<number> {
      const runId = { in: await runIdsOf(family) };
      return db.post.count({ where: { runId, state: "sent", closing: { not: "" }, shownAt: null } });
    },

    /** Keys of what came since. */
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

    /** From now on no thread finds the session: what is said there begins another. One that is marked already stays as it is. */
    async mark(why: Why, sessionId: string, at: number): Promise<void> {
      const { key } = await db.session.update({ where: { id: sessionId }, data: { epoch: { increment: 0 } } });
      if (key.startsWith(GONE_KEY)) return;
      const id = markId(why, sessionId);
      await db.deletion.create({ data: { id, state: "marked", formerKey: key, createdAt: new Date(at) } });
      await db.session.update({ where: { id: sessionId }, data: { key: `${GONE_KEY}${sessionId}` } });
    },

    /** What is begun is finished. */
    async begin(why: Why, sessionIds: readonly string[]): Promise<void> {
      const id = { in: sessionIds.map((each) => markId(why, each)) };
      await db.deletion.updateMany({ where: { id }, data: { state: "begun" } });
    },

    /** The session is as it was; where its thread has another by now, beside that. */
    async takeBack(why: Why, sessionId: string): Promise<void> {
      const mark = await db.deletion.findUnique({ where: { id: markId(why, sessionId) } });
      if (mark?.formerKey == null) return;
      const key = mark.formerKey;
      const owner = await db.session.findUnique({ where: { key }, select: { id: true } });
      const free = owner === null ? key : `${key}#${sessionId}`;
      await db.session.update({ where: { id: sessionId }, data: { key: free } });
      await db.deletion.delete({ where: { id: mark.id } });
    },

    /** What was answered is not answered again when a platform tells of it once more. */
    async rememberAnswered(keys: readonly string[], at: number): Promise<void> {
      for (const key of keys) {
        const row = { key, at: new Date(at) };
        await db.answeredMessage.upsert({ where: { key }, create: row, update: row });
      }
    },

    /** Last of all: the sessions themselves, sub-agents' first, and what says that they are being deleted. */
    async finish(why: Why, roots: readonly string[], family: readonly string[]): Promise<void> {
      await db.session.deleteMany({ where: { id: { in: [...family] } } });
      await db.deletion.deleteMany({ where: { id: { in: roots.map((each) => markId(why, each)) } } });
    },
  };
}

const callsSchema = z.array(z.object({ tool: z.string() }));

/** How each database names a row's place, and takes a list of texts as one value. */
const SQL = {
  sqlite: { row: raw("rowid"), each: raw("json_each"), type: raw("TEXT") },
  postgresql: { row: raw("ctid"), each: raw("json_array_elements"), type: raw("JSON") },
};

function batches(db: Client, database: Database) {
  const { row, each, type } = SQL[database];
  return {
    /** At most a batch of a table's rows; answers how many there were. */
    async deleteSome(table: (typeof OF_SESSIONS)[number], family: readonly string[]): Promise<number> {
      const [name, column] = table;
      const quoted = raw(`"${name}"`);
      const ids = JSON.stringify(family.map((id) => [id]));
      const theirs = sql`"sessionId" IN (SELECT "ids"."value" ->> 0 FROM ${each}(CAST(${ids} AS ${type})) AS "ids")`;
      const wanted = column === "sessionId" ? theirs : sql`"runId" IN (SELECT "id" FROM "Run" WHERE ${theirs})`;
      return db.$executeRaw`
        DELETE FROM ${quoted} WHERE ${row} IN (SELECT ${row} FROM ${quoted} WHERE ${wanted} LIMIT ${BATCH})`;
    },

    /** Who decided what stays in the audit log, without what was decided on. */
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

    /** Grants of the sessions go; those that hold in a whole channel do not tell any more where they were given. */
    async clearGrants(family: readonly string[]): Promise<void> {
      const ids = { in: [...family] };
      await db.grant.deleteMany({ where: { sessionId: ids } });
      await db.grant.updateMany({ where: { givenIn: ids }, data: { givenIn: null } });
    },

    /** When a job ran and what it cost stays; what came of it in words goes. */
    async clearOccurrences(family: readonly string[]): Promise<void> {
      const data = { sessionId: null, runId: null, message: null, error: null, reportHash: null };
      await db.jobOccurrence.updateMany({ where: { sessionId: { in: [...family] } }, data });
    },
  };
}
