import type { PlatformName } from "../platform/thread.ts";
import { type Client, mapRow, type Stored } from "./database/client.ts";

/** Threads of local platforms, which keep them in this database; see src/adapters/render/local/thread-store.ts. */

export interface LocalThread {
  readonly id: string;
  readonly title: string;
  readonly createdAt: number;
  /** When the thread's newest message was inserted. Milliseconds since the epoch. */
  readonly updatedAt: number;
}

export interface LocalMessage {
  readonly id: string;
  readonly threadId: string;
  /** Unique: `web:<client id>` or `terminal:<client id>` for a person's message, the post's key for the bot's. */
  readonly key: string;
  /** Order within the thread: the sequence number of the message's insertion. Never changes. */
  readonly position: number;
  /** Sequence number of the message's newest change. */
  readonly seq: number;
  readonly fromPerson: boolean;
  readonly at: number;
  /** JSON text of a `MessageBody` (src/adapters/render/local/wire.ts), opaque to the store. */
  readonly body: string;
}

export type NewLocalMessage = Omit<LocalMessage, "position" | "seq">;

/** A file of a message. `id` is derived from the content, so storing the file again changes nothing. */
export interface LocalFile {
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  readonly data: Uint8Array;
}

export type InsertOutcome =
  | { readonly type: "inserted"; readonly message: LocalMessage; readonly thread: LocalThread }
  /** A message with this key already exists and is left as it is. */
  | { readonly type: "duplicate"; readonly message: LocalMessage }
  | { readonly type: "no_thread" };

/** A message that was posted or changed, with its thread. */
export interface LocalChange {
  readonly message: LocalMessage;
  readonly thread: LocalThread;
}

export function webThreadReads(db: Client) {
  return {
    /** Threads, newest activity first. */
    async threads(platform: PlatformName, limit: number): Promise<LocalThread[]> {
      const rows = await db.webThread.findMany({ where: { platform }, orderBy: { updatedAt: "desc" }, take: limit });
      return rows.map(toThread);
    },

    /** The newest messages before a position (null: of all), oldest first; null if there is no such thread. */
    async messages(threadId: string, before: number | null, limit: number): Promise<LocalMessage[] | null> {
      if ((await db.webThread.count({ where: { id: threadId } })) === 0) return null;
      const rows = await db.webMessage.findMany({
        where: { threadId, ...(before === null ? {} : { position: { lt: before } }) },
        orderBy: { position: "desc" },
        take: limit,
      });
      return rows.map(toMessage).toReversed();
    },

    /** Messages of all threads changed after `seq`, in order of `seq`, each with its thread. */
    async changes(platform: PlatformName, seq: number, limit: number): Promise<LocalChange[]> {
      const rows = await db.webMessage.findMany({
        where: { seq: { gt: seq }, thread: { platform } },
        include: { thread: true },
        orderBy: { seq: "asc" },
        take: limit,
      });
      return rows.map(({ thread, ...row }) => ({ message: toMessage(row), thread: toThread(thread) }));
    },

    /** The highest sequence number given so far; 0 if there is none. */
    async lastSeq(): Promise<number> {
      const row = await db.webMessage.findFirst({ orderBy: { seq: "desc" }, select: { seq: true } });
      return row?.seq ?? 0;
    },

    async message(id: string): Promise<LocalMessage | null> {
      return mapRow(await db.webMessage.findUnique({ where: { id } }), toMessage);
    },

    async messageByKey(key: string): Promise<LocalMessage | null> {
      return mapRow(await db.webMessage.findUnique({ where: { key } }), toMessage);
    },

    /** People's messages at or after a time, oldest first. */
    async fromPeople(platform: PlatformName, at: number, limit: number): Promise<LocalMessage[]> {
      const rows = await db.webMessage.findMany({
        where: { fromPerson: true, at: { gte: new Date(at) }, thread: { platform } },
        orderBy: { position: "asc" },
        take: limit,
      });
      return rows.map(toMessage);
    },

    async file(id: string): Promise<LocalFile | null> {
      return db.webFile.findUnique({ where: { id } });
    },
  };
}

export function webThreadWrites(db: Client) {
  const reads = webThreadReads(db);
  return {
    ...reads,

    /** Inserts a message. `opens` creates the thread if it does not exist. An existing key changes nothing. */
    async insert(
      message: NewLocalMessage,
      opens: { readonly platform: PlatformName; readonly title: string } | null,
    ): Promise<InsertOutcome> {
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

    /** Replaces the body with `bodyOf(message)` and numbers the change; null if there is no such message. */
    async update(id: string, bodyOf: (message: LocalMessage) => string): Promise<LocalMessage | null> {
      const message = await reads.message(id);
      if (message === null) return null;
      const seq = (await reads.lastSeq()) + 1;
      return toMessage(await db.webMessage.update({ where: { id }, data: { body: bodyOf(message), seq } }));
    },

    async putFile({ id, name, mediaType, data }: LocalFile): Promise<void> {
      const bytes = Uint8Array.from(data);
      // With an empty update, Prisma reads and then inserts, and of two concurrent upserts one would fail.
      await db.webFile.upsert({ where: { id }, create: { id, name, mediaType, data: bytes }, update: { id } });
    },
  };
}

function toThread(row: Stored<"WebThread">): LocalThread {
  const { id, title } = row;
  return { id, title, createdAt: row.createdAt.getTime(), updatedAt: row.updatedAt.getTime() };
}

function toMessage(row: Stored<"WebMessage">): LocalMessage {
  return { ...row, at: row.at.getTime() };
}
