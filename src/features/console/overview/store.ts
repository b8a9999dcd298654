import { z } from "zod";
import { sessionEventBodySchema } from "../../../core/events/session-event.ts";
import type { Client } from "../../../core/store/database/client.ts";

const callsSchema = z.array(z.object({ tool: z.string(), title: z.string() }));
const questionSchema = z.object({ question: z.string().default("a plan") });

export interface OpenRun {
  readonly id: string;
  readonly sessionId: string;
  readonly startedAt: number;
  /** Whose words, or which job, began it; empty where nobody knows. */
  readonly by: string;
}

export interface Asked {
  readonly sessionId: string;
  readonly kind: "approval" | "question";
  readonly about: string;
  readonly since: number;
}

export interface Failure {
  readonly sessionId: string;
  readonly outcome: string;
  readonly code: string | null;
  readonly at: number;
}

/** Looks over what goes on, what waits and what has gone wrong. */
export function overviewReads(db: Client) {
  return {
    /** Those among the sessions that have not ended, the oldest first. */
    async openRuns(sessionIds: readonly string[]): Promise<OpenRun[]> {
      const runs = await db.run.findMany({
        where: { sessionId: { in: [...sessionIds] }, status: { in: ["running", "parked"] } },
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

    /** What the sessions wait for people with, the oldest first. */
    async asked(sessionIds: readonly string[]): Promise<Asked[]> {
      const sessionId = { in: [...sessionIds] };
      const [approvals, questions] = await Promise.all([
        db.approval.findMany({ where: { sessionId, status: "pending" } }),
        db.question.findMany({ where: { sessionId, status: "open" } }),
      ]);
      return [
        ...approvals.map((row) => ({ ...askedOf(row), kind: "approval" as const, about: aboutCalls(row.calls) })),
        ...questions.map((row) => ({ ...askedOf(row), kind: "question" as const, about: aboutQuestion(row.body) })),
      ].toSorted((a, b) => a.since - b.since);
    },

    /** Runs that have come to nothing since then, the newest first. */
    async failed(since: number, limit: number): Promise<Failure[]> {
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

function askedOf({ sessionId, createdAt }: { sessionId: string; createdAt: Date }) {
  return { sessionId, since: createdAt.getTime() };
}

function aboutCalls(calls: string): string {
  return callsSchema
    .parse(JSON.parse(calls))
    .map(({ tool, title }) => (title === "" ? tool : title))
    .join("; ");
}

function aboutQuestion(body: string): string {
  return questionSchema.parse(JSON.parse(body)).question;
}

function beginner(body: string): string {
  const { data } = sessionEventBodySchema.safeParse(JSON.parse(body));
  if (data?.kind === "message") return data.author.name;
  return data?.kind === "job" ? `job of ${data.author.name}` : "";
}
