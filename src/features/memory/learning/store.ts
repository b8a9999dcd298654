import type { Client } from "../../../core/store/database/client.ts";

/** A thread that waits to be learned from. */
export interface Lesson {
  readonly sessionId: string;
  /** Number of the last inbox event that has been learned from. */
  readonly after: number;
  /** A person asked for it, so it is not delayed until the thread is quiet. */
  readonly isAsked: boolean;
  /** Number of failed tries. */
  readonly tries: number;
}

interface Noted {
  readonly sessionId: string;
  /** Number of the event before the first one to learn from. */
  readonly after: number;
  readonly dueAt: number;
}

export function lessonReads(db: Client) {
  return {
    /** The lesson that is due first; null if none is due. */
    async due(at: number): Promise<Lesson | null> {
      return db.memoryLesson.findFirst({
        where: { dueAt: { lte: new Date(at) } },
        orderBy: { dueAt: "asc" },
        select: { sessionId: true, after: true, isAsked: true, tries: true },
      });
    },

    /** Sessions with a pending lesson. */
    async waiting(): Promise<string[]> {
      const rows = await db.memoryLesson.findMany({ where: { dueAt: { not: null } }, select: { sessionId: true } });
      return rows.map(({ sessionId }) => sessionId);
    },

    /** When the next lesson is due, in milliseconds since the epoch; null if none is pending. */
    async nextDue(): Promise<number | null> {
      const row = await db.memoryLesson.findFirst({ where: { dueAt: { not: null } }, orderBy: { dueAt: "asc" } });
      return row?.dueAt?.getTime() ?? null;
    },
  };
}

export function lessonWrites(db: Client) {
  return {
    /** Schedules a lesson. A pending one keeps its due time and covers everything since the first noted run. */
    async note({ sessionId, after, dueAt }: Noted): Promise<void> {
      await db.$executeRaw`
        INSERT INTO "MemoryLesson" ("sessionId", "after", "dueAt") VALUES (${sessionId}, ${after}, ${new Date(dueAt)})
        ON CONFLICT ("sessionId") DO UPDATE SET
          "after" = CASE WHEN "MemoryLesson"."dueAt" IS NULL THEN EXCLUDED."after" ELSE "MemoryLesson"."after" END,
          "dueAt" = COALESCE("MemoryLesson"."dueAt", EXCLUDED."dueAt")`;
    },

    /** Schedules a lesson about a whole thread, at once, because a person asked for it. */
    async ask(sessionId: string, at: number): Promise<void> {
      const asked = { after: 0, dueAt: new Date(at), isAsked: true, tries: 0 };
      await db.memoryLesson.upsert({ where: { sessionId }, create: { sessionId, ...asked }, update: asked });
    },

    /** Drops pending lessons, so that nothing said in these threads so far is learned. */
    async drop(sessionIds: readonly string[]): Promise<void> {
      await db.memoryLesson.deleteMany({ where: { sessionId: { in: [...sessionIds] } } });
    },

    async postpone({ sessionId, after }: Lesson, dueAt: number, tries: number): Promise<void> {
      await db.memoryLesson.updateMany({ where: { sessionId, after }, data: { dueAt: new Date(dueAt), tries } });
    },

    /** Marks a lesson as learned; false if it already was. `nextAt` is set if there is more to learn from. */
    async close({ sessionId, after }: Lesson, upTo: number, nextAt: number | null): Promise<boolean> {
      const dueAt = nextAt === null ? null : new Date(nextAt);
      const { count } = await db.memoryLesson.updateMany({
        where: { sessionId, after, dueAt: { not: null } },
        data: { after: upTo, dueAt, isAsked: false, tries: 0 },
      });
      return count > 0;
    },
  };
}
