import type { Client } from "../../../core/store/database/client.ts";

/** A thread that something is to be learned from. */
export interface Lesson {
  readonly sessionId: string;
  /** Events of the inbox up to this one are done with. */
  readonly after: number;
  /** A person has asked for it: nothing is waited for. */
  readonly isAsked: boolean;
  /** Tries that failed. */
  readonly tries: number;
}

interface Noted {
  readonly sessionId: string;
  /** The first event to learn from is behind this one. */
  readonly after: number;
  readonly dueAt: number;
}

export function lessonReads(db: Client) {
  return {
    /** The one that is due first; null where none is. */
    async due(at: number): Promise<Lesson | null> {
      return db.memoryLesson.findFirst({
        where: { dueAt: { lte: new Date(at) } },
        orderBy: { dueAt: "asc" },
        select: { sessionId: true, after: true, isAsked: true, tries: true },
      });
    },

    /** Threads that wait for their lesson. */
    async waiting(): Promise<string[]> {
      const rows = await db.memoryLesson.findMany({ where: { dueAt: { not: null } }, select: { sessionId: true } });
      return rows.map(({ sessionId }) => sessionId);
    },

    /** When the next one is due. Milliseconds since the epoch; null where none is. */
    async nextDue(): Promise<number | null> {
      const row = await db.memoryLesson.findFirst({ where: { dueAt: { not: null } }, orderBy: { dueAt: "asc" } });
      return row?.dueAt?.getTime() ?? null;
    },
  };
}

export function lessonWrites(db: Client) {
  return {
    /** A thread that waits for its lesson goes on waiting, with all that was said since the first run that was noted. */
    async note({ sessionId, after, dueAt }: Noted): Promise<void> {
      await db.$executeRaw`
        INSERT INTO "MemoryLesson" ("sessionId", "after", "dueAt") VALUES (${sessionId}, ${after}, ${new Date(dueAt)})
        ON CONFLICT ("sessionId") DO UPDATE SET
          "after" = CASE WHEN "MemoryLesson"."dueAt" IS NULL THEN EXCLUDED."after" ELSE "MemoryLesson"."after" END,
          "dueAt" = COALESCE("MemoryLesson"."dueAt", EXCLUDED."dueAt")`;
    },

    /** All of a thread, at once, since a person wants it. */
    async ask(sessionId: string, at: number): Promise<void> {
      const asked = { after: 0, dueAt: new Date(at), isAsked: true, tries: 0 };
      await db.memoryLesson.upsert({ where: { sessionId }, create: { sessionId, ...asked }, update: asked });
    },

    /** Nothing of what was said there until now is learned. */
    async drop(sessionIds: readonly string[]): Promise<void> {
      await db.memoryLesson.deleteMany({ where: { sessionId: { in: [...sessionIds] } } });
    },

    async postpone({ sessionId, after }: Lesson, dueAt: number, tries: number): Promise<void> {
      await db.memoryLesson.updateMany({ where: { sessionId, after }, data: { dueAt: new Date(dueAt), tries } });
    },

    /** False where that has been learned already. `nextAt`: when there is more to learn from. */
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
