import { raw } from "@prisma/client/runtime/client";
import { z } from "zod";
import { type ThreadRef, threadRefSchema } from "../../core/platform/thread.ts";
import { type Client, insert, mapRow } from "../../core/store/database/client.ts";
import { fromJson } from "../../core/text/from-json.ts";
import type { Reader } from "./audience.ts";
import { kindSchema, type Memory, type NewMemory, originSchema } from "./memory.ts";
import type { Database } from "./search/full-text.ts";
import { isFor } from "./search/terms.ts";
import type { IndexWord } from "./search/words.ts";

export function memoryReads(db: Client) {
  return {
    /** Null also if none of the readers may read it. */
    async get(seq: number, readers: readonly IndexWord[]): Promise<Memory | null> {
      const row = await db.memory.findUnique({ where: { seq } });
      return row === null || !isFor(row.terms, readers) ? null : readMemory(row);
    },

    /**
     * What people may list: memories of a channel, its workspace and a person, the newest first. `before` continues
     * after an earlier page.
     */
    async list(place: Reader, limit: number, before?: number): Promise<Memory[]> {
      const where = before === undefined ? whereIn(place) : { AND: [{ seq: { lt: before } }, whereIn(place)] };
      return memoriesIn(await db.memory.findMany({ where, orderBy: { seq: "desc" }, take: limit }));
    },

    async countIn(place: Reader): Promise<number> {
      return db.memory.count({ where: whereIn(place) });
    },

    /** The memories that a run was given and those that it stored, as far as any of the readers may read them. */
    async ofRun(
      runId: string,
      readers: readonly IndexWord[],
    ): Promise<{ readonly used: Memory[]; readonly added: Memory[] }> {
      const seqs = (await db.memoryUse.findMany({ where: { runId } })).map(({ seq }) => seq);
      const where = { OR: [{ seq: { in: seqs } }, { runId }] };
      const all = await db.memory.findMany({ where, orderBy: { seq: "asc" } });
      const rows = all.filter(({ terms }) => isFor(terms, readers));
      return {
        used: memoriesIn(rows.filter(({ seq }) => seqs.includes(seq))),
        added: memoriesIn(rows.filter((row) => row.runId === runId)),
      };
    },

    /** A current memory of the same author, text and audience. */
    async same({ scope, text, isPrivate, origin, author }: NewMemory): Promise<Memory | null> {
      const where = { scope, text, isPrivate, origin, authorId: author.id, endedAt: null };
      return mapRow(await db.memory.findFirst({ where }), readMemory);
    },

    /** Channels in which memory is off. */
    async paused(): Promise<string[]> {
      return (await db.memoryPause.findMany()).map(({ channelId }) => channelId);
    },

    /** The memories of a scope, or all, in order, after a number. */
    async after(seq: number, limit: number, scope?: string): Promise<Memory[]> {
      const where = { seq: { gt: seq }, ...(scope === undefined ? {} : { scope }) };
      return memoriesIn(await db.memory.findMany({ where, orderBy: { seq: "asc" }, take: limit }));
    },

    /** Memories that are not indexed yet. */
    async withoutTerms(limit: number): Promise<Memory[]> {
      return memoriesIn(await db.memory.findMany({ where: { terms: "" }, take: limit }));
    },

    async kinds(): Promise<{ readonly kind: string; readonly count: number }[]> {
      const rows = await db.memory.groupBy({ by: ["kind"], _count: true, orderBy: { kind: "asc" } });
      return rows.map(({ kind, _count: count }) => ({ kind, count }));
    },
  };
}

function whereIn({ channelKey, workspace, personId }: Reader) {
  const isOpen = [{ isPrivate: false }, { channelId: channelKey }];
  const person = personId === null ? [] : [{ scope: `person:${personId}`, OR: isOpen }];
  return { OR: [{ scope: `channel:${channelKey}` }, { scope: `workspace:${workspace}` }, ...person] };
}

/** A memory and the words that it is found by. */
export interface Indexed {
  readonly memory: NewMemory;
  readonly terms: string;
}

/** A memory as a database row, without its times. */
function rowOf({ memory, terms }: Indexed) {
  const { author, channelKey, thread, workspace: _found, ...row } = memory;
  const where = thread === null ? null : JSON.stringify(thread);
  return { ...row, authorId: author.id, authorName: author.name, channelId: channelKey, thread: where, terms };
}

export function memoryWrites(db: Client) {
  return {
    ...memoryReads(db),
    ...useWrites(db),

    async add(one: Indexed, at: number): Promise<void> {
      const now = new Date(at);
      await db.memory.create({ data: { ...rowOf(one), createdAt: now, usedAt: now }, select: { seq: true } });
    },

    /** Changes the text, and deletes the vector of the old one. */
    async edit(seq: number, { text, terms }: { readonly text: string; readonly terms: string }): Promise<void> {
      await db.memory.update({ where: { seq }, data: { text, terms } });
      await db.memoryVector.deleteMany({ where: { seq } });
    },

    /** Replaces the words by which a memory is found. */
    async reindex(seq: number, terms: string): Promise<void> {
      await db.memory.update({ where: { seq }, data: { terms } });
    },

    async pin(seq: number, isPinned: boolean): Promise<void> {
      await db.memory.update({ where: { seq }, data: { isPinned } });
    },

    /** Marks a memory as replaced; it then only tells what held before. */
    async end(seq: number, endedBy: string, at: number): Promise<void> {
      await db.memory.updateMany({ where: { seq, endedAt: null }, data: { endedAt: new Date(at), endedBy } });
    },

    /** Deletes memories; those that they had replaced hold again. */
    async forget(seqs: readonly number[]): Promise<void> {
      const where = { seq: { in: [...seqs] } };
      const ids = (await db.memory.findMany({ where, select: { id: true } })).map(({ id }) => id);
      await db.memory.updateMany({ where: { endedBy: { in: ids } }, data: { endedAt: null, endedBy: null } });
      await db.memory.deleteMany({ where });
    },

    /** Deletes all memories by or about a person, like `forget`; returns their number. */
    async forgetPerson(personId: string): Promise<number> {
      const scope = `person:${personId}`;
      await db.$executeRaw`
        UPDATE "Memory" SET "endedAt" = NULL, "endedBy" = NULL
        WHERE "endedBy" IN (SELECT "id" FROM "Memory" WHERE "authorId" = ${personId} OR "scope" = ${scope})`;
      return (await db.memory.deleteMany({ where: { OR: [{ authorId: personId }, { scope }] } })).count;
    },

    async pause(channelKey: string, byId: string, at: number): Promise<void> {
      const row = { byId, createdAt: new Date(at) };
      await db.memoryPause.upsert({
        where: { channelId: channelKey },
        create: { channelId: channelKey, ...row },
        update: {},
      });
    },

    async resume(channelKey: string): Promise<void> {
      await db.memoryPause.deleteMany({ where: { channelId: channelKey } });
    },
  };
}

/** How each database turns a list of values into rows. */
export const JSON_ROWS = {
  sqlite: { of: raw("json_each"), type: raw("TEXT") },
  postgresql: { of: raw("json_array_elements"), type: raw("JSON") },
};

/**
 * Adds thousands of memories at once, replacing those with the same id. The rows are one value, since the client is
 * slower per value than the database is per row.
 */
export async function addMany(
  db: Client,
  database: Database,
  { all, at }: { readonly all: readonly Indexed[]; readonly at: number },
): Promise<void> {
  const rows = [...new Map(all.map((one) => [one.memory.id, rowOf(one)])).values()];
  const { of, type } = JSON_ROWS[database];
  const now = new Date(at);
  await db.$executeRaw`
    DELETE FROM "Memory" WHERE "id" IN (
      SELECT "row"."value" ->> 0 FROM ${of}(CAST(${JSON.stringify(rows.map(({ id }) => [id]))} AS ${type})) AS "row"
    )`;
  await db.$executeRaw`
    INSERT INTO "Memory" (
      "id", "text", "kind", "scope", "isPrivate", "origin", "authorId", "authorName", "channelId", "thread", "source",
      "position", "said", "runId", "terms", "createdAt", "usedAt"
    )
    SELECT "row"."value" ->> 'id', "row"."value" ->> 'text', "row"."value" ->> 'kind', "row"."value" ->> 'scope',
      CAST("row"."value" ->> 'isPrivate' AS BOOLEAN), "row"."value" ->> 'origin', "row"."value" ->> 'authorId',
      "row"."value" ->> 'authorName', "row"."value" ->> 'channelId', "row"."value" ->> 'thread',
      "row"."value" ->> 'source', CAST("row"."value" ->> 'position' AS INTEGER), "row"."value" ->> 'said',
      "row"."value" ->> 'runId', "row"."value" ->> 'terms', ${now}, ${now}
    FROM ${of}(CAST(${JSON.stringify(rows)} AS ${type})) AS "row"`;
}

function useWrites(db: Client) {
  return {
    async renew(seqs: readonly number[], at: number): Promise<void> {
      const where = { seq: { in: [...seqs] } };
      await db.memory.updateMany({ where, data: { uses: { increment: 1 }, usedAt: new Date(at) } });
    },

    /** Records which memories an answered run was given. */
    async used(runId: string, seqs: readonly number[]): Promise<void> {
      await insert(
        seqs.map((seq) => ({ runId, seq })),
        {
          one: (row) => db.memoryUse.create({ data: row, select: { seq: true } }),
          many: (rows) => db.memoryUse.createMany({ data: rows }),
        },
      );
    },

    /** Applies people's vote on a run's answer to the memories that it was given. */
    async helped(runId: string, by: number): Promise<void> {
      const seqs = (await db.memoryUse.findMany({ where: { runId } })).map(({ seq }) => seq);
      if (seqs.length > 0)
        await db.memory.updateMany({ where: { seq: { in: seqs } }, data: { helped: { increment: by } } });
    },
  };
}

/** A time. PostgreSQL's JSON gives it in UTC without saying so. */
export const instant = z.union([
  z.date(),
  z.string().transform((text) => new Date(/(?:Z|[+-]\d\d:\d\d)$/u.test(text) ? text : `${text}Z`)),
]);

const memoryRow = z
  .object({
    seq: z.coerce.number(),
    id: z.string(),
    text: z.string(),
    kind: kindSchema,
    scope: z.string(),
    isPrivate: z.coerce.boolean(),
    origin: originSchema,
    authorId: z.string(),
    authorName: z.string(),
    channelId: z.string(),
    thread: z.string().nullable(),
    source: z.string(),
    position: z.coerce.number().nullable(),
    said: z.string(),
    createdAt: instant,
    usedAt: instant,
    uses: z.coerce.number(),
    helped: z.coerce.number(),
    isPinned: z.coerce.boolean(),
    endedAt: instant.nullable(),
  })
  .transform(
    ({ authorId, authorName, channelId, thread, createdAt, usedAt, endedAt, ...row }): Memory => ({
      ...row,
      author: { id: authorId, name: authorName },
      channelKey: channelId,
      thread: threadIn(thread),
      createdAt: createdAt.getTime(),
      usedAt: usedAt.getTime(),
      endedAt: endedAt?.getTime() ?? null,
    }),
  );

/** Null if the row is broken, so that the other rows can still be read. */
export function readMemory(row: unknown): Memory | null {
  return memoryRow.safeParse(row).data ?? null;
}

function memoriesIn(rows: readonly unknown[]): Memory[] {
  return rows.flatMap((row) => readMemory(row) ?? []);
}

/** The thread where something was told; null if there is none or it cannot be read. */
export function threadIn(json: string | null): ThreadRef | null {
  return threadRefSchema.safeParse(fromJson(json ?? "")).data ?? null;
}
