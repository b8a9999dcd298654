import { z } from "zod";
import { startOfDay } from "../../../core/budget/limits.ts";
import type { UsageKey } from "../../../core/store/ledger/usage-report.ts";
import { utcDay } from "../../../core/text/utc.ts";
import type { TeamUsage } from "../../../feature.ts";
import { placeName, visibleChannels } from "../list.ts";
import { isAdmin } from "../overview/overview.ts";
import type { ConsoleScope } from "../scope.ts";
import type { ChannelRow } from "../store.ts";
import type { Viewer } from "../visibility.ts";
import { type JobFilter, type KeySum, type UsageFilter, usageReads } from "./store.ts";

type Row = TeamUsage["rows"][number];
type Chosen = TeamUsage["chosen"][number];
type Group = Chosen["by"];

const words = z.string().max(400).default("");

/** The requested summary; non-empty keys of rows narrow it. */
export const usageQuerySchema = z.object({
  by: z.enum(["day", "model", "channel", "person", "job"]).default("day"),
  days: z.coerce.number().int().min(1).max(92).default(7),
  model: words,
  channel: words,
  person: words,
  job: words,
});
export type UsageQuery = z.infer<typeof usageQuerySchema>;

const DAY_MS = 86_400_000;
const COLUMNS: ReadonlyMap<Group, UsageKey> = new Map([
  ["channel", "channelId"],
  ["person", "personId"],
]);
/** Labels for channels that the viewer does not see, and for jobs in them. */
const UNSEEN = { channel: "private channels", job: "jobs in private channels" };

interface UsageScope {
  readonly viewer: Viewer;
  readonly query: UsageQuery;
  readonly starts: readonly number[];
  /** Channels with spending that the viewer sees. */
  readonly seen: ReadonlyMap<string, ChannelRow>;
  /** The channels that count; null for all. */
  readonly channels: readonly string[] | null;
}

/**
 * Summarises the ledger: for admins all of it, without the names of channels that they do not see; for others the
 * spending in channels that they see.
 */
export async function usageFor(viewer: Viewer, query: UsageQuery, counting: ConsoleScope): Promise<TeamUsage> {
  const { runtime } = counting.host;
  const today = startOfDay(runtime.clock.now());
  const starts = Array.from({ length: query.days }, (_, index) => today - (query.days - 1 - index) * DAY_MS);
  const seen = await seenChannels(viewer, { since: starts[0] ?? today, until: today + DAY_MS }, counting);
  const isNarrowed = query.channel !== "" || query.job !== "";
  const channels = isAdmin(viewer) && !isNarrowed ? null : [...seen.keys()];
  const scope = { viewer, query, starts, seen, channels };
  const perKey = await (query.by === "job" || query.job !== "" ? jobSums : callSums)(scope, counting);
  const rows = merged(perKey).toSorted((a, b) => b.costUsd - a.costUsd || b.calls - a.calls);
  return {
    days: starts.map(utcDay),
    total: totalOf(perKey),
    rows: query.by === "day" ? [] : rows,
    perDay: starts.map((_, day) => perKey.reduce((sum, row) => sum + (row.perDay[day] ?? 0), 0)),
    isAll: channels === null,
    chosen: await chosenOf(scope, counting),
  };
}

async function seenChannels(
  viewer: Viewer,
  range: { readonly since: number; readonly until: number },
  scope: ConsoleScope,
): Promise<ReadonlyMap<string, ChannelRow>> {
  const ids = await scope.host.store.tables(usageReads).channelsWithUse(range);
  const seen = await visibleChannels(viewer, ids, scope);
  return new Map(seen.map((channel) => [channel.id, channel]));
}

/** Reads once per day, so that the sums by day and by key agree. */
async function callSums({ query, starts, seen, channels }: UsageScope, { host }: ConsoleScope): Promise<Row[]> {
  const reads = host.store.tables(usageReads);
  const column = COLUMNS.get(query.by) ?? "model";
  const { channel, person, model } = query;
  const days = await Promise.all(
    starts.map(async (since) => {
      const filter: UsageFilter = { since, until: since + DAY_MS, channels, channel, person, model };
      return reads.sums(column, filter);
    }),
  );
  const byKey = new Map<string, (KeySum | undefined)[]>();
  for (const [day, sums] of days.entries()) {
    for (const sum of sums) {
      const ofKey = byKey.get(sum.key) ?? [];
      ofKey[day] = sum;
      byKey.set(sum.key, ofKey);
    }
  }
  const names =
    column === "personId" ? await host.store.usage.namesOf(column, [...byKey.keys()]) : new Map<string, string>();
  return [...byKey].map(([key, sums]) => {
    const label = column === "channelId" ? labelOf(seen.get(key), host) : (names.get(key) ?? key);
    const of = (field: "costUsd" | "tokens" | "calls" | "unpriced") =>
      sums.reduce((all, sum) => all + (sum?.[field] ?? 0), 0);
    return {
      key: label === UNSEEN.channel ? null : key,
      label,
      costUsd: of("costUsd"),
      tokens: of("tokens"),
      calls: of("calls"),
      unpriced: of("unpriced"),
      perDay: starts.map((_, day) => sums[day]?.costUsd ?? 0),
    };
  });
}

async function jobSums({ query, starts, seen, channels }: UsageScope, { host }: ConsoleScope): Promise<Row[]> {
  const reads = host.store.tables(usageReads);
  const job = jobIn(query.job);
  const days = await Promise.all(
    starts.map(async (since) => reads.jobs({ since, until: since + DAY_MS, channels, job } satisfies JobFilter)),
  );
  return days.flatMap((sums, day) =>
    sums.map(({ name, channelId, costUsd, occurrences }) => {
      const isSeen = seen.has(channelId);
      return {
        key: isSeen ? `${channelId} ${name}` : null,
        label: isSeen ? name : UNSEEN.job,
        costUsd,
        tokens: null,
        calls: occurrences,
        unpriced: 0,
        perDay: starts.map((_, index) => (index === day ? costUsd : 0)),
      };
    }),
  );
}

function jobIn(key: string): JobFilter["job"] {
  const [, channelId, name] = /^(\S+) (.+)$/su.exec(key) ?? [];
  return channelId === undefined || name === undefined ? null : { name, channelId };
}

function labelOf(channel: ChannelRow | undefined, host: ConsoleScope["host"]): string {
  return channel === undefined ? UNSEEN.channel : placeName(channel, host);
}

/** Merges rows with the same key, and those without a key by label, which must not be distinguishable. */
function merged(rows: readonly Row[]): Row[] {
  return [...Map.groupBy(rows, ({ key, label }) => key ?? ` ${label}`).values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const perDay = first.perDay.map((_, day) => same.reduce((all, row) => all + (row.perDay[day] ?? 0), 0));
    return [{ ...first, ...totalOf(same), perDay }];
  });
}

function totalOf(rows: readonly Row[]): TeamUsage["total"] {
  const of = (field: "costUsd" | "calls" | "unpriced") => rows.reduce((all, row) => all + row[field], 0);
  const tokens = rows.some((row) => row.tokens === null) ? null : rows.reduce((all, row) => all + (row.tokens ?? 0), 0);
  return { costUsd: of("costUsd"), tokens, calls: of("calls"), unpriced: of("unpriced") };
}

async function chosenOf({ query, seen }: UsageScope, { host }: ConsoleScope): Promise<Chosen[]> {
  const { model, channel, person, job } = query;
  const names = person === "" ? new Map<string, string>() : await host.store.usage.namesOf("personId", [person]);
  const jobName = jobIn(job)?.name ?? "";
  return (
    [
      { by: "model", label: model },
      { by: "channel", label: channel === "" ? "" : labelOf(seen.get(channel), host) },
      { by: "person", label: names.get(person) ?? person },
      { by: "job", label: jobName },
    ] as const
  ).filter(({ label }) => label !== "");
}
