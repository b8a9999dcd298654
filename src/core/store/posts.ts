import { type PostedMessage, postedMessageSchema } from "../protocol/platform.ts";
import type { Client } from "./client.ts";

export interface PostRow {
  readonly key: string;
  readonly state: "intent" | "sent";
  readonly posted: PostedMessage | null;
  /** Milliseconds since the epoch. */
  readonly intentAt: number;
}

export function postReads(db: Client) {
  return {
    async get(key: string): Promise<PostRow | null> {
      const row = await db.post.findUnique({ where: { key } });
      if (row === null) return null;
      return {
        key: row.key,
        state: row.state === "sent" ? "sent" : "intent",
        posted: row.posted === null ? null : postedMessageSchema.parse(JSON.parse(row.posted)),
        intentAt: row.intentAt.getTime(),
      };
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

    /** An intent is written again before a second attempt, so that its age is the attempt's. */
    async renew(key: string, at: number): Promise<void> {
      await db.post.update({ where: { key }, data: { intentAt: new Date(at) } });
    },

    async sent(key: string, posted: PostedMessage, at: number): Promise<void> {
      await db.post.update({
        where: { key },
        data: { state: "sent", posted: JSON.stringify(posted), sentAt: new Date(at) },
      });
    },
  };
}
