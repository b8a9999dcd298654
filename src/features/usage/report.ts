import { startOfDay } from "../../core/budget/limits.ts";
import { readArguments } from "../../core/command-line/arguments.ts";
import type { ChatCommand, CommandContext } from "../../core/command-line/command.ts";
import { didYouMean, nearest } from "../../core/command-line/nearest.ts";
import { quoteInput } from "../../core/command-line/quote-input.ts";
import { bar, textTable } from "../../core/command-line/text-table.ts";
import { isAdmin } from "../../core/permissions/access.ts";
import type { OutgoingMessage } from "../../core/platform/outgoing.ts";
import { privateMessage } from "../../core/platform/replies.ts";
import { channelOf } from "../../core/platform/thread.ts";
import type { JobSum, RecentUsage, UsageKey, UsageSum } from "../../core/store/ledger/usage-report.ts";
import type { FeedbackSum } from "../../core/store/run/feedback.ts";
import type { Store } from "../../core/store/store.ts";
import { dollars, figure } from "../../core/text/dollars.ts";
import { utcDay } from "../../core/text/utc.ts";
import { type DaySum, usageChart } from "./chart/usage-chart.ts";
import { USAGE_GROUPS } from "./groups.ts";

const DAY_MS = 86_400_000;
const DAYS = { usual: 7, most: 31 };
/** Maximum number of rows in a table. */
const MAX_ROWS = 12;

const KEYS: ReadonlyMap<string, UsageKey> = new Map([
  ["user", "personId"],
  ["channel", "channelId"],
  ["model", "model"],
]);

export const reportUsage: ChatCommand["run"] = async (line, context) => {
  const read = readArguments(line, { words: 2, flags: ["days"] });
  if (read.type === "broken") return privateMessage(read.reason);
  const [by = "day", ...more] = read.words.filter((word) => !isNumber(word));
  if (!USAGE_GROUPS.includes(by)) {
    const names = USAGE_GROUPS.map((group) => `\`${group}\``).join(", ");
    const nearby = didYouMean(nearest(by, USAGE_GROUPS), `Use ${names}.`);
    return privateMessage(`I can't group by ${quoteInput(by)}.${nearby}`);
  }
  if (more[0] !== undefined) return privateMessage(`I don't know what to do with ${quoteInput(more[0])}.`);
  const days = Number(read.flags.get("days") ?? read.words.find(isNumber) ?? DAYS.usual);
  if (!Number.isInteger(days) || days < 1 || days > DAYS.most) {
    return privateMessage(`The number of days must be a whole number from 1 to ${DAYS.most}.`);
  }
  return usageReport({ by, days }, context);
};

function isNumber(word: string): boolean {
  return /^-?\d+(?:\.\d+)?$/u.test(word);
}

/** Admins see everything, others only this channel; if there are no admins, everybody sees everything. */
async function usageReport(
  { by, days }: { by: string; days: number },
  context: CommandContext,
): Promise<OutgoingMessage> {
  const { access, person, channelKey, runtime } = context;
  const seesAll = access.admins.length === 0 || isAdmin(person, access);
  const today = startOfDay(runtime.clock.now());
  const range = { since: today - (days - 1) * DAY_MS, ...(seesAll ? {} : { channelId: channelKey }) };
  const sums = await sumsByDay({ range, days }, context);
  const rows = await rowsBy(by, { range, sums }, context);
  const whole = await context.store.usage.total(range);
  const head = `**${dollars(whole.costUsd)}** in ${days === 1 ? "one day" : `${days} days`} (UTC) ${seesAll ? "in all" : "in this channel"} · ${figure(whole.tokens)} tokens · ${figure(whole.calls)} model ${whole.calls === 1 ? "call" : "calls"}`;
  const votes = await context.store.feedback.count(range);
  const own = await ownText({ since: range.since, today }, context);
  const text = [head, own, table(rows, by), ...notes(whole), ...votesText(votes)].join("\n");
  const chart = usageChart(sums);
  return { ...privateMessage(text), files: chart === null ? [] : [chart] };
}

type Day = DaySum & UsageSum;

/** The sums of each day in the range, including days without spending. */
function sumsByDay(
  { range, days }: { readonly range: RecentUsage; readonly days: number },
  { store }: CommandContext,
): Promise<Day[]> {
  const starts = Array.from({ length: days }, (_, index) => range.since + index * DAY_MS);
  return Promise.all(
    starts.map(async (since) => ({
      ...(await store.usage.total({ ...range, since, until: since + DAY_MS })),
      day: utcDay(since),
    })),
  );
}

async function ownText({ since, today }: { since: number; today: number }, context: CommandContext): Promise<string> {
  const { store, person, session } = context;
  const [you, day, here] = await Promise.all([
    store.usage.total({ since, personId: person.id }),
    store.usage.total({ since: today, personId: person.id }),
    session === null ? null : sessionUsd(session.id, store),
  ]);
  const parts = [
    `You: ${dollars(you.costUsd)}, today (UTC) ${dollars(day.costUsd)}`,
    ...(here === null ? [] : [`this session: ${dollars(here)}`]),
  ];
  return parts.join(" · ");
}

/** Cost of a session in US dollars, including its sub-agents. */
async function sessionUsd(id: string, store: Store): Promise<number> {
  const { ofSession } = await store.children.family(id, "");
  return (await store.usage.total({ since: 0, sessionIds: ofSession.sessionIds })).costUsd;
}

interface Row {
  readonly label: string;
  readonly costUsd: number;
  /** Tokens, or the number of a job's runs. */
  readonly amount: number;
  readonly unit: string;
}

async function rowsBy(
  by: string,
  { range, sums: days }: { readonly range: RecentUsage; readonly sums: readonly Day[] },
  context: CommandContext,
): Promise<Row[]> {
  const { store } = context;
  if (by === "job") {
    const all = await store.usage.sumsByJob(range);
    const sums = all.slice(0, MAX_ROWS);
    const seen = await seenOf(
      sums.map(({ channelId }) => channelId),
      context,
    );
    const asRow = ({ costUsd, occurrences }: JobSum) => ({ costUsd, amount: occurrences, unit: "×" });
    const rows = sums.map((sum) => ({ ...asRow(sum), label: seen.has(sum.channelId) ? sum.name : UNSEEN.job }));
    return [...joined(rows), ...restOf(all.map(asRow))];
  }
  const key = KEYS.get(by);
  if (key === undefined) return days.map((sum) => ({ ...inTokens(sum), label: sum.day }));
  const all = await store.usage.sumsBy(key, range);
  const sums = all.slice(0, MAX_ROWS);
  const keys = sums.map((sum) => sum.key);
  const [names, seen] = await Promise.all([
    store.usage.namesOf(key, keys),
    key === "channelId" ? seenOf(keys, context) : new Set(keys),
  ]);
  const labelOf = (id: string) => (seen.has(id) ? (names.get(id) ?? id) : UNSEEN.channel);
  const rows = sums.map((sum) => ({ ...inTokens(sum), label: labelOf(sum.key) }));
  return [...joined(rows), ...restOf(all.map(inTokens))];
}

/** Labels for channels that the person does not see, and for jobs in them. */
const UNSEEN = { channel: "private channels", job: "in private channels" };
const HIDDEN: readonly string[] = Object.values(UNSEEN);

async function seenOf(
  channelKeys: readonly string[],
  { store, canSeeChannel, channelKey, thread, person }: CommandContext,
): Promise<ReadonlySet<string>> {
  const keys = [...new Set(channelKeys)];
  const workspaces = await store.usage.workspacesOf(keys);
  const seen = await Promise.all(
    keys.map(async (key) => {
      // Background work of the program belongs to no channel.
      if (!key.includes(":")) return [key];
      const workspaceId = workspaces.get(key) ?? thread.workspaceId;
      const isSeen = key === channelKey || (await canSeeChannel(channelOf(key, workspaceId), person));
      return isSeen ? [key] : [];
    }),
  );
  return new Set(seen.flat());
}

/** Merges rows that must not be distinguishable; others stay separate even if they have the same name. */
function joined(rows: readonly Row[]): Row[] {
  const groups = Map.groupBy(rows, (row) => (HIDDEN.includes(row.label) ? row.label : row));
  return [...groups.values()].flatMap((same) => same.slice(0, 1).map((first) => ({ ...first, ...sumOf(same) })));
}

/** A single row for everything beyond the table's rows. */
function restOf(all: readonly Omit<Row, "label">[]): Row[] {
  const rest = all.slice(MAX_ROWS);
  return rest.slice(0, 1).map((first) => ({ ...first, ...sumOf(rest), label: `${rest.length} more` }));
}

function sumOf(rows: readonly Omit<Row, "label">[]): Pick<Row, "costUsd" | "amount"> {
  const sum = (of: (row: Omit<Row, "label">) => number) => rows.reduce((all, row) => all + of(row), 0);
  return { costUsd: sum(({ costUsd }) => costUsd), amount: sum(({ amount }) => amount) };
}

function inTokens({ costUsd, tokens }: UsageSum): Omit<Row, "label"> {
  return { costUsd, amount: tokens, unit: "" };
}

/** Bars show dollars, or amounts if nothing has a price. */
function table(rows: readonly Row[], by: string): string {
  if (rows.length === 0) return by === "job" ? "No jobs have run." : "Nothing was spent.";
  const isPriced = rows.some(({ costUsd }) => costUsd > 0);
  const size = (row: Row) => (isPriced ? row.costUsd : row.amount);
  const most = Math.max(...rows.map(size));
  return textTable(
    rows.map((row) => [row.label, dollars(row.costUsd), figure(row.amount) + row.unit, bar(size(row), most)]),
  );
}

function notes({ unpriced }: UsageSum): string[] {
  if (unpriced === 0) return [];
  const calls = unpriced === 1 ? "one call" : `${unpriced} calls`;
  return [`⚠ The price of ${calls} is unknown, so it is not included.`];
}

function votesText({ up, down }: FeedbackSum): string[] {
  return up + down === 0 ? [] : [`Feedback: ${figure(up)} 👍 · ${figure(down)} 👎`];
}
