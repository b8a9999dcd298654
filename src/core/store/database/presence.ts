import type { PlatformName } from "../../platform/thread.ts";
import type { Client } from "./client.ts";

export function presenceReads(db: Client) {
  return {
    /** Until when the platform is known to have been connected; null if it never was. Milliseconds since the epoch. */
    async seenAt(platform: PlatformName): Promise<number | null> {
      const row = await db.platformPresence.findUnique({ where: { platform } });
      return row?.seenAt.getTime() ?? null;
    },

    /** Whether a message must not become an event, because it was answered privately or was deleted. */
    async wasAnswered(key: string): Promise<boolean> {
      return (await db.answeredMessage.count({ where: { key } })) > 0;
    },
  };
}

export function presenceWrites(db: Client) {
  return {
    ...presenceReads(db),

    async seen(platform: PlatformName, at: number): Promise<void> {
      const seenAt = new Date(at);
      await db.platformPresence.upsert({ where: { platform }, create: { platform, seenAt }, update: { seenAt } });
    },

    async answered(key: string, at: number): Promise<void> {
      const row = { key, at: new Date(at) };
      await db.answeredMessage.upsert({ where: { key }, create: row, update: row });
    },

    /** Forgets the messages answered before this time. */
    async forgetAnswered(before: number): Promise<void> {
      await db.answeredMessage.deleteMany({ where: { at: { lt: new Date(before) } } });
    },
  };
}
