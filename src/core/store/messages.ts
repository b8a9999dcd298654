import { z } from "zod";
import { type Author, contentBlockSchema, type Message } from "../protocol/messages.ts";
import { labelFrom } from "../trust/label.ts";
import { type Client, insert, type Stored } from "./database/client.ts";

const contentSchema = z.array(contentBlockSchema);

const AUTHOR = { authorId: true, authorName: true } as const;

export function messageReads(db: Client) {
  return {
    /** The session's whole history, oldest first, without the messages of `exceptRun`, if it is given. */
    async list(sessionId: string, exceptRun: string | null = null): Promise<Message[]> {
      const where = { sessionId, ...(exceptRun === null ? {} : { runId: { not: exceptRun } }) };
      return (await db.message.findMany({ where, orderBy: { seq: "asc" } })).map(toMessage);
    },

    /** Number of the session's newest message; 0 if there is none. */
    async newestSeq(sessionId: string): Promise<number> {
      const newest = { where: { sessionId }, orderBy: { seq: "desc" as const }, select: { seq: true } };
      return (await db.message.findFirst(newest))?.seq ?? 0;
    },

    async has(id: string): Promise<boolean> {
      return (await db.message.count({ where: { id } })) > 0;
    },

    /** The history as `list` returns it, split into what preceded a run and what came with it. */
    async split(sessionId: string, runId: string): Promise<{ before: Message[]; ofRun: Message[] }> {
      const rows = await db.message.findMany({ where: { sessionId }, orderBy: { seq: "asc" } });
      const first = rows.findIndex((row) => row.runId === runId);
      const messages = rows.map(toMessage);
      const ofRun = first === -1 ? [] : messages.splice(first);
      return { before: messages, ofRun };
    },

    /** People whose words entered the history with a run, each once. */
    async authorsOfRun(runId: string): Promise<Author[]> {
      const rows = await db.message.findMany({
        where: { runId, authorId: { not: null } },
        orderBy: { seq: "asc" },
        select: AUTHOR,
      });
      return [...new Map(rows.map(toAuthor).map((author) => [author.id, author])).values()];
    },

    /** People who have said something in a session, each once. */
    async authorsOf(sessionId: string): Promise<Author[]> {
      const rows = await db.message.findMany({
        where: { sessionId, authorId: { not: null } },
        distinct: ["authorId"],
        select: AUTHOR,
      });
      return rows.map(toAuthor);
    },

    /** Number of the session's messages that are not context. */
    async countOf(sessionId: string): Promise<number> {
      return db.message.count({ where: { sessionId, context: false } });
    },
  };
}

export function messageWrites(db: Client) {
  const reads = messageReads(db);
  /** Appends to the history after message `after` (0: at the beginning). The caller holds the session's fence. */
  const add = async (
    { after, ...place }: { readonly sessionId: string; readonly runId: string; readonly after: number },
    messages: readonly Message[],
  ): Promise<void> => {
    const data = messages.map((message, index) => toStored(message, { ...place, seq: after + 1 + index }));
    await insert(data, {
      one: (row) => db.message.create({ data: row, select: { id: true } }),
      many: (rows) => db.message.createMany({ data: rows }),
    });
  };

  return {
    ...reads,
    add,

    /** As `add`, after the newest message. */
    async append(sessionId: string, runId: string, message: Message): Promise<void> {
      await add({ sessionId, runId, after: await reads.newestSeq(sessionId) }, [message]);
    },
  };
}

function toAuthor({ authorId, authorName }: Pick<Stored<"Message">, keyof typeof AUTHOR>): Author {
  return { id: authorId ?? "", name: authorName ?? "" };
}

function toStored(message: Message, place: { sessionId: string; runId: string; seq: number }) {
  return {
    ...place,
    id: message.id,
    role: message.role,
    content: JSON.stringify(message.content),
    authorId: message.author?.id ?? null,
    authorName: message.author?.name ?? null,
    context: message.context ?? false,
    label: message.label === undefined ? null : JSON.stringify(message.label),
    createdAt: new Date(message.createdAt),
  };
}

function toMessage(row: Stored<"Message">): Message {
  return {
    id: row.id,
    role: row.role === "assistant" ? "assistant" : "user",
    content: contentSchema.parse(JSON.parse(row.content)),
    ...(row.authorId === null ? {} : { author: { id: row.authorId, name: row.authorName ?? row.authorId } }),
    ...(row.context ? { context: true } : {}),
    ...(row.label === null ? {} : { label: labelFrom(row.label) }),
    createdAt: row.createdAt.getTime(),
  };
}
