import { historyStrip } from "../../core/jobs/history-strip.ts";
import type { JobFacts, JobRunEnd } from "../../core/jobs/job-runs.ts";
import { dollars } from "../../core/text/dollars.ts";
import { count, duration } from "./progress/figures.ts";

/** `**Daily report** · every weekday at 09:00 Europe/Paris`, and why it comes late. */
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
  const leftOut = facts.leftOut === 0 ? [] : [`${count(facts.leftOut, "due time")} left out before`];
  return [`${sign} ${parts.join(" · ")}`, strip, ...leftOut, ...afterwards(facts, end)].join(" · ");
}

/** What is said where there is no report: the reason, and what comes next. */
export function jobLine(facts: JobFacts, end: JobRunEnd): string {
  const { name, late } = facts;
  const reason = end.text.replace(/^[✗⚠⏹] /u, "");
  const due = late === null ? "" : ` (due ${late.due}, ran ${late.ran}: ${late.why})`;
  const line =
    end.verdict === "cancelled"
      ? `⏹ **${name}**${due} · ${uncapitalised(reason)}`
      : `✗ **${name}**${due} · ${end.verdict === "timed_out" ? `timed out, ${uncapitalised(reason)}` : reason}`;
  return [line, ...afterwards(facts, end)].join("\n");
}

function uncapitalised(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

/** What comes after a run that did not end well. */
function afterwards({ nextTry, pausesAfter }: JobFacts, { verdict, refusal }: JobRunEnd): string[] {
  if (verdict === "succeeded") return [];
  if (refusal !== null) return ["⏸ Paused; once that is mended, `/jobs enable` goes on."];
  if (pausesAfter !== null)
    return [`⏸ Paused after ${count(pausesAfter, "failure")} in a row; Run now tries it, \`/jobs enable\` goes on.`];
  return nextTry === null ? [] : [`Next try ${nextTry}.`];
}
