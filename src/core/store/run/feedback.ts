import type { Client } from "../database/client.ts";
import type { RecentUsage } from "../ledger/usage-report.ts";

export type FeedbackValue = "up" | "down";

export interface FeedbackRow {
  readonly runId: string;
  readonly personId: string;
  /** `slack:C1` */
  readonly channelId: string;
  readonly value: FeedbackValue;
  readonly at: number;
}

export type FeedbackSum = Readonly<Record<FeedbackValue, number>>;

export function feedbackReads(db: Client) {
  return {
    /** Counts the votes since a time, in one channel if it is given. */
    async count({ since, channelId }: RecentUsage): Promise<FeedbackSum> {
      const place = channelId === undefined ? {} : { channelId };
      const of = (value: FeedbackValue) =>
        db.runFeedback.count({ where: { value, at: { gte: new Date(since) }, ...place } });
      const [up, down] = await Promise.all([of("up"), of("down")]);
      return { up, down };
    },

    async ofRun(runId: string): Promise<FeedbackRow[]> {
      const rows = await db.runFeedback.findMany({ where: { runId }, orderBy: { at: "asc" } });
      return rows.map(({ value, at, ...row }) => ({ ...row, value: value === "up" ? "up" : "down", at: at.getTime() }));
    },
  };
}

export function feedbackWrites(db: Client) {
  return {
    ...feedbackReads(db),

    /** Records a vote. It replaces the person's earlier one on the run. */
    async give({ runId, personId, channelId, value, at }: FeedbackRow): Promise<void> {
      const vote = { value, at: new Date(at) };
      await db.runFeedback.upsert({
        where: { runId_personId: { runId, personId } },
        create: { runId, personId, channelId, ...vote },
        update: vote,
      });
    },
  };
}
