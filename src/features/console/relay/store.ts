import type { Client } from "../../../core/store/database/client.ts";

/** Maximum number of sessions found at once. */
const MOST = 500;

export function runReads(db: Client) {
  return {
    /** Sessions with a running run, or with one that ended since then. */
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
