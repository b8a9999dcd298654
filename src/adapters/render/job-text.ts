import { historyStrip } from "../../core/jobs/history-strip.ts";
import type { JobFacts, JobRunEnd } from "../../core/jobs/job-report.ts";
import { dollars } from "../../core/text/dollars.ts";
import { duration } from "../../core/text/duration.ts";
import { count } from "./progress/figures.ts";

/** `**Daily report** · every weekday at 09:00 Europe/Paris`, followed by the reason if the run is late. */
export function jobHead({ name, sentence, late }: JobFacts): string {
  const head = sentence === null ? `**${name}**` : `**${name}** · ${sentence}`;
  return late === null ? head : `${head}\n(due ${late.due}, ran ${late.ran}: ${late.why})`;
}

/** `✓ 12 s · $0.021 · ▁▂▂✗▂▂▂` */
export function jobFooter(facts: JobFacts, end: JobRunEnd): string {
  const sign = end.verdict === "succeeded" ? "✓" : "⚠";
  const parts = [
    duration(end.durationMs),
    ...(end.costUsd === null || end.costUsd === 0 ? [] : [dollars(end.costUsd)]),
  ];
  const strip = historyStrip([...facts.history, { success: end.verdict === "succeeded", durationMs: end.durationMs }]);
  const leftOut = facts.leftOut === 0 ? [] : [`${count(facts.leftOut, "due time")} skipped before`];
  return [`${sign} ${parts.join(" · ")}`, strip, ...leftOut, ...afterwards(facts, end)].join(" · ");
}

const VERDICT_SIGNS: Readonly<Record<JobRunEnd["verdict"], string>> = {
  succeeded: "✓",
  failed: "✗",
  timed_out: "✗",
  cancelled: "⏹",
};

/** The reason why there is no report, on its own. */
export function reasonLine({ verdict, text }: JobRunEnd): string {
  return `${VERDICT_SIGNS[verdict]} ${text}`;
}

/** Posted instead of a report: the reason why there is none, and what happens next. */
export function jobLine(facts: JobFacts, end: JobRunEnd): string {
  const { name, late } = facts;
  const due = late === null ? "" : ` (due ${late.due}, ran ${late.ran}: ${late.why})`;
  const line = `${VERDICT_SIGNS[end.verdict]} **${name}**${due} · ${reasonWithin(end)}`;
  return [line, ...afterwards(facts, end)].join("\n");
}

/** The reason in a form that can follow the job's name within a sentence. */
function reasonWithin({ verdict, text }: JobRunEnd): string {
  if (verdict === "failed" || verdict === "succeeded") return text;
  const within = text.charAt(0).toLowerCase() + text.slice(1);
  return verdict === "timed_out" ? `timed out, ${within}` : within;
}

/** What happens next after a run that did not succeed. */
function afterwards({ nextTry, pausesAfter }: JobFacts, { verdict, refusal }: JobRunEnd): string[] {
  if (verdict === "succeeded") return [];
  if (refusal !== null) return ["⏸ Paused; once that is fixed, `/jobs enable` resumes it."];
  if (pausesAfter !== null)
    return [
      `⏸ Paused after ${count(pausesAfter, "failure")} in a row. Run now tries it again; \`/jobs enable\` resumes it.`,
    ];
  return nextTry === null ? [] : [`Next try ${nextTry}.`];
}
