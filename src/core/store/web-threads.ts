import type { PlatformName } from "../protocol/platform.ts";
import type { Client, Stored } from "./database/client.ts";

/** Rows of the threads of platforms that are our own. What they mean stands in src/adapters/render/local/thread-store.ts. */

export interface WebThreadRow {
  readonly id: string;
  readonly title: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface WebMessageRow {
  readonly id: string;
  readonly threadId: string;
  readonly key: string;
  readonly position: number;
  readonly seq: number;
  readonly fromPerson: boolean;
  readonly at: number;
  readonly body: string;
}

export interface WebFileRow {
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  readonly data: Uint8Array;
}

interface WebChange {
  readonly message: WebMessageRow;
  readonly thread: WebThreadRow;
}

export type WebInsert =
  | { readonly type: "inserted"; readonly message: WebMessageRow; readonly thread: WebThreadRow }
  | { readonly type: "duplicate"; readonly message: WebMessageRow }
  | { readonly type: "no_thread" };

export function webThreadReads(db: Client) {
  return {
    /** Newest activity first. */
    async threads(platform: PlatformName, limit: number): Promise<WebThreadRow[]> {
      const rows = await db.webThread.findMany({ where: { platform }, orderBy: { updatedAt: "desc" }, take: limit });
      return rows.map(toThread);
    },

    /** The newest messages before a position (null: of all), oldest first; null without such a thread. */
    async messages(threadId: string, before: number | null, limit: number): Promise<WebMessageRow[] | null> {
      if ((await db.webThread.count({ where: { id: threadId } })) === 0) return null;
      const rows = await db.webMessage.findMany({
        where: { threadId, ...(before === null ? {} : { position: { lt: before } }) },
        orderBy: { position: "desc" },
        take: limit,
      });
      return rows.map(toMessage).toReversed();
    },

    /** As `since`, each with its thread. */
    async changes(platform: PlatformName, seq: number, limit: number): Promise<WebChange[]> {
      const rows = await db.webMessage.findMany({
        where: { seq: { gt: seq }, thread: { platform } },
        include: { thread: true },
        orderBy: { seq: "asc" },
        take: limit,
      });
      return rows.map(({ thread, ...row }) => ({ message: toMessage(row), thread: toThread(thread) }));
    },

    async since(platform: PlatformName, seq: number, limit: number): Promise<WebMessageRow[]> {
      const rows = await db.webMessage.findMany({
        where: { seq: { gt: seq }, thread: { platform } },
        orderBy: { seq: "asc" },
        take: limit,
      });
      return rows.map(toMessage);
    },

    async lastSeq(): Promise<number> {
      const row = await db.webMessage.findFirst({ orderBy: { seq: "desc" }, select: { seq: true } });
      return row?.seq ?? 0;
    },

    async message(id: string): Promise<WebMessageRow | null> {
      const row = await db.webMessage.findUnique({ where: { id } });
      return row === null ? null : toMessage(row);
    },

    async messageByKey(key: string): Promise<WebMessageRow | null> {
      const row = await db.webMessage.findUnique({ where: { key } });
      return row === null ? null : toMessage(row);
    },

    /** People's messages at or after a time, oldest first. */
    async fromPeople(platform: PlatformName, at: number, limit: number): Promise<WebMessageRow[]> {
      const rows = await db.webMessage.findMany({
        where: { fromPerson: true, at: { gte: new Date(at) }, thread: { platform } },
        orderBy: { position: "asc" },
        take: limit,
      });
      return rows.map(toMessage);
    },

    async file(id: string): Promise<WebFileRow | null> {
      return db.webFile.findUnique({ where: { id } });
    },
  };
}

export function webThreadWrites(db: Client) {
  const reads = webThreadReads(db);
  return {
    ...reads,

    /** `opens` makes the thread when it is not there; a key that is there already changes nothing. */
    async insert(
      message: Omit<WebMessageRow, "position" | "seq">,
      opens: { readonly platform: PlatformName; readonly title: string } | null,
    ): Promise<WebInsert> {
      const known = await reads.messageByKey(message.key);
      if (known !== null) return { type: "duplicate", message: known };
      const at = new Date(message.at);
      const existing = await db.webThread.findUnique({ where: { id: message.threadId } });
      if (existing === null && opens === null) return { type: "no_thread" };
      const thread =
        existing === null
          ? await db.webThread.create({
              data: { id: message.threadId, title: "", ...opens, createdAt: at, updatedAt: at },
            })
          : await db.webThread.update({ where: { id: existing.id }, data: { updatedAt: at } });
      const seq = (await reads.lastSeq()) + 1;
      const row = await db.webMessage.create({ data: { ...message, at, seq, position: seq } });
      return { type: "inserted", message: toMessage(row), thread: toThread(thread) };
    },

    /** Replaces the body by what is made of the message, and numbers the change; null without such a message. */
    async update(id: string, bodyOf: (message: WebMessageRow) => string): Promise<WebMessageRow | null> {
      const message = await reads.message(id);
      if (message === null) return null;
      const seq = (await reads.lastSeq()) + 1;
      return toMessage(await db.webMessage.update({ where: { id }, data: { body: bodyOf(message), seq } }));
    },

    async putFile({ id, name, mediaType, data }: WebFileRow): Promise<void> {
      const bytes = Uint8Array.from(data);
      // With nothing to update, Prisma looks and then inserts: of two at once, one would fail.
      await db.webFile.upsert({ where: { id }, create: { id, name, mediaType, data: bytes }, update: { id } });
    },
  };
}

function toThread(row: Stored<"WebThread">): WebThreadRow {
  const { id, title } = row;
  return { id, title, createdAt: row.createdAt.getTime(), updatedAt: row.updatedAt.getTime() };
}

function toMessage(row: Stored<"WebMessage">): WebMessageRow {
  return { ...row, at: row.at.getTime() };
}
