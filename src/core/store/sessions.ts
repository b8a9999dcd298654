import { z } from "zod";
import { StoreError } from "../protocol/errors.ts";
import { type ThreadRef, threadRefSchema } from "../protocol/platform.ts";
import type { Client } from "./client.ts";

export interface SessionRow {
  readonly id: string;
  readonly key: string;
  readonly thread: ThreadRef;
  readonly channelKey: string;
  readonly agent: string;
  /** Ids of people who have addressed the agent here. */
  readonly people: readonly string[];
}

export interface NewSession {
  readonly id: string;
  readonly key: string;
  readonly thread: ThreadRef;
  readonly workspaceName: string;
  readonly channel: { readonly name: string; readonly kind: string };
  readonly agent: string;
  readonly createdBy: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

const peopleSchema = z.array(z.string());

export function sessionReads(db: Client) {
  return {
    async byKey(key: string): Promise<SessionRow | null> {
      const row = await db.session.findUnique({ where: { key } });
      return row === null ? null : toRow(row);
    },

    async get(id: string): Promise<SessionRow> {
      return toRow(await db.session.findUniqueOrThrow({ where: { id } }));
    },
  };
}

export function sessionWrites(db: Client) {
  return {
    ...sessionReads(db),

    /** Creates the session, and its workspace and channel when they are new. */
    async create(session: NewSession): Promise<SessionRow> {
      const { thread, at } = session;
      const createdAt = new Date(at);
      const workspaceId = `${thread.platform}:${thread.workspaceId}`;
      const channelId = channelKeyOf(thread);
      const { name, kind } = session.channel;
      await db.workspace.upsert({
        where: { id: workspaceId },
        create: { id: workspaceId, platform: thread.platform, name: session.workspaceName, createdAt },
        update: { name: session.workspaceName },
      });
      await db.channel.upsert({
        where: { id: channelId },
        create: { id: channelId, workspaceId, name, kind, createdAt },
        update: { name },
      });
      const people = [session.createdBy];
      return toRow(await db.session.create({ data: newRow({ ...session, channelKey: channelId, people }) }));
    },

    async addPerson(session: SessionRow, personId: string): Promise<void> {
      if (session.people.includes(personId)) return;
      const people = JSON.stringify([...session.people, personId]);
      await db.session.update({ where: { id: session.id }, data: { people } });
    },

    /** Gives the session's thread, and the people who need not mention the agent there, to a new session without history. */
    async startAfresh(session: SessionRow, fresh: { id: string; createdBy: string; at: number }): Promise<void> {
      await db.session.update({ where: { id: session.id }, data: { key: `${session.key}#${session.id}` } });
      await db.session.create({ data: newRow({ ...session, ...fresh }) });
    },

    /** Makes the caller the session's only owner: journal writes of earlier epochs fail from now on. */
    async raiseEpoch(id: string): Promise<number> {
      const row = await db.session.update({ where: { id }, data: { epoch: { increment: 1 } } });
      return row.epoch;
    },

    /** Locks the session's row for this transaction; StoreError `stale_owner` when another owner has it. */
    async fence(id: string, epoch: number, at: number): Promise<void> {
      const { count } = await db.session.updateMany({ where: { id, epoch }, data: { updatedAt: new Date(at) } });
      if (count === 0) throw new StoreError("stale_owner", `session ${id} has moved on from epoch ${epoch}`);
    },
  };
}

type RowToBe = SessionRow & Pick<NewSession, "createdBy" | "at">;

function newRow({ id, key, channelKey, thread, agent, people, createdBy, at }: RowToBe) {
  return {
    id,
    key,
    channelId: channelKey,
    thread: JSON.stringify(thread),
    agent,
    people: JSON.stringify(people),
    createdBy,
    createdAt: new Date(at),
    updatedAt: new Date(at),
  };
}

/** `slack:C1` */
export function channelKeyOf(thread: ThreadRef): string {
  return `${thread.platform}:${thread.channelId}`;
}

/** One thread, one session. */
export function sessionKeyOf(thread: ThreadRef): string {
  return [thread.platform, thread.workspaceId, thread.channelId, thread.threadId ?? "-"].join(":");
}

function toRow(row: { id: string; key: string; thread: string; channelId: string; agent: string; people: string }) {
  return {
    id: row.id,
    key: row.key,
    thread: threadRefSchema.parse(JSON.parse(row.thread)),
    channelKey: row.channelId,
    agent: row.agent,
    people: peopleSchema.parse(JSON.parse(row.people)),
  };
}
