import { z } from "zod";
import { type OutgoingMessage, type PostedMessage, postedMessageSchema } from "../platform/outgoing.ts";
import type { ThreadRef } from "../platform/thread.ts";
import { shownSchema } from "../protocol/shown.ts";
import { fromJson } from "../text/from-json.ts";
import { type Client, mapRow, type Stored } from "./database/client.ts";
import { OPEN_RUN } from "./runs.ts";
import { JOB_KEY, threadsIn } from "./sessions.ts";

export interface PostRow {
  readonly state: "intent" | "sent";
  readonly posted: PostedMessage | null;
  readonly intentAt: number;
  /** Progress of the post's last state: null while it has none, stored, or shown to people. */
  readonly closing: "stored" | "shown" | null;
  /** The last state; null while there is none, and for older posts, which did not keep it. */
  readonly last: LastState | null;
}

/** What a message shows at last. */
export type LastState = Omit<OutgoingMessage, "files">;

/** A message whose last state may not be shown yet. */
export interface UnclosedPost {
  readonly key: string;
  readonly thread: ThreadRef;
  readonly closing: LastState;
}

/** Stored for older posts, whose last state is shown but was not kept. */
const NOT_KEPT = "";

const closingSchema: z.ZodType<LastState> = z.object({
  lane: z.enum(["approval", "answer", "first", "progress"]),
  markdown: z.string(),
  footer: z.string().exactOptional(),
  tone: z.enum(["plain", "error", "task"]),
  buttons: z.array(z.object({ id: z.string(), label: z.string(), style: z.enum(["default", "primary", "danger"]) })),
  shows: shownSchema.exactOptional(),
});

export function postReads(db: Client) {
  return {
    /**
     * Posts that ended runs left open; only of runs that ended before `endedBefore` if that is given. Milliseconds
     * since the epoch. Posts of another version that cannot be read are left to a process that can.
     */
    async unclosed(endedBefore: number | null = null): Promise<UnclosedPost[]> {
      const rows = await db.post.findMany({ where: { closing: { not: NOT_KEPT }, shownAt: null } });
      const runs = await db.run.findMany({
        where: {
          id: { in: rows.map((row) => row.runId) },
          status: "ended",
          ...(endedBefore === null ? {} : { endedAt: { lt: new Date(endedBefore) } }),
        },
        include: { session: { select: { thread: true } } },
      });
      const threads = new Map(runs.map((run) => [run.id, run.session.thread]));
      return rows.flatMap((row) => {
        const [thread] = threadsIn(threads.get(row.runId) ?? "");
        const closing = closingSchema.safeParse(fromJson(row.closing ?? "")).data;
        if (thread === undefined || closing === undefined) return [];
        return [{ key: row.key, thread, closing }];
      });
    },

    async get(key: string): Promise<PostRow | null> {
      return mapRow(await db.post.findUnique({ where: { key } }), toRow);
    },

    /** True while the first message of a job's run in the channel is on its way, or its thread is not known yet. */
    async opensThreadIn(channelId: string): Promise<boolean> {
      const session = { channelId, key: { startsWith: JOB_KEY } };
      const runs = await db.run.findMany({ where: { status: { in: [...OPEN_RUN] }, session }, select: { id: true } });
      const runId = { in: runs.map(({ id }) => id) };
      return runs.length > 0 && (await db.post.count({ where: { runId } })) > 0;
    },

    /** The run's first message on the platform; null if there is none. */
    async firstSent(runId: string): Promise<PostedMessage | null> {
      const row = await db.post.findFirst({ where: { runId, state: "sent" }, orderBy: { sentAt: "asc" } });
      return row === null ? null : toRow(row).posted;
    },
  };
}

export function postWrites(db: Client) {
  return {
    ...postReads(db),

    async intend(post: { key: string; runId: string; sessionId: string; at: number }): Promise<void> {
      const { key, runId, sessionId, at } = post;
      await db.post.create({ data: { key, runId, sessionId, state: "intent", intentAt: new Date(at) } });
    },

    /** Resets the age of an intent before another attempt. */
    async renew(key: string, at: number): Promise<void> {
      await db.post.update({ where: { key }, data: { intentAt: new Date(at) } });
    },

    /** Stores the last state until an edit has shown it. */
    async closes(key: string, { files: _files, ...closing }: OutgoingMessage): Promise<void> {
      await db.post.updateMany({ where: { key }, data: { closing: JSON.stringify(closing), shownAt: null } });
    },

    async closed(key: string, at: number): Promise<void> {
      await db.post.updateMany({ where: { key }, data: { shownAt: new Date(at) } });
    },

    /**
     * Records that the message was sent. Its last state is to be shown again, because another process may have given
     * the post up for lost meanwhile.
     */
    async sent(key: string, posted: PostedMessage, at: number): Promise<void> {
      await db.post.update({
        where: { key },
        data: { state: "sent", posted: JSON.stringify(posted), sentAt: new Date(at), shownAt: null },
      });
    },
  };
}

function toRow(row: Stored<"Post">): PostRow {
  const { closing, shownAt } = row;
  return {
    state: row.state === "sent" ? "sent" : "intent",
    posted: row.posted === null ? null : postedMessageSchema.parse(JSON.parse(row.posted)),
    intentAt: row.intentAt.getTime(),
    closing: shownAt !== null || closing === NOT_KEPT ? "shown" : closing === null ? null : "stored",
    last: closing === null || closing === NOT_KEPT ? null : closingSchema.parse(JSON.parse(closing)),
  };
}
