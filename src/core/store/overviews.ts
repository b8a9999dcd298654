import { type ThreadRef, threadRefSchema } from "../protocol/platform.ts";
import type { Client } from "./database/client.ts";
import { type ApprovalRow, approvalReads } from "./run/approvals.ts";
import { type QuestionRow, questionReads } from "./run/questions.ts";
import { type RunRow, runReads } from "./runs.ts";

/** What sessions wait for a person with. */
export interface Waiting {
  readonly approvals: readonly ApprovalRow[];
  readonly questions: readonly QuestionRow[];
}

/** Looks across tables, for people who want to see how things stand. */
export function overviewReads(db: Client) {
  const approvals = approvalReads(db);
  const questions = questionReads(db);
  return {
    /** The session's newest run, ended or not; null before the first. */
    async newestRun(sessionId: string): Promise<RunRow | null> {
      const newest = await db.run.findFirst({
        where: { sessionId },
        orderBy: { eventSeq: "desc" },
        select: { id: true },
      });
      return newest === null ? null : runReads(db).get(newest.id);
    },

    /** Sessions with a run that has not ended, and their threads; a sub-agent's thread is that of the session it works for. */
    async busySessions(): Promise<{ readonly sessionId: string; readonly thread: ThreadRef }[]> {
      const runs = await db.run.findMany({
        where: { status: { in: ["running", "parked"] } },
        select: { sessionId: true, session: { select: { thread: true } } },
      });
      return runs.map(({ sessionId, session }) => {
        return { sessionId, thread: threadRefSchema.parse(JSON.parse(session.thread)) };
      });
    },

    /** What these sessions have asked people and nobody has answered, the oldest first. */
    async waitingIn(sessionIds: readonly string[]): Promise<Waiting> {
      const among = { sessionId: { in: [...sessionIds] } };
      const order = { orderBy: { createdAt: "asc" }, select: { id: true } } as const;
      const [pending, open] = await Promise.all([
        db.approval.findMany({ where: { ...among, status: "pending" }, ...order }),
        db.question.findMany({ where: { ...among, status: "open" }, ...order }),
      ]);
      const [asked, questioned] = await Promise.all([
        Promise.all(pending.map(({ id }) => approvals.get(id))),
        Promise.all(open.map(({ id }) => questions.get(id))),
      ]);
      return {
        approvals: asked.filter((row) => row !== null),
        questions: questioned.filter((row) => row !== null),
      };
    },
  };
}
