import { z } from "zod";
import {
  EVENT_KINDS,
  type SessionEvent,
  type StoredEvent,
  sessionEventBodySchema,
  type WaitingEvent,
} from "../events/session-event.ts";
import { StoreError } from "../protocol/errors.ts";
import { type Client, mapRow, type Stored } from "./database/client.ts";

export interface NewInboxEvent {
  readonly sessionId: string;
  readonly event: SessionEvent;
  readonly wakes: boolean;
  readonly resumes: boolean;
  /** When the event may be taken; if absent, at once on any process's clock. Milliseconds since the epoch. */
  readonly dueAt?: number | undefined;
  readonly at: number;
}

/** Keys of a message's events: that of the message itself, and the beginning and end of those of its edits. */
export interface MessageKeys {
  readonly message: string;
  readonly edits: { readonly startsWith: string; readonly endsWith: string };
}

export function inboxReads(db: Client) {
  return {
    async has(key: string): Promise<boolean> {
      return (await db.inboxEvent.count({ where: { key } })) > 0;
    },

    async byKey(key: string): Promise<StoredEvent | null> {
      return mapRow(await db.inboxEvent.findUnique({ where: { key } }), toEvent);
    },

    byKeys: (keys: readonly string[]) => eventsWhere(db, { key: { in: [...keys] } }),

    /** Whether the event has arrived and no run has taken it. */
    async isWaiting(key: string): Promise<boolean> {
      return (await db.inboxEvent.count({ where: { key, state: "waiting" } })) > 0;
    },

    /** Whether the event waits and may not begin a run until it is released. */
    async isHeld(key: string): Promise<boolean> {
      return (await db.inboxEvent.count({ where: { key, state: "waiting", wakes: false } })) > 0;
    },

    /** Events after `seq` that runs of the session have taken and that are not withdrawn. */
    async takenSince(sessionId: string, seq: number): Promise<(StoredEvent & { readonly runId: string | null })[]> {
      const where = { sessionId, state: "taken", seq: { gt: seq } };
      const rows = await db.inboxEvent.findMany({ where, orderBy: { seq: "asc" } });
      return rows.map((row) => ({ ...toEvent(row), runId: row.runId }));
    },

    /** The events that a run has taken: the one that began it, and those that entered it since. */
    ofRun: (runId: string) => eventsWhere(db, { runId }),

    /** As `ofRun`, without withdrawn events. */
    standingOfRun: (runId: string) => eventsWhere(db, { runId, state: "taken" }),

    async get(seq: number): Promise<StoredEvent> {
      return toEvent(await db.inboxEvent.findUniqueOrThrow({ where: { seq } }));
    },

    /** The oldest event that may begin a run now. */
    async nextWaking(sessionId: string, at: number): Promise<StoredEvent | null> {
      return mapRow(
        await db.inboxEvent.findFirst({
          where: { sessionId, state: "waiting", wakes: true, dueAt: { lte: new Date(at) } },
          orderBy: { seq: "asc" },
        }),
        toEvent,
      );
    },

    /** All waiting events that are due, oldest first. */
    async waiting(sessionId: string, at: number): Promise<WaitingEvent[]> {
      const rows = await db.inboxEvent.findMany({
        where: { sessionId, state: "waiting", dueAt: { lte: new Date(at) } },
        orderBy: { seq: "asc" },
      });
      return rows.map((row) => ({ ...toEvent(row), wakes: row.wakes, resumes: row.resumes }));
    },

    /** Sessions with a due event that may begin a run or resume a parked one, in order of arrival. */
    async sessionsToWake(at: number): Promise<string[]> {
      const rows = await db.inboxEvent.findMany({
        where: { state: "waiting", ...ACTS, dueAt: { lte: new Date(at) } },
        orderBy: { seq: "asc" },
        select: { sessionId: true },
      });
      return [...new Set(rows.map((row) => row.sessionId))];
    },

    /** When the next event after this time becomes due. Milliseconds since the epoch; null if none will. */
    async nextDue(after: number): Promise<number | null> {
      const row = await db.inboxEvent.findFirst({
        where: { state: "waiting", ...ACTS, dueAt: { gt: new Date(after) } },
        orderBy: { dueAt: "asc" },
        select: { dueAt: true },
      });
      return row?.dueAt.getTime() ?? null;
    },
  };
}

export function inboxWrites(db: Client) {
  return {
    ...inboxReads(db),

    /** Inserts an event. Fails if the key exists: the unique index decides between racing deliveries. */
    async insert({ sessionId, event, wakes, resumes, dueAt = 0, at }: NewInboxEvent): Promise<StoredEvent> {
      const row = await db.inboxEvent.create({
        data: {
          key: event.key,
          sessionId,
          body: JSON.stringify(event.body),
          wakes,
          resumes,
          state: "waiting",
          dueAt: new Date(dueAt),
          createdAt: new Date(at),
        },
      });
      return toEvent(row);
    },

    /** Gives waiting events to a run. Returns how many it got. */
    async take(seqs: readonly number[], runId: string): Promise<number> {
      const { count } = await db.inboxEvent.updateMany({
        where: { seq: { in: [...seqs] }, state: "waiting" },
        data: { state: "taken", runId },
      });
      return count;
    },

    /** Allows a held event to begin a run. */
    async release(key: string): Promise<void> {
      await db.inboxEvent.updateMany({ where: { key, state: "waiting" }, data: { wakes: true } });
    },

    /**
     * Withdraws a message and its edits: waiting events will not be taken, and taken ones no longer count as said.
     * Returns the runs that had taken some.
     */
    async withdraw(sessionId: string, { message, edits }: MessageKeys): Promise<string[]> {
      const where = { sessionId, OR: [{ key: message }, { key: edits }] };
      const rows = await db.inboxEvent.updateManyAndReturn({ where, data: { state: "withdrawn" } });
      return [...new Set(rows.flatMap(({ runId }) => runId ?? []))];
    },

    /** Gives one waiting event to a run, or to none. False if it no longer waits. */
    async takeKey(key: string, runId: string | null): Promise<boolean> {
      const { count } = await db.inboxEvent.updateMany({
        where: { key, state: "waiting" },
        data: { state: "taken", runId },
      });
      return count > 0;
    },

    /** Gives the events that can only resume a parked run to this run, or to none. */
    async takeResuming(sessionId: string, runId: string | null, at: number): Promise<void> {
      await db.inboxEvent.updateMany({
        where: { sessionId, state: "waiting", wakes: false, resumes: true, dueAt: { lte: new Date(at) } },
        data: { state: "taken", runId },
      });
    },
  };
}

/** Events that act by themselves. Others, such as thread context, wait for a run that another event begins. */
const ACTS = { OR: [{ wakes: true }, { resumes: true }] };

async function eventsWhere(
  db: Client,
  where: { readonly runId: string; readonly state?: "taken" } | { readonly key: { in: string[] } },
): Promise<StoredEvent[]> {
  const rows = await db.inboxEvent.findMany({ where, orderBy: { seq: "asc" } });
  return rows.map(toEvent);
}

const kindSchema = z.object({ kind: z.string() });

function toEvent(row: Stored<"InboxEvent">): StoredEvent {
  const body: unknown = JSON.parse(row.body);
  const kind = kindSchema.safeParse(body).data?.kind ?? "";
  // A process of a newer version has inserted it.
  if (!EVENT_KINDS.has(kind)) throw new StoreError("database_newer", `event ${row.key} is of a newer version: ${kind}`);
  return { seq: row.seq, key: row.key, sessionId: row.sessionId, body: sessionEventBodySchema.parse(body) };
}
