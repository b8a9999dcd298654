import type { Client } from "../../core/store/database/client.ts";

export function channelReads(db: Client) {
  return {
    /** Names of the channels with sessions, by id. */
    async names(): Promise<ReadonlyMap<string, string>> {
      const rows = await db.channel.findMany({ select: { id: true, name: true } });
      return new Map(rows.map(({ id, name }) => [id, name]));
    },
  };
}
