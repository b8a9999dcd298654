import { sessionEventBodySchema } from "../../../core/events/session-event.ts";
import type { Client } from "../../../core/store/database/client.ts";
import { OPEN_RUN } from "../../../core/store/runs.ts";
import { fromJson } from "../../../core/text/from-json.ts";

export interface OpenRun {
  readonly id: string;
  readonly sessionId: string;
  readonly startedAt: number;
  /** The person or job that started the run; empty if unknown. */
  readonly by: string;
}

/** Reads what is running, what waits and what has failed. */
export function overviewReads(db: Client) {
  return {
    /** Runs of these sessions that have not ended, the oldest first. */
    async openRuns(sessionIds: readonly string[]): Promise<OpenRun[]> {
      const runs = await db.run.findMany({
        where: { sessionId: { in: [...sessionIds] }, status: { in: [...OPEN_RUN] } },
        orderBy: { startedAt: "asc" },
      });
      const events = await db.inboxEvent.findMany({
        where: { seq: { in: runs.map(({ eventSeq }) => eventSeq) } },
        select: { seq: true, body: true },
      });
      const byOf = new Map(events.map(({ seq, body }) => [seq, beginner(body)]));
      return runs.map(({ id, sessionId, eventSeq, startedAt }) => {
        return { id, sessionId, startedAt: startedAt.getTime(), by: byOf.get(eventSeq) ?? "" };
      });
    },

    /** Runs that have failed since then, the newest first. */
    async failed(since: number, limit: number) {
      const rows = await db.run.findMany({
        where: { endedAt: { gte: new Date(since) }, outcome: { notIn: ["end_turn", "cancelled"] } },
        orderBy: { endedAt: "desc" },
        take: limit,
      });
      return rows.map(({ sessionId, outcome, errorCode, endedAt }) => {
        return { sessionId, outcome: outcome ?? "error", code: errorCode, at: endedAt?.getTime() ?? since };
      });
    },
  };
}

function beginner(body: string): string {
  const { data } = sessionEventBodySchema.safeParse(fromJson(body));
  if (data?.kind === "message") return data.author.name;
  return data?.kind === "job" ? `job of ${data.author.name}` : "";
}
