import { join } from "@prisma/client/runtime/client";
import { z } from "zod";
import { ownId } from "../../events/event-key.ts";
import type { Client } from "../database/client.ts";

/** What a report counts: times in milliseconds since the epoch, `until` excluded. */
export interface UsageRange {
  readonly since: number;
  readonly until?: number;
  readonly channelId?: string;
  readonly sessionId?: string;
  readonly personId?: string;
}

export interface UsageSum {
  /** US dollars of the calls whose price is known. */
  readonly costUsd: number;
  readonly tokens: number;
  readonly calls: number;
  /** Calls whose price is unknown. */
  readonly unpriced: number;
}

export interface JobSum {
  readonly name: string;
  /** `slack:C1` */
  readonly channelId: string;
  readonly costUsd: number;
  readonly occurrences: number;
}

export type UsageKey = "personId" | "channelId" | "model";

/** What is added up for `amountOf`. */
export const AMOUNT = {
  costUsd: true,
  inputTokens: true,
  outputTokens: true,
  cacheReadTokens: true,
  cacheWriteTokens: true,
} as const;

/** What is asked of the ledger for `usageSumOf`. */
export const USAGE_SUMS = {
  _sum: AMOUNT,
  _count: { _all: true, costUsd: true },
} as const;

/** What has been spent, summed up. */
export function usageReport(db: Client) {
  return {
    async total(range: UsageRange): Promise<UsageSum> {
      return usageSumOf(await db.usage.aggregate({ where: within(range), ...USAGE_SUMS }));
    },

    /** The dearest first; calls without a price by their tokens. */
    async sumsBy(key: UsageKey, range: UsageRange): Promise<(UsageSum & { readonly key: string })[]> {
      const rows = await db.usage.groupBy({ by: [key], where: within(range), ...USAGE_SUMS });
      return rows
        .map((row) => ({ key: row[key], ...usageSumOf(row) }))
        .toSorted((a, b) => b.costUsd - a.costUsd || b.tokens - a.tokens);
    },

    /** What each job's occurrences have cost until they ended; what is said in their threads later is not in it. */
    async sumsByJob({ since, channelId }: Pick<UsageRange, "since" | "channelId">): Promise<JobSum[]> {
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

    /** The platform's id of each channel's workspace, by channel; one that is not known is missing. */
    async workspacesOf(channelIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
      const channels = await db.channel.findMany({ where: { id: { in: [...channelIds] } } });
      return new Map(channels.map(({ id, workspaceId }) => [id, ownId(workspaceId)]));
    },

    /** Names of people and channels, by id, as they were last seen; one that has none is missing. */
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

/** Names of people, by id, as they last wrote; who has written nothing is missing. */
export async function peopleNamed(db: Client, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows: unknown = await db.$queryRaw`
    SELECT "authorId" AS "id", coalesce(max("authorName"), "authorId") AS "name" FROM "Message" JOIN (
      SELECT "authorId" AS "of", max("createdAt") AS "at" FROM "Message"
      WHERE "authorId" IN (${join([...ids])}) GROUP BY "authorId"
    ) AS "newest" ON "authorId" = "of" AND "createdAt" = "at" GROUP BY "authorId"`;
  return new Map(namesSchema.parse(rows).map(({ id, name }) => [id, name]));
}

function within({ since, until, ...places }: UsageRange) {
  const createdAt = { gte: new Date(since), ...(until === undefined ? {} : { lt: new Date(until) }) };
  return { ...places, createdAt };
}

/** What the database has added up; null where there was nothing. */
type Sum = { readonly [Column in keyof typeof AMOUNT]: number | null };

interface Summed {
  readonly _sum: Sum;
  readonly _count: { readonly _all: number; readonly costUsd: number };
}

export function usageSumOf({ _sum: sum, _count: { _all: calls, costUsd: priced } }: Summed): UsageSum {
  return { ...amountOf(sum), calls, unpriced: calls - priced };
}

export function amountOf(sum: Sum): Pick<UsageSum, "costUsd" | "tokens"> {
  const tokens = [sum.inputTokens, sum.outputTokens, sum.cacheReadTokens, sum.cacheWriteTokens];
  return { costUsd: sum.costUsd ?? 0, tokens: tokens.reduce<number>((all, some) => all + (some ?? 0), 0) };
}

/** US dollars of all; null where something was used, and no price of it is known. */
export function costOfAll(sums: readonly UsageSum[]): number | null {
  const isUnknown = sums.some(({ calls }) => calls > 0) && sums.every(({ calls, unpriced }) => calls === unpriced);
  return isUnknown ? null : sums.reduce((sum, { costUsd }) => sum + costUsd, 0);
}
