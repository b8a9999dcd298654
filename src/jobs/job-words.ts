import { historyStrip } from "../core/jobs/history-strip.ts";
import type { JobOverview } from "../core/jobs/job-control.ts";
import type { OccurrenceRow } from "../core/store/job-occurrences.ts";
import type { JobRow, JobSettings } from "../core/store/jobs.ts";
import { nextDue, readSchedule } from "./schedule.ts";
import { sentenceOf, timeIn } from "./sentence.ts";

/** One line of a list: `⏳ **Daily report** · every weekday at 09:00 Europe/Paris · next Mon 23 Nov 2026 09:00 · ▁▂▂✗`. */
export function jobSummary(job: JobRow, newestRuns: readonly OccurrenceRow[], now: number): string {
  const read = readSchedule(job);
  if (read.type === "refused") return `✗ **${job.name}** · ${read.reason}`;
  const due = job.enabled ? nextDue(read.schedule, now) : null;
  const parts = [
    `${job.enabled ? "✓" : "⏸"} **${job.name}** · ${sentenceOf(read.schedule)}`,
    ...(due === null ? [] : [`next ${timeIn(due, job.timezone)}`]),
    ...(job.enabled ? [] : [`paused${job.pausedBecause === null ? "" : `: ${job.pausedBecause}`}`]),
    ...(newestRuns.length === 0 ? [] : [historyStrip(newestRuns.toReversed())]),
    ...(job.source === "file" ? ["from the file of jobs"] : []),
    `\`${job.id}\``,
  ];
  return parts.join(" · ");
}

/** The same as data. */
export function jobOverview(job: JobRow, newestRuns: readonly OccurrenceRow[], now: number): JobOverview {
  const { id, name, enabled: isEnabled } = job;
  const read = readSchedule(job);
  const runs = newestRuns.toReversed().map(({ success, durationMs }) => ({ success, durationMs }));
  if (read.type === "refused") return { id, name, isEnabled, runs, sentence: read.reason, nextAt: null };
  const nextAt = isEnabled ? nextDue(read.schedule, now) : null;
  return { id, name, isEnabled, runs, sentence: sentenceOf(read.schedule), nextAt };
}

/** Of a prompt that is shown. Characters. */
const PROMPT_CHARS = 800;

/** What it does and how, over several lines. */
export function jobDetails(settings: JobSettings): string {
  const { thread, ownerName, agent, skill, model, mode, tools, timeoutMs, budgetUsd, prompt } = settings;
  const rights = tools.length === 0 ? `mode ${mode}` : `mode ${mode}, and ${tools.join(", ")}`;
  const runs = [
    ...(agent === null ? [] : [`agent ${agent}`]),
    ...(skill === null ? [] : [`skill ${skill}`]),
    ...(model === null ? [] : [model]),
    rights,
    `at most ${timeoutMs / 1_000} s`,
    ...(budgetUsd === null ? [] : [`at most $${budgetUsd}`]),
  ];
  const rules = [
    `catch-up ${settings.catchUp}`,
    `overlap ${settings.overlap}`,
    `${settings.attempts} attempts`,
    ...(settings.jitterMs === 0 ? [] : [`jitter ${settings.jitterMs / 1_000} s`]),
    ...(settings.silentWhenUnchanged ? ["silent when unchanged"] : []),
    `pauses after ${settings.pauseAfter} failures`,
  ];
  const shown = prompt.length <= PROMPT_CHARS ? prompt : `${prompt.slice(0, PROMPT_CHARS).toWellFormed()}…`;
  const quoted = shown.split("\n").map((line) => `> ${line}`);
  return [
    `Of @${ownerName}, in channel \`${thread.channelId}\` · ${runs.join(" · ")}`,
    rules.join(" · "),
    ...quoted,
  ].join("\n");
}

const SIGNS: Readonly<Record<OccurrenceRow["status"], string>> = {
  waiting: "⏳ waiting",
  running: "⏳ running",
  retrying: "⏳ tries again",
  succeeded: "✓",
  failed: "✗ failed",
  timed_out: "✗ timed out",
  cancelled: "⏹ stopped",
  skipped: "⚠ skipped",
  missed: "⚠ missed",
};

/** The newest occurrences, newest first, with all that the log knows of each. */
export function jobLogs(job: JobRow, occurrences: readonly OccurrenceRow[]): string {
  if (occurrences.length === 0) return `**${job.name}** has not been due yet.`;
  return [`**${job.name}**, newest first:`, ...occurrences.map((each) => logLine(each, job.timezone))].join("\n");
}

function logLine(occurrence: OccurrenceRow, timezone: string): string {
  const { id, scheduledFor, executedAt, status, attempt, durationMs, costUsd, sessionId } = occurrence;
  const said = (occurrence.message ?? occurrence.error ?? "").replaceAll(/\s+/gu, " ");
  const parts = [
    `${SIGNS[status]} ${timeIn(scheduledFor, timezone)}`,
    ...(executedAt === null || executedAt - scheduledFor < 1_000 ? [] : [`ran ${timeIn(executedAt, timezone)}`]),
    ...(attempt > 1 ? [`attempt ${attempt}`] : []),
    ...(durationMs === null ? [] : [`${(durationMs / 1_000).toFixed(1)} s`]),
    ...(costUsd === null || costUsd === 0 ? [] : [`$${costUsd.toFixed(3)}`]),
    ...(said === "" ? [] : [said.length > 120 ? `${said.slice(0, 119)}…` : said]),
    `\`${id}\`${sessionId === null ? "" : ` \`${sessionId}\``}`,
  ];
  return `- ${parts.join(" · ")}`;
}
