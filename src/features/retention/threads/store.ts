import { join, sqltag as sql } from "@prisma/client/runtime/client";
import type { Client } from "../../../core/store/database/client.ts";
import type { Store } from "../../../core/store/store.ts";
import { BATCH } from "../store.ts";

/** A file's id in a message, as src/adapters/render/local/message-body.ts writes it. */
const FILE_ID = /"id":"([0-9a-f]{40})"/gu;
/** In the body of a message with files. What people write has no quotation marks without a backslash there. */
const SOME_FILES = '"files":[{';
/** Messages with files read together. */
const READ_TOGETHER = 1_000;

/** Runs deletions of threads one at a time, because messages are numbered in order. */
export function inThreads<T>(
  store: Pick<Store, "transaction">,
  work: (threads: ReturnType<typeof threadDeletion>) => Promise<T>,
): Promise<T> {
  return store.transaction(async (tx) => {
    await tx.takeAdvisoryLock("threads");
    return work(tx.tables(threadDeletion));
  });
}

/** Selects threads in which nothing was written since a time, or all threads. */
function quietSince(at?: number): { updatedAt?: { lt: Date } } {
  return at === undefined ? {} : { updatedAt: { lt: new Date(at) } };
}

/** Finds what belongs to sessions. Their messages may be more than a statement takes parameters. */
function threadOwners(db: Client) {
  const hasSession = async (threadId: string, without: readonly string[] = []): Promise<boolean> => {
    const thread = { contains: `"threadId":${JSON.stringify(threadId)}` };
    return (await db.session.count({ where: { thread, id: { notIn: [...without] } } })) > 0;
  };
  const isTheirs = (family: readonly string[]) => sql`"key" IN (
    SELECT "key" FROM "InboxEvent" WHERE "sessionId" IN (${join(family)})
    UNION ALL
    SELECT "key" FROM "Post" WHERE "runId" IN (SELECT "id" FROM "Run" WHERE "sessionId" IN (${join(family)})))`;
  return {
    hasSession: (threadId: string) => hasSession(threadId),

    /** Whether the thread is that of a session other than these, or has messages that one posted or received. */
    async isOfOthers(threadId: string, family: readonly string[]): Promise<boolean> {
      if (await hasSession(threadId, family)) return true;
      const rows = await db.$queryRaw<unknown[]>`
        SELECT 1 FROM "WebMessage" AS "m"
        LEFT JOIN "InboxEvent" AS "e" ON "e"."key" = "m"."key"
        LEFT JOIN "Post" AS "p" ON "p"."key" = "m"."key"
        WHERE "m"."threadId" = ${threadId} AND COALESCE("e"."sessionId", "p"."sessionId") NOT IN (${join(family)})
        LIMIT 1`;
      return rows.length > 0;
    },

    /** Threads with messages that the sessions posted or received. */
    async threadsOfSessions(family: readonly string[]): Promise<string[]> {
      const rows = await db.$queryRaw<{ threadId: string }[]>`
        SELECT DISTINCT "threadId" FROM "WebMessage" WHERE ${isTheirs(family)}`;
      return rows.map(({ threadId }) => threadId);
    },

    /** Ids of at most one batch of messages of a thread that the sessions posted or received. */
    async someOfSessions(threadId: string, family: readonly string[]): Promise<string[]> {
      const rows = await db.$queryRaw<{ id: string }[]>`
        SELECT "id" FROM "WebMessage" WHERE "threadId" = ${threadId} AND ${isTheirs(family)} LIMIT ${BATCH}`;
      return rows.map(({ id }) => id);
    },
  };
}

/** Deletes threads and messages of the program's own platforms. */
export function threadDeletion(db: Client) {
  const newest = () => db.webMessage.findFirst({ orderBy: { seq: "desc" }, select: { id: true, seq: true } });
  const deleteMessages = async (where: object): Promise<number> => {
    const rows = await db.webMessage.findMany({ where, take: BATCH, select: { id: true, body: true } });
    const before = await newest();
    await db.webMessage.deleteMany({ where: { id: { in: rows.map(({ id }) => id) } } });
    const after = await newest();
    // Numbers are never reused, because a page that was offline asks for what follows its newest one.
    if (before !== null && after !== null && after.seq < before.seq)
      await db.webMessage.update({ where: { id: after.id }, data: { seq: before.seq + 1 } });
    await deleteFiles(rows.flatMap(({ body }) => filesIn(body)));
    return rows.length;
  };
  /** Deletes those of the files that no message has, reading the messages once for all of them. */
  const deleteFiles = async (ids: readonly string[]): Promise<void> => {
    const unused = new Set(ids);
    for (let behind = 0, isRead = false; !isRead && unused.size > 0; ) {
      const where = { seq: { gt: behind }, body: { contains: SOME_FILES } };
      const select = { seq: true, body: true };
      const rows = await db.webMessage.findMany({ where, orderBy: { seq: "asc" }, take: READ_TOGETHER, select });
      for (const id of rows.flatMap(({ body }) => filesIn(body))) unused.delete(id);
      behind = rows.at(-1)?.seq ?? behind;
      isRead = rows.length < READ_TOGETHER;
    }
    await db.webFile.deleteMany({ where: { id: { in: [...unused] } } });
  };
  const owners = threadOwners(db);
  return {
    ...owners,
    deleteFiles,

    /** Deletes at most one batch of messages; returns its size. With `before`, only while nothing is written since. */
    messagesOf: (threadId: string, before?: number) => deleteMessages({ threadId, thread: { ...quietSince(before) } }),

    /** Deletes the messages that the sessions posted or received, in a thread that other sessions continue. */
    async messagesOfSessions(threadId: string, family: readonly string[]): Promise<number> {
      return deleteMessages({ id: { in: await owners.someOfSessions(threadId, family) } });
    },

    /** Threads in which nothing was written since, by id, after a given one. */
    async old(before: number, behind: string, limit: number): Promise<string[]> {
      const where = { ...quietSince(before), id: { gt: behind } };
      const rows = await db.webThread.findMany({ where, orderBy: { id: "asc" }, take: limit, select: { id: true } });
      return rows.map(({ id }) => id);
    },

    /** Deletes a thread, with what was written there in the meantime; false if it stays because of that. */
    async thread(threadId: string, before?: number): Promise<boolean> {
      const where = { id: threadId, ...quietSince(before) };
      if ((await db.webThread.count({ where })) === 0) return false;
      while ((await deleteMessages({ threadId })) > 0);
      await db.webThread.deleteMany({ where });
      return true;
    },
  };
}

export function filesIn(body: string): string[] {
  return [...body.matchAll(FILE_ID)].flatMap(([, id]) => id ?? []);
}
