import type { Client } from "../../../core/store/database/client.ts";

/** Empty strings leave all in. Times are milliseconds since the epoch; `until` is left out. */
export interface UsageFilter {
  readonly since: number;
  readonly until: number;
  /** Those that count; null: all. */
  readonly channels: readonly string[] | null;
  readonly channel: string;
  readonly person: string;
  readonly model: string;
}

/** A job by its name and channel; null: all. */
export type JobFilter = Pick<UsageFilter, "since" | "until" | "channels"> & {
  readonly job: { readonly name: string; readonly channelId: string } | null;
};

export interface KeySum {
  readonly key: string;
  readonly costUsd: number;
  readonly tokens: number;
  readonly calls: number;
  readonly unpriced: number;
}

export interface JobSum {
  readonly name: string;
  readonly channelId: string;
  readonly costUsd: number;
  readonly occurrences: number;
}

export type UsageColumn = "model" | "channelId" | "personId";

/** Reads the ledger by what it is summed up by. */
export function usageReads(db: Client) {
  return {
    async sums(column: UsageColumn, filter: UsageFilter): Promise<KeySum[]> {
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
        _sum: { costUsd: true, inputTokens: true, outputTokens: true, cacheReadTokens: true, cacheWriteTokens: true },
        _count: { _all: true, costUsd: true },
      });
      return rows.map(({ _sum: sum, _count: { _all: calls, costUsd: priced }, ...row }) => {
        const tokens = [sum.inputTokens, sum.outputTokens, sum.cacheReadTokens, sum.cacheWriteTokens];
        return {
          key: row[column],
          costUsd: sum.costUsd ?? 0,
          tokens: tokens.reduce<number>((all, some) => all + (some ?? 0), 0),
          calls,
          unpriced: calls - priced,
        };
      });
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
