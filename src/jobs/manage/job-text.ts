import { historyStrip } from "../../core/jobs/history-strip.ts";
import type { JobLogLine, JobOverview } from "../../core/jobs/job-control.ts";
import { channelKeyOf } from "../../core/platform/thread.ts";
import { assertNever } from "../../core/protocol/assert-never.ts";
import { type OccurrenceRow, OPEN_OCCURRENCES } from "../../core/store/job-occurrences.ts";
import type { JobRow, JobSettings } from "../../core/store/jobs.ts";
import type { PauseCause } from "../../core/store/pause-cause.ts";
import type { Store } from "../../core/store/store.ts";
import { dollars } from "../../core/text/dollars.ts";
import { cut, escapeMarkdown, plainLine } from "../../core/text/plain-text.ts";
import { nextDue, readSchedule } from "../calendar/schedule.ts";
import { sentenceOf, timeIn } from "../calendar/sentence.ts";
import { isPastReminder } from "../scheduling/occurrence.ts";

/** Number of future due times shown. */
export const NAMED_TIMES = 3;

/** A line of a list: `⏳ **Daily report** · every weekday at 09:00 Europe/Paris · next Mon 23 Nov 2026 09:00 · ▁▂▂✗`. */
export function jobSummary(job: JobRow, newestRuns: readonly OccurrenceRow[], now: number): string {
  const read = readSchedule(job);
  if (read.type === "refused") return `✗ **${job.name}** · ${read.reason}`;
  const due = job.enabled ? nextDue(read.schedule, now) : null;
  const paused = `paused${job.pausedBecause === null ? "" : `: ${pauseText(job.pausedBecause)}`}`;
  const isDone = isOver(job);
  const parts = [
    `${job.enabled || isDone ? "✓" : "⏸"} **${job.name}** · ${sentenceOf(read.schedule)}`,
    ...(due === null ? [] : [`next ${timeIn(due, job.timezone)}`]),
    ...(job.enabled ? [] : [isDone ? "done" : paused]),
    ...(newestRuns.length === 0 ? [] : [historyStrip(newestRuns.toReversed())]),
    ...(job.source === "file" ? ["from the jobs file"] : []),
    `\`${job.id}\``,
  ];
  return parts.join(" · ");
}

/** What paused a job, as a sentence. */
export function pauseText(cause: PauseCause): string {
  switch (cause.by) {
    case "due_once":
      return "It was due once.";
    case "jobs_file":
      return "The jobs file turns it off.";
    case "failures":
      return `It failed ${cause.count} times in a row.`;
    case "refusal":
      return cause.reason;
    default:
      return assertNever(cause);
  }
}

function isOver(job: JobRow): boolean {
  return !job.enabled && isPastReminder(job);
}

/** Maximum characters of a list, so that Discord shows it in one message. */
const LIST_CHARS = 1_700;

export function truncatedList(lines: readonly string[]): string {
  let chars = 0;
  const fitting = lines.filter((line) => (chars += line.length + 1) <= LIST_CHARS);
  const more = lines.length - fitting.length;
  return more === 0 ? fitting.join("\n") : [...fitting, `… and ${more} more: \`/jobs show <name>\``].join("\n");
}

export function jobOverview(
  job: JobRow,
  newestRuns: readonly OccurrenceRow[],
  now: number,
): Omit<JobOverview, "isTheirs"> {
  const { id, name, enabled: isEnabled } = job;
  const read = readSchedule(job);
  const runs = newestRuns.toReversed().map(({ success, durationMs }) => ({ success, durationMs }));
  const known = { id, name, isEnabled, isDone: isOver(job), runs, isFromFile: job.source === "file" };
  if (read.type === "refused") return { ...known, sentence: read.reason, nextAt: null };
  return { ...known, sentence: sentenceOf(read.schedule), nextAt: isEnabled ? nextDue(read.schedule, now) : null };
}

/** Maximum characters of a channel's name. */
const NAME_CHARS = 80;
/** Maximum characters shown of a prompt. */
const PROMPT_CHARS = 800;
/** Maximum characters shown of an occurrence's result. */
const WORDS_CHARS = 120;

export interface JobAccess {
  /** Whether the person may read the job's prompt and reports. */
  readonly mayRead: boolean;
}

/** The settings of a job's runs, each in a few words. */
export function jobSettings(settings: JobSettings): readonly string[] {
  return [...runSettings(settings), ...ruleSettings(settings)];
}

function runSettings({ agent, skill, model, mode, tools, timeoutMs, budgetUsd }: JobSettings): readonly string[] {
  return [
    ...(agent === null ? [] : [`agent ${agent}`]),
    ...(skill === null ? [] : [`skill ${skill}`]),
    ...(model === null ? [] : [model]),
    RIGHTS[mode],
    ...(tools.length === 0 ? [] : [`may use ${tools.join(", ")}`]),
    `takes at most ${shortSpan(timeoutMs)}`,
    ...(budgetUsd === null ? [] : [`costs at most ${dollars(budgetUsd)}`]),
  ];
}

const RIGHTS: Readonly<Record<JobSettings["mode"], string>> = {
  read: "only looks",
  write: "asks before it changes something",
  agi: "changes things without asking",
};

const OVERLAPS: Readonly<Record<JobSettings["overlap"], string>> = {
  skip: "skips a run while the previous one is still going",
  queue: "waits for the previous run",
  "cancel-previous": "stops the previous run",
};

function ruleSettings(settings: JobSettings): readonly string[] {
  const { catchUp, overlap, attempts, jitterMs, silentWhenUnchanged, pauseAfter } = settings;
  return [
    OVERLAPS[overlap],
    catchUp === "none" ? "doesn't catch up after downtime" : "catches up once after downtime",
    ...(attempts === 1 ? [] : [`tries up to ${attempts} times`]),
    ...(jitterMs === 0 ? [] : [`starts up to ${shortSpan(jitterMs)} later`]),
    ...(silentWhenUnchanged ? ["posts nothing if the report is unchanged"] : []),
    `pauses after ${pauseAfter} failures in a row`,
  ];
}

/** `5 min`, or seconds if it is not whole minutes. */
function shortSpan(ms: number): string {
  return ms % 60_000 === 0 ? `${ms / 60_000} min` : `${ms / 1_000} s`;
}

const NOT_THEIRS = "Its prompt and reports are visible only in its channel, which is private.";

/** A job's channel by name, or by id if the name is unknown or the person may not read it. */
export async function channelLabel({ thread }: JobSettings, store: Store, { mayRead }: JobAccess): Promise<string> {
  const key = channelKeyOf(thread);
  const name = mayRead ? (await store.usage.namesOf("channelId", [key])).get(key) : undefined;
  return name === undefined ? `in channel \`${thread.channelId}\`` : escapeMarkdown(plainLine(name, NAME_CHARS));
}

/** A job's prompt and settings, on several lines. `channel`: its label. */
export function jobDetails(settings: JobSettings, channel: string, { mayRead }: JobAccess): string {
  const { ownerName, prompt } = settings;
  const quoted = cut(prompt, PROMPT_CHARS)
    .split("\n")
    .map((line) => `> ${line}`);
  return [
    `Of @${ownerName} · ${channel} · ${runSettings(settings).join(" · ")}`,
    ruleSettings(settings).join(" · "),
    ...(mayRead ? quoted : [NOT_THEIRS]),
  ].join("\n");
}

const SIGNS: Readonly<Record<OccurrenceRow["status"], string>> = {
  waiting: "⏳ waiting",
  running: "⏳ running",
  retrying: "⏳ will retry",
  succeeded: "✓ done",
  failed: "✗ failed",
  timed_out: "✗ timed out",
  cancelled: "⏹ stopped",
  skipped: "⚠ skipped",
  missed: "⚠ missed",
};

/** The newest occurrences, newest first, with everything in the log. */
export function jobLogs(job: JobRow, occurrences: readonly OccurrenceRow[], { mayRead }: JobAccess): string {
  if (occurrences.length === 0) return `**${job.name}** has not been due yet.`;
  const strip = historyStrip(occurrences.filter(hasRun).toReversed());
  const lines = occurrences.map((each) => jobLogLine(each, { timezone: job.timezone, mayRead }));
  return [
    `**${job.name}**, newest first:${strip === "" ? "" : ` ${strip}`}`,
    ...lines.map(({ outcome, due, words, id, sessionId }) => {
      const ids = sessionId === null ? `\`${id}\`` : `\`${id}\` \`${sessionId}\``;
      return `- ${[outcome, due, words, ids].filter((part) => part !== "").join(" · ")}`;
    }),
    ...(mayRead ? [] : [NOT_THEIRS]),
  ].join("\n");
}

/** Excludes open occurrences, which may already have a duration. */
function hasRun({ status, durationMs }: OccurrenceRow): boolean {
  return durationMs !== null && !OPEN_OCCURRENCES.includes(status);
}

/** A line of the log as data. */
export function jobLogLine(
  { id, scheduledFor, executedAt, status, attempt, durationMs, costUsd, sessionId, ...texts }: OccurrenceRow,
  { timezone, mayRead }: JobAccess & { readonly timezone: string },
): JobLogLine {
  const line = mayRead ? (texts.message ?? texts.error ?? "") : "";
  const words = line.replaceAll(/\s+/gu, " ");
  const parts = [
    ...(executedAt === null || executedAt - scheduledFor < 1_000 ? [] : [`ran ${timeIn(executedAt, timezone)}`]),
    ...(attempt > 1 ? [`attempt ${attempt}`] : []),
    ...(durationMs === null ? [] : [`${(durationMs / 1_000).toFixed(1)} s`]),
    ...(costUsd === null || costUsd === 0 ? [] : [dollars(costUsd)]),
    ...(words === "" ? [] : [cut(words, WORDS_CHARS)]),
  ];
  return { id, outcome: SIGNS[status], due: timeIn(scheduledFor, timezone), words: parts.join(" · "), sessionId };
}
