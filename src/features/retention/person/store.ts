import { raw } from "@prisma/client/runtime/client";
import { z } from "zod";
import type { Client } from "../../../core/store/database/client.ts";
import { aboutOrBy } from "../memories/store.ts";
import { BATCH, type Database, type Mark } from "../store.ts";
import { filesIn } from "../threads/store.ts";

/** Replaces deleted words. */
export const DELETED_TEXT = "[deleted]";
/** Replaces a person's name. */
const NOBODY = "somebody";

/** A person as rows refer to them, and the replacement. */
export interface Renamed {
  /** `slack:U1` */
  readonly id: string;
  readonly names: readonly string[];
  readonly pseudonym: string;
}

/** The mark of a person's deletion, which survives a crash. */
interface PersonsMark extends Mark {
  readonly pseudonym: string;
}

/** JSON columns that contain people's ids. */
export const JSON_COLUMNS = [
  ["Session", "people"],
  ["InboxEvent", "body"],
  ["Message", "label"],
  ["ToolCall", "result"],
  ["Compaction", "label"],
  ["Approval", "people"],
  ["Question", "answeredBy"],
  ["Grant", "words"],
  ["FileLabel", "label"],
  ["WebMessage", "body"],
] as const;

/** Columns with a person's id, and the column with the name beside it, if any. */
export const ID_COLUMNS = [
  ["Session", "createdBy", null],
  ["Question", "askedOf", null],
  ["MemoryPause", "byId", null],
  ["InstructionCard", "requesterId", "requesterName"],
  ["Site", "ownerId", "ownerName"],
  ["SiteVersion", "byId", "byName"],
] as const;

const bodySchema = z.looseObject({ author: z.object({ id: z.string() }).optional(), by: z.unknown().optional() });
const authorsSchema = z.object({ id: z.string() });

export function personReads(db: Client) {
  return {
    ...figures(db),

    /** Sessions, except sub-agents', in which the person has said something or was addressed. */
    async sessionsOf(personId: string): Promise<string[]> {
      const author = { contains: `"id":${JSON.stringify(personId)}` };
      const rows = await db.session.findMany({
        where: {
          parentId: null,
          OR: [
            { people: { contains: JSON.stringify(personId) } },
            { messages: { some: { authorId: personId } } },
            { events: { some: { body: author } } },
          ],
        },
        select: { id: true },
      });
      return rows.map(({ id }) => id);
    },

    /** Whether nobody else has said anything in the family. */
    async isOnlyOf(personId: string, family: readonly string[]): Promise<boolean> {
      const sessionId = { in: [...family] };
      const [sessions, messages, events] = await Promise.all([
        db.session.findMany({ where: { id: sessionId }, select: { people: true } }),
        db.message.count({ where: { sessionId, authorId: { not: null }, NOT: { authorId: personId } } }),
        db.inboxEvent.count({
          where: {
            sessionId,
            body: { contains: '"author":{"id":"' },
            NOT: { body: { contains: `"author":{"id":${JSON.stringify(personId)}` } },
          },
        }),
      ]);
      const people = sessions.flatMap((row) => z.array(z.string()).parse(JSON.parse(row.people)));
      return messages + events === 0 && people.every((id) => id === personId);
    },

    /** Ended runs that the person's words have entered. */
    async runsOf(personId: string, family: readonly string[]): Promise<string[]> {
      const sessionId = { in: [...family] };
      const [messages, events] = await Promise.all([
        db.message.findMany({ where: { sessionId, authorId: personId }, distinct: ["runId"], select: { runId: true } }),
        db.inboxEvent.findMany({
          where: { sessionId, runId: { not: null }, body: { contains: `"id":${JSON.stringify(personId)}` } },
          select: { runId: true },
        }),
      ]);
      const id = { in: [...new Set([...messages, ...events].flatMap(({ runId }) => runId ?? []))] };
      return (await db.run.findMany({ where: { id, status: "ended" }, select: { id: true } })).map((run) => run.id);
    },

    /** Whether the person has spent something, or has a reservation left by a call that may never end. */
    async hasSpent(personId: string, until: number): Promise<boolean> {
      const where = { personId, createdAt: { lte: new Date(until) } };
      return (await db.usage.count({ where })) + (await db.budgetReservation.count({ where })) > 0;
    },
  };
}

function figures(db: Client) {
  return {
    async namesOf(personId: string): Promise<string[]> {
      const [messages, memories] = await Promise.all([
        db.message.findMany({ where: { authorId: personId }, distinct: ["authorName"], select: { authorName: true } }),
        db.memory.findMany({ where: { authorId: personId }, distinct: ["authorName"], select: { authorName: true } }),
      ]);
      return [...new Set([...messages, ...memories].flatMap(({ authorName }) => authorName ?? []))];
    },

    async counts(
      personId: string,
      family: readonly string[],
    ): Promise<Record<"messages" | "memories" | "jobs", number>> {
      const [messages, memories, jobs] = await Promise.all([
        db.message.count({ where: { sessionId: { in: [...family] }, authorId: personId } }),
        db.memory.count({ where: aboutOrBy(personId) }),
        db.job.count({ where: { ownerId: personId, source: "chat" } }),
      ]);
      return { messages, memories, jobs };
    },
  };
}

export function personWrites(db: Client, database: Database) {
  return {
    ...personReads(db),
    ...words(db),
    ...renaming(db, database),

    /** Marks the person so that the deletion also completes after a crash; an existing mark keeps its pseudonym. */
    async mark(personId: string, made: string, at: number): Promise<PersonsMark> {
      const id = `person:${personId}`;
      const update = { state: "begun", createdAt: new Date(at) };
      const create = { id, pseudonym: made, ...update };
      const { pseudonym } = await db.deletion.upsert({ where: { id }, create, update });
      return { id, state: "begun", pseudonym: pseudonym ?? made, createdAt: at };
    },

    /** Everything is done except for the newest rows of the ledger. */
    async onlyLedger(personId: string): Promise<void> {
      await db.deletion.updateMany({ where: { id: `person:${personId}` }, data: { state: "ledger" } });
    },

    async finish(personId: string): Promise<void> {
      await db.deletion.deleteMany({ where: { id: `person:${personId}` } });
    },

    /** Deletes the person's own small rows. */
    async deleteOwn(personId: string): Promise<void> {
      await db.runFeedback.deleteMany({ where: { personId } });
      await db.grant.deleteMany({ where: { personId } });
      await db.accountLink.deleteMany({ where: { personId } });
      const jobs = await db.job.findMany({ where: { ownerId: personId, source: "chat" }, select: { id: true } });
      const id = { in: jobs.map((job) => job.id) };
      const data = { jobName: DELETED_TEXT, message: null, error: null };
      await db.jobOccurrence.updateMany({ where: { jobId: id }, data });
      await db.job.deleteMany({ where: { id } });
    },

    /** Moves the spending up to a time to the pseudonym. Newer rows still count towards the limits of the day. */
    async renameSpending({ id, pseudonym }: Pick<Renamed, "id" | "pseudonym">, until: number): Promise<number> {
      const where = { personId: id, createdAt: { lte: new Date(until) } };
      await db.budgetReservation.updateMany({ where, data: { personId: pseudonym } });
      const some = await db.usage.findMany({ where, take: BATCH, select: { runId: true, turn: true, cut: true } });
      for (const key of some) {
        await db.usage.update({ where: { runId_turn_cut: key }, data: { personId: pseudonym } });
      }
      return some.length;
    },
  };
}

function words(db: Client) {
  return {
    async clearMessages({ id, pseudonym }: Renamed): Promise<number> {
      const some = await db.message.findMany({ where: { authorId: id }, take: BATCH, select: { id: true } });
      const content = JSON.stringify([{ type: "text", text: DELETED_TEXT }]);
      const data = { content, authorId: pseudonym, authorName: NOBODY };
      await db.message.updateMany({ where: { id: { in: some.map((row) => row.id) } }, data });
      return some.length;
    },

    async clearEvents({ id, pseudonym }: Renamed): Promise<number> {
      const said = `:{"id":${JSON.stringify(id)}`;
      const where = { OR: [{ body: { contains: `"author"${said}` } }, { body: { contains: `"by"${said}` } }] };
      const some = await db.inboxEvent.findMany({ where, take: BATCH, select: { seq: true, body: true } });
      for (const { seq, body } of some) {
        await db.inboxEvent.update({ where: { seq }, data: { body: clearedEvent(body, { id, pseudonym }) } });
      }
      return some.length;
    },

    /** Clears messages on the program's own platforms; also returns the files that these had. */
    async clearOwnThreads({ id, pseudonym }: Renamed): Promise<{ readonly count: number; readonly files: string[] }> {
      const where = { fromPerson: true, body: { contains: `"author":{"id":${JSON.stringify(id)}` } };
      const some = await db.webMessage.findMany({ where, take: BATCH });
      for (const { id: messageId, body, threadId, position } of some) {
        const cleared = {
          ...JSON.parse(body),
          author: { id: pseudonym, name: NOBODY },
          markdown: DELETED_TEXT,
          files: [],
        };
        await db.webMessage.update({ where: { id: messageId }, data: { body: JSON.stringify(cleared) } });
        const isFirst = (await db.webMessage.count({ where: { threadId, position: { lt: position } } })) === 0;
        if (isFirst) await db.webThread.update({ where: { id: threadId }, data: { title: DELETED_TEXT } });
      }
      return { count: some.length, files: some.flatMap(({ body }) => filesIn(body)) };
    },

    /** Clears what was made of the person's words: summaries, journal entries, final messages, answers to questions. */
    async clearTraces(personId: string, { runIds, family }: { runIds: readonly string[]; family: readonly string[] }) {
      const sessionId = { in: [...family] };
      const written = await db.message.findMany({
        where: { sessionId, authorId: personId },
        distinct: ["sessionId"],
        select: { sessionId: true },
      });
      const theirs = { in: written.map((row) => row.sessionId) };
      await db.compaction.updateMany({ where: { sessionId: theirs }, data: { summary: null } });
      await db.memoryLesson.deleteMany({ where: { sessionId: theirs } });
      const runId = { in: [...runIds] };
      await db.journalEntry.deleteMany({ where: { runId } });
      await db.post.updateMany({ where: { runId, shownAt: { not: null } }, data: { closing: "" } });
      const answeredBy = { contains: `"id":${JSON.stringify(personId)}` };
      await db.question.updateMany({ where: { sessionId, answeredBy }, data: { answer: DELETED_TEXT } });
    },
  };
}

/** An event without its author's words. */
function clearedEvent(text: string, { id, pseudonym }: Pick<Renamed, "id" | "pseudonym">): string {
  const body = bodySchema.parse(JSON.parse(text));
  const somebody = { id: pseudonym, name: NOBODY };
  const isBy = authorsSchema.safeParse(body.by).data?.id === id;
  const cleared: Record<string, unknown> = {
    ...body,
    ...(body.author?.id === id ? { author: somebody } : {}),
    ...(isBy ? { by: somebody } : {}),
  };
  for (const field of ["text", "prompt"]) if (field in cleared) cleared[field] = DELETED_TEXT;
  for (const field of ["quoted", "attachments"]) if (field in cleared) cleared[field] = [];
  delete cleared["skill"];
  return JSON.stringify(cleared);
}

const SQL = {
  sqlite: { row: raw("rowid"), find: raw("instr") },
  postgresql: { row: raw("ctid"), find: raw("strpos") },
};

/** Replaces a person by the pseudonym, one batch of a column at a time. */
function renaming(db: Client, database: Database) {
  const { row, find } = SQL[database];
  const replaceIn = ([table, column]: readonly [string, string], from: string, to: string) => {
    const [quoted, of] = [raw(`"${table}"`), raw(`"${column}"`)];
    return db.$executeRaw`
      UPDATE ${quoted} SET ${of} = REPLACE(${of}, ${from}, ${to}) WHERE ${row} IN (
        SELECT ${row} FROM ${quoted} WHERE ${find}(${of}, ${from}) > 0 LIMIT ${BATCH}
      )`;
  };
  return {
    /** Returns the number of rows changed. */
    async renameInJson(column: (typeof JSON_COLUMNS)[number], { id, names, pseudonym }: Renamed): Promise<number> {
      const quoted = JSON.stringify(id);
      for (const name of names) {
        const from = `"id":${quoted},"name":${JSON.stringify(name)}`;
        const changed = await replaceIn(column, from, `"id":${JSON.stringify(pseudonym)},"name":"${NOBODY}"`);
        if (changed > 0) return changed;
      }
      return replaceIn(column, quoted, JSON.stringify(pseudonym));
    },

    async renameIn([table, column, name]: (typeof ID_COLUMNS)[number], { id, pseudonym }: Renamed): Promise<number> {
      const [quoted, of] = [raw(`"${table}"`), raw(`"${column}"`)];
      if (name === null) return db.$executeRaw`UPDATE ${quoted} SET ${of} = ${pseudonym} WHERE ${of} = ${id}`;
      const named = raw(`"${name}"`);
      return db.$executeRaw`
        UPDATE ${quoted} SET ${of} = ${pseudonym}, ${named} = ${NOBODY} WHERE ${of} = ${id}`;
    },
  };
}
