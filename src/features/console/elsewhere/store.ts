import type { Client } from "../../../core/store/database/client.ts";

/** Sessions that one look finds. */
const MOST = 500;

export function runReads(db: Client) {
  return {
    /** Sessions in which a run goes on, or has ended since. */
    async inWork(since: number): Promise<string[]> {
      const rows = await db.run.findMany({
        where: { OR: [{ status: "running" }, { endedAt: { gte: new Date(since) } }] },
        select: { sessionId: true },
        take: MOST,
      });
      return [...new Set(rows.map(({ sessionId }) => sessionId))];
    },
  };
}
