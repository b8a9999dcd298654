import { z } from "zod";
import {
  EVENT_KINDS,
  type SessionEvent,
  type StoredEvent,
  sessionEventBodySchema,
  type WaitingEvent,
} from "../events/session-event.ts";
import { StoreError } from "../protocol/errors.ts";
import { type Client, found, type Stored } from "./database/client.ts";

export interface NewInboxEvent {
  readonly sessionId: string;
  readonly event: SessionEvent;
  readonly wakes: boolean;
  readonly resumes: boolean;
  /** When it may be taken; absent: at once, whatever the clock of whoever takes it says. Milliseconds since the epoch. */
  readonly dueAt?: number | undefined;
  readonly at: number;
}

/** By which the events of a message are known: its own, and how those of its edits begin and end. */
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
      return found(await db.inboxEvent.findUnique({ where: { key } }), toEvent);
    },

    /** Those of the keys that there are. */
    byKeys: (keys: readonly string[]) => eventsWhere(db, { key: { in: [...keys] } }),

    /** True when it came and no run has taken it. */
    async isWaiting(key: string): Promise<boolean> {
      return (await db.inboxEvent.count({ where: { key, state: "waiting" } })) > 0;
    },

    /** True when it waits, and begins nothing until it is released. */
    async isHeld(key: string): Promise<boolean> {
      return (await db.inboxEvent.count({ where: { key, state: "waiting", wakes: false } })) > 0;
    },

    /** What runs of the session have taken, behind a number, and is not withdrawn. */
    async takenSince(sessionId: string, seq: number): Promise<(StoredEvent & { readonly runId: string | null })[]> {
      const where = { sessionId, state: "taken", seq: { gt: seq } };
      const rows = await db.inboxEvent.findMany({ where, orderBy: { seq: "asc" } });
      return rows.map((row) => ({ ...toEvent(row), runId: row.runId }));
    },

    /** What a run has taken: what began it, and what entered it since. */
    ofRun: (runId: string) => eventsWhere(db, { runId }),

    /** As `ofRun`, without what is withdrawn. */
    standingOfRun: (runId: string) => eventsWhere(db, { runId, state: "taken" }),

    async get(seq: number): Promise<StoredEvent> {
      return toEvent(await db.inboxEvent.findUniqueOrThrow({ where: { seq } }));
    },

    /** The oldest event that may begin a run now. */
    async nextWaking(sessionId: string, at: number): Promise<StoredEvent | null> {
      return found(
        await db.inboxEvent.findFirst({
          where: { sessionId, state: "waiting", wakes: true, dueAt: { lte: new Date(at) } },
          orderBy: { seq: "asc" },
        }),
        toEvent,
      );
    },

    /** Everything that waits and is due, oldest first. */
    async waiting(sessionId: string, at: number): Promise<WaitingEvent[]> {
      const rows = await db.inboxEvent.findMany({
        where: { sessionId, state: "waiting", dueAt: { lte: new Date(at) } },
        orderBy: { seq: "asc" },
      });
      return rows.map((row) => ({ ...toEvent(row), wakes: row.wakes, resumes: row.resumes }));
    },

    /** Sessions with an event that may begin a run now, or that a parked one may go on with, in order of arrival. */
    async sessionsToWake(at: number): Promise<string[]> {
      const rows = await db.inboxEvent.findMany({
        where: { state: "waiting", ...ACTS, dueAt: { lte: new Date(at) } },
        orderBy: { seq: "asc" },
        select: { sessionId: true },
      });
      return [...new Set(rows.map((row) => row.sessionId))];
    },

    /** When the next timer is due. Milliseconds since the epoch; null when none waits. */
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

    /** Fails on a key that is there already: the unique index decides between racing deliveries. */
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

    /** Gives waiting events to a run; answers how many it got. */
    async take(seqs: readonly number[], runId: string): Promise<number> {
      const { count } = await db.inboxEvent.updateMany({
        where: { seq: { in: [...seqs] }, state: "waiting" },
        data: { state: "taken", runId },
      });
      return count;
    },

    /** It may begin a run from now on. */
    async release(key: string): Promise<void> {
      await db.inboxEvent.updateMany({ where: { key, state: "waiting" }, data: { wakes: true } });
    },

    /**
     * What waits of a message and its edits is nobody's from now on, and what runs have taken of it counts as said no more.
     * Answers these runs.
     */
    async withdraw(sessionId: string, { message, edits }: MessageKeys): Promise<string[]> {
      const where = { sessionId, OR: [{ key: message }, { key: edits }] };
      const rows = await db.inboxEvent.updateManyAndReturn({ where, data: { state: "withdrawn" } });
      return [...new Set(rows.flatMap(({ runId }) => runId ?? []))];
    },

    /** Gives one waiting event to a run, or without one to nobody; false when it waits no more. */
    async takeKey(key: string, runId: string | null): Promise<boolean> {
      const { count } = await db.inboxEvent.updateMany({
        where: { key, state: "waiting" },
        data: { state: "taken", runId },
      });
      return count > 0;
    },

    /** What only parked runs go on with is the run's, or without one nobody's any more. */
    async takeResuming(sessionId: string, runId: string | null, at: number): Promise<void> {
      await db.inboxEvent.updateMany({
        where: { sessionId, state: "waiting", wakes: false, resumes: true, dueAt: { lte: new Date(at) } },
        data: { state: "taken", runId },
      });
    },
  };
}

/** Thread context waits for a run that something else begins. */
const ACTS = { OR: [{ wakes: true }, { resumes: true }] };

async function eventsWhere(
  db: Client,
  where: { readonly runId: string; readonly state?: "taken" } | { readonly key: { in: string[] } },
): Promise<StoredEvent[]> {
  const rows = await db.inboxEvent.findMany({ where, orderBy: { seq: "asc" } });
  return rows.map(toEvent);
}

function toEvent(row: Stored<"InboxEvent">): StoredEvent {
  const body: unknown = JSON.parse(row.body);
  const kind = z.object({ kind: z.string() }).safeParse(body).data?.kind ?? "";
  // Another process of a newer version has taken it in.
  if (!EVENT_KINDS.has(kind)) throw new StoreError("database_newer", `event ${row.key} is of a newer version: ${kind}`);
  return { seq: row.seq, key: row.key, sessionId: row.sessionId, body: sessionEventBodySchema.parse(body) };
}
