import { z } from "zod";
import { type Author, contentBlockSchema, type Message } from "../protocol/messages.ts";
import type { Client } from "./client.ts";

const contentSchema = z.array(contentBlockSchema);

export function messageReads(db: Client) {
  return {
    /** The session's whole history, oldest first. */
    async list(sessionId: string): Promise<Message[]> {
      const rows = await db.message.findMany({ where: { sessionId }, orderBy: { seq: "asc" } });
      return rows.map(toMessage);
    },

    /** As `list`, but without what one run has added. */
    async listWithout(sessionId: string, runId: string | null): Promise<Message[]> {
      const where = { sessionId, ...(runId === null ? {} : { runId: { not: runId } }) };
      const rows = await db.message.findMany({ where, orderBy: { seq: "asc" } });
      return rows.map(toMessage);
    },

    /** Whose words entered the history with a run, each person once. */
    async authorsOfRun(runId: string): Promise<Author[]> {
      const rows = await db.message.findMany({
        where: { runId, authorId: { not: null } },
        orderBy: { seq: "asc" },
        select: { authorId: true, authorName: true },
      });
      const authors = rows.map(({ authorId, authorName }) => ({ id: authorId ?? "", name: authorName ?? "" }));
      return [...new Map(authors.map((author) => [author.id, author])).values()];
    },

    /** How many messages of the session are not context. */
    async countOf(sessionId: string): Promise<number> {
      return db.message.count({ where: { sessionId, context: false } });
    },
  };
}

export function messageWrites(db: Client) {
  return {
    ...messageReads(db),

    /** Appends to the history; the caller holds the session's fence, so the next number is free. */
    async append(sessionId: string, runId: string, message: Message): Promise<void> {
      const last = await db.message.findFirst({
        where: { sessionId },
        orderBy: { seq: "desc" },
        select: { seq: true },
      });
      await db.message.create({ data: toStored(message, { sessionId, runId, seq: (last?.seq ?? 0) + 1 }) });
    },

    /** The history with which a new session begins. */
    async begin(sessionId: string, runId: string, messages: readonly Message[]): Promise<void> {
      await db.message.createMany({
        data: messages.map((message, index) => toStored(message, { sessionId, runId, seq: index + 1 })),
      });
    },
  };
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
    createdAt: new Date(message.createdAt),
  };
}

interface StoredMessage {
  id: string;
  role: string;
  content: string;
  authorId: string | null;
  authorName: string | null;
  context: boolean;
  createdAt: Date;
}

function toMessage(row: StoredMessage): Message {
  return {
    id: row.id,
    role: row.role === "assistant" ? "assistant" : "user",
    content: contentSchema.parse(JSON.parse(row.content)),
    ...(row.authorId === null ? {} : { author: { id: row.authorId, name: row.authorName ?? row.authorId } }),
    ...(row.context ? { context: true } : {}),
    createdAt: row.createdAt.getTime(),
  };
}
