import type { Client } from "../../../core/store/database/client.ts";
import {
  type JobSum,
  USAGE_SUMS,
  type UsageKey,
  type UsageSum,
  usageSumOf,
} from "../../../core/store/ledger/usage-report.ts";

/** Empty strings do not filter. Times are milliseconds since the epoch; `until` is exclusive. */
export interface UsageFilter {
  readonly since: number;
  readonly until: number;
  /** The channels that count; null for all. */
  readonly channels: readonly string[] | null;
  readonly channel: string;
  readonly person: string;
  readonly model: string;
}

/** A job by its name and channel; null for all jobs. */
export type JobFilter = Pick<UsageFilter, "since" | "until" | "channels"> & {
  readonly job: { readonly name: string; readonly channelId: string } | null;
};

export interface KeySum extends UsageSum {
  readonly key: string;
}

/** Sums of the ledger by different keys. */
export function usageReads(db: Client) {
  return {
    async sums(column: UsageKey, filter: UsageFilter): Promise<KeySum[]> {
      const { channels, channel, person, model } = filter;
      const rows = await db.usage.groupBy({
        by: [column],
        where: {
          createdAt: within(filter),
          ...(person === "" ? {} : { personId: person }),
          ...(model === "" ? {} : { model }),
          AND: [
            channels === null ? {} : { channelId: { in: [...channels] } },
            channel === "" ? {} : { channelId: channel },
          ],
        },
        ...USAGE_SUMS,
      });
      return rows.map((row) => ({ key: row[column], ...usageSumOf(row) }));
    },

    async jobs({ job, channels, ...range }: JobFilter): Promise<JobSum[]> {
      const rows = await db.jobOccurrence.groupBy({
        by: ["jobName", "channelId"],
        where: {
          createdAt: within(range),
          executedAt: { not: null },
          ...(job === null ? {} : { jobName: job.name }),
          AND: [
            channels === null ? {} : { channelId: { in: [...channels] } },
            job === null ? {} : { channelId: job.channelId },
          ],
        },
        _sum: { costUsd: true },
        _count: { _all: true },
      });
      return rows.map(({ jobName, channelId, _sum: sum, _count: { _all: occurrences } }) => {
        return { name: jobName, channelId, costUsd: sum.costUsd ?? 0, occurrences };
      });
    },

    /** Channels in which something was spent or a job has run. */
    async channelsWithUse(range: { readonly since: number; readonly until: number }): Promise<string[]> {
      const createdAt = within(range);
      const [used, ran] = await Promise.all([
        db.usage.groupBy({ by: ["channelId"], where: { createdAt } }),
        db.jobOccurrence.groupBy({ by: ["channelId"], where: { createdAt } }),
      ]);
      return [...new Set([...used, ...ran].map(({ channelId }) => channelId))];
    },
  };
}

function within({ since, until }: { readonly since: number; readonly until: number }) {
  return { gte: new Date(since), lt: new Date(until) };
}
