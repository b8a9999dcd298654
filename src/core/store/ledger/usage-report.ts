import { join } from "@prisma/client/runtime/client";
import { z } from "zod";
import { ownId } from "../../events/event-key.ts";
import type { Client } from "../database/client.ts";

/** Selects calls that match every field given. Milliseconds since the epoch; `until` is exclusive. */
export interface UsageFilter {
  readonly since?: number;
  readonly until?: number;
  readonly channelId?: string;
  readonly runIds?: readonly string[];
  readonly sessionIds?: readonly string[];
  readonly personId?: string;
}

/** Actual or maximum cost and tokens of calls. Calls of unknown price count only with their tokens. */
export interface Amount {
  /** US dollars. */
  readonly costUsd: number;
  readonly tokens: number;
}

export interface UsageSum extends Amount {
  readonly calls: number;
  /** Number of calls whose price is unknown. */
  readonly unpriced: number;
}

export interface JobSum {
  readonly name: string;
  /** `slack:C1` */
  readonly channelId: string;
  readonly costUsd: number;
  readonly occurrences: number;
}

/** The calls since a time, in one channel if it is given. */
export interface RecentUsage {
  readonly since: number;
  readonly channelId?: string;
}

export type UsageKey = "personId" | "channelId" | "model";

const SUMMED = {
  costUsd: true,
  inputTokens: true,
  outputTokens: true,
  cacheReadTokens: true,
  cacheWriteTokens: true,
} as const;

/** Aggregates that `usageSumOf` needs. */
export const USAGE_SUMS = {
  _sum: SUMMED,
  _count: { _all: true, costUsd: true },
} as const;

/** Sums over what has been spent. */
export function usageReport(db: Client) {
  return {
    async total(filter: UsageFilter): Promise<UsageSum> {
      return usageSumOf(await db.usage.aggregate({ where: matching(filter), ...USAGE_SUMS }));
    },

    /** Most expensive first; sums of equal cost by their tokens. */
    async sumsBy(key: UsageKey, filter: UsageFilter): Promise<(UsageSum & { readonly key: string })[]> {
      const rows = await db.usage.groupBy({ by: [key], where: matching(filter), ...USAGE_SUMS });
      return rows
        .map((row) => ({ key: row[key], ...usageSumOf(row) }))
        .toSorted((a, b) => b.costUsd - a.costUsd || b.tokens - a.tokens);
    },

    /** Cost of each job's occurrences up to their end, without what people later ask in their threads. */
    async sumsByJob({ since, channelId }: RecentUsage): Promise<JobSum[]> {
      const rows = await db.jobOccurrence.groupBy({
        by: ["jobName", "channelId"],
        where: {
          createdAt: { gte: new Date(since) },
          executedAt: { not: null },
          ...(channelId === undefined ? {} : { channelId }),
        },
        _sum: { costUsd: true },
        _count: { _all: true },
      });
      return rows
        .map(({ jobName, channelId: channel, _sum: sum, _count: { _all: occurrences } }) => ({
          name: jobName,
          channelId: channel,
          costUsd: sum.costUsd ?? 0,
          occurrences,
        }))
        .toSorted((a, b) => b.costUsd - a.costUsd || b.occurrences - a.occurrences);
    },

    /** The platform's workspace id of each channel, by channel. Unknown channels are missing. */
    async workspacesOf(channelIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
      const channels = await db.channel.findMany({ where: { id: { in: [...channelIds] } } });
      return new Map(channels.map(({ id, workspaceId }) => [id, ownId(workspaceId)]));
    },

    /** Names of people or channels as last seen, by id. Those without a name are missing. */
    async namesOf(key: UsageKey, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
      if (key === "model") return new Map();
      if (key === "channelId") {
        const channels = await db.channel.findMany({ where: { id: { in: [...ids] } } });
        const named = channels.filter(({ id, name }) => ownId(id) !== name);
        return new Map(named.map(({ id, name, kind }) => [id, kind === "channel" ? `#${name}` : name]));
      }
      return new Map([...(await peopleNamed(db, ids))].map(([id, name]) => [id, `@${name}`]));
    },
  };
}

const namesSchema = z.array(z.object({ id: z.string(), name: z.string() }));

/** Names of people as of their last message, by id. People who have written nothing are missing. */
export async function peopleNamed(db: Client, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows: unknown = await db.$queryRaw`
    SELECT "authorId" AS "id", coalesce(max("authorName"), "authorId") AS "name" FROM "Message" JOIN (
      SELECT "authorId" AS "of", max("createdAt") AS "at" FROM "Message"
      WHERE "authorId" IN (${join([...ids])}) GROUP BY "authorId"
    ) AS "newest" ON "authorId" = "of" AND "createdAt" = "at" GROUP BY "authorId"`;
  return new Map(namesSchema.parse(rows).map(({ id, name }) => [id, name]));
}

function matching({ since, until, runIds, sessionIds, ...account }: UsageFilter) {
  const from = since === undefined ? {} : { gte: new Date(since) };
  return {
    ...account,
    createdAt: { ...from, ...(until === undefined ? {} : { lt: new Date(until) }) },
    ...(runIds && { runId: { in: [...runIds] } }),
    ...(sessionIds && { sessionId: { in: [...sessionIds] } }),
  };
}

/** Sums by the database; null if there were no values. */
type Sum = { readonly [Column in keyof typeof SUMMED]: number | null };

interface Summed {
  readonly _sum: Sum;
  readonly _count: { readonly _all: number; readonly costUsd: number };
}

export function usageSumOf({ _sum: sum, _count: { _all: calls, costUsd: priced } }: Summed): UsageSum {
  const counts = [sum.inputTokens, sum.outputTokens, sum.cacheReadTokens, sum.cacheWriteTokens];
  const tokens = counts.reduce<number>((all, some) => all + (some ?? 0), 0);
  return { costUsd: sum.costUsd ?? 0, tokens, calls, unpriced: calls - priced };
}

/** Cost of all in US dollars; null if there were calls and none has a known price. */
export function costOfAll(sums: readonly UsageSum[]): number | null {
  const isUnknown = sums.some(({ calls }) => calls > 0) && sums.every(({ calls, unpriced }) => calls === unpriced);
  return isUnknown ? null : sums.reduce((sum, { costUsd }) => sum + costUsd, 0);
}
