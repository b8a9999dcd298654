import { howToRaise, stoppedAtLimit } from "../../core/budget/budget-words.ts";
import { assertNever } from "../../core/protocol/assert-never.ts";
import { causeText } from "../../core/protocol/cancel-cause.ts";
import type { AppError } from "../../core/protocol/errors.ts";
import type { QueryOutcome, RunStats } from "../../core/protocol/events.ts";
import { explain } from "../../core/protocol/explain.ts";
import { PASSING } from "../../core/protocol/failure-kinds.ts";
import { type Message, textOf } from "../../core/protocol/messages.ts";
import type { Button, OutgoingMessage } from "../../core/protocol/platform.ts";
import { dollars } from "../../core/text/dollars.ts";
import { plainLine } from "../../core/text/plain-text.ts";
import { count, duration } from "./progress/figures.ts";
import { taskLines } from "./progress/task-lines.ts";

/** What ends a run in the thread, as Markdown. */
export interface Ending {
  readonly markdown: string;
  readonly footer?: string;
  readonly tone: OutgoingMessage["tone"];
  /** Below its last message. */
  readonly buttons?: readonly Button[];
}

/** `where`: how it is read. */
export function endingOf(outcome: QueryOutcome, stats: RunStats, where: { readonly isDirect: boolean }): Ending {
  switch (outcome.type) {
    case "end_turn": {
      const answer = textOf(outcome.message.content).trim();
      if (answer !== "") return { markdown: answer, tone: "plain" };
      return { markdown: "⚠ The model ended without a word. Ask again, or in other words.", tone: "plain" };
    }
    case "cancelled":
      return { markdown: stoppedLine(causeText(outcome.cause), stats), tone: "plain" };
    case "budget_exceeded": {
      const stopped = [
        `${stoppedAtLimit(outcome)}${changed(stats)} ${howToRaise(outcome)}`,
        ...taskLines(stats.tasks ?? []),
      ].join("\n");
      return unfinished(stopped, { tone: "error", partial: outcome.partial });
    }
    case "max_turns": {
      const stopped = `✗ Stopped after ${count(outcome.turns, "turn")} without an end.${changed(stats)}`;
      return unfinished(stopped, { tone: "error", partial: outcome.partial });
    }
    case "max_tokens": {
      const cut =
        "⚠ The answer was longer than the model may write in one go, four times in a row. This is what there is.";
      return unfinished(cut, { tone: "plain", partial: outcome.partial });
    }
    case "error": {
      const why = explain(outcome.error, where);
      return { markdown: `${why}${changed(stats) || unchanged(outcome.error)}`, tone: "error" };
    }
    default:
      return assertNever(outcome);
  }
}

/** Why the answer ends here, below as much of it as there is. */
function unfinished(why: string, { tone, partial }: Pick<Ending, "tone"> & { partial: Message | undefined }): Ending {
  const answer = partial === undefined ? "" : textOf(partial.content).trim();
  return answer === "" ? { markdown: why, tone } : { markdown: answer, footer: why, tone: "plain" };
}

/** What people can do about how a run has ended. */
export function endingButtons(outcome: QueryOutcome, runId: string): readonly Button[] {
  switch (outcome.type) {
    case "max_turns":
    case "max_tokens":
      return [{ id: `continue:${runId}`, label: "Continue", style: "primary" }];
    case "budget_exceeded":
      return [detailsButton(runId)];
    case "error":
      return PASSING.has(outcome.error.code) ? [{ id: `retry:${runId}`, label: "Try again", style: "primary" }] : [];
    case "end_turn":
    case "cancelled":
      return [];
    default:
      return assertNever(outcome);
  }
}

export function detailsButton(runId: string): Button {
  return { id: `details:${runId}`, label: "Details", style: "default" };
}

/** The one line that the live message becomes: `✓ 3 turns · 2 tools · 6 s · $0.004`. */
export function foldLine(outcome: QueryOutcome, stats: RunStats): string {
  if (outcome.type === "cancelled") return stoppedLine(causeText(outcome.cause), stats);
  const parts = [
    // A person's own command has no turn.
    ...(stats.turns > 0 || stats.tools === 0 ? [count(stats.turns, "turn")] : []),
    ...(stats.tools > 0 ? [count(stats.tools, "tool")] : []),
    duration(stats.durationMs),
    ...(stats.costUsd === null || stats.costUsd === 0 ? [] : [dollars(stats.costUsd)]),
  ];
  return `${FOLD_SIGNS[outcome.type]} ${parts.join(" · ")}`;
}

const FOLD_SIGNS: Readonly<Record<Exclude<QueryOutcome["type"], "cancelled">, string>> = {
  end_turn: "✓",
  max_tokens: "⚠",
  budget_exceeded: "✗",
  max_turns: "✗",
  error: "✗",
};

function stoppedLine(by: string, stats: RunStats): string {
  const after = stats.tools > 0 ? ` after ${count(stats.tools, "tool")}` : "";
  return `⏹ Stopped by ${plainLine(by, 80)}${after}.${changed(stats) || " Nothing was changed."}`;
}

/** Said where the wait was long enough for people to wonder. */
function unchanged({ detail }: AppError): string {
  return detail.bothForS === undefined ? "" : " Nothing was changed.";
}

/** Named one by one up to this many. */
const NAMED_FILES = 3;

/** Always said of a run that does not end well: what it had already done, or may have. */
function changed({ changedFiles, mayHaveChanged = [] }: RunStats): string {
  const files = changedFiles.length === 1 ? "was" : "were";
  return [
    ...(changedFiles.length === 0 ? [] : [` ${listed(changedFiles)} ${files} already changed.`]),
    ...(mayHaveChanged.length === 0 ? [] : [` ${listed(mayHaveChanged)} may have changed something.`]),
  ].join("");
}

function listed(names: readonly string[]): string {
  const named = names.slice(0, NAMED_FILES).map((name) => plainLine(name, 80));
  const more = names.length - named.length;
  const list = [...named, ...(more > 0 ? [`${more} more`] : [])];
  return list.length === 1 ? list.join("") : `${list.slice(0, -1).join(", ")} and ${list.at(-1) ?? ""}`;
}
