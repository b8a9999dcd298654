import { raiseLimitHint, stoppedAtLimit } from "../../core/budget/budget-text.ts";
import type { JobEvent } from "../../core/events/job-event.ts";
import type { Button, OutgoingMessage } from "../../core/platform/outgoing.ts";
import { assertNever } from "../../core/protocol/assert-never.ts";
import { causeText } from "../../core/protocol/cancel-cause.ts";
import { TRANSIENT_ERRORS } from "../../core/protocol/error-groups.ts";
import type { AppError, ErrorCode } from "../../core/protocol/errors.ts";
import type { BudgetExceeded, QueryOutcome, RunStats } from "../../core/protocol/events.ts";
import { reasonOf } from "../../core/protocol/explain.ts";
import { type Message, textOf } from "../../core/protocol/messages.ts";
import { lineText, type Shown, type ShownEnd } from "../../core/protocol/shown.ts";
import { dollars } from "../../core/text/dollars.ts";
import { duration } from "../../core/text/duration.ts";
import { escapeMarkdown, plainLine } from "../../core/text/plain-text.ts";
import { count } from "./progress/figures.ts";
import { taskLines } from "./progress/task-lines.ts";

/** The final message of a run, as Markdown. */
export interface Ending {
  readonly markdown: string;
  readonly footer?: string;
  readonly tone: OutgoingMessage["tone"];
  /** Buttons below the last part of the message. */
  readonly buttons?: readonly Button[];
  readonly shows?: Shown;
}

/** How a run ended, as data. */
export interface RunEnd {
  /** The agent's answer, as Markdown; empty if it wrote none. */
  readonly answer: string;
  /** Why the run ended there, in whole sentences; null if the answer needs no explanation. */
  readonly reason: { readonly kind: ReasonKind; readonly text: string } | null;
}

type ReasonKind = "failed" | "stopped" | "cut";

const REASON_SIGNS: Readonly<Record<ReasonKind, string>> = { failed: "✗", stopped: "⏹", cut: "⚠" };

/** The people who read how a run ended, and can act on it. */
interface Reader {
  readonly isDirect: boolean;
  /** The job that the run belongs to, whose own budget and model can be changed. */
  readonly job?: Pick<JobEvent, "budgetUsd">;
}

export function runEnd(outcome: QueryOutcome, stats: RunStats, reader: Reader): RunEnd {
  switch (outcome.type) {
    case "end_turn": {
      const answer = answerOf(outcome.message);
      const wordless = { kind: "cut", text: "The model ended without an answer. Ask again, or rephrase it." } as const;
      return { answer, reason: answer === "" ? wordless : null };
    }
    case "cancelled":
      return { answer: "", reason: { kind: "stopped", text: stoppedBy(causeText(outcome.cause), stats) } };
    case "budget_exceeded": {
      const stopped = `${stoppedAtLimit(outcome)}${changed(stats)} ${raise(outcome, reader)}`;
      const text = [stopped, ...taskLines(stats.tasks ?? []).map(lineText)].join("\n");
      return { answer: answerOf(outcome.partial), reason: { kind: "failed", text } };
    }
    case "max_turns": {
      const text = `Stopped after ${count(outcome.turns, "turn")} without an end.${changed(stats)}`;
      return { answer: answerOf(outcome.partial), reason: { kind: "failed", text } };
    }
    case "max_tokens": {
      const text =
        "The answer was longer than the model may write in one go, four times in a row. This is what there is.";
      return { answer: answerOf(outcome.partial), reason: { kind: "cut", text } };
    }
    case "error": {
      const why = `${reasonOf(outcome.error, reader)}${changed(stats) || unchanged(outcome.error)}`;
      const ownModel = reader.job !== undefined && NO_MODEL.has(outcome.error.code) ? ` ${OWN_MODEL}` : "";
      return { answer: "", reason: { kind: "failed", text: `${why}${ownModel}` } };
    }
    default:
      return assertNever(outcome);
  }
}

const NO_MODEL: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["unknown_model", "unknown_provider"]);
const OWN_MODEL = "Use `/jobs edit` with `--model` to choose another one.";
const OWN_BUDGET = "This is the job's own budget; `/jobs edit` with `--budget` raises it.";

function raise(exceeded: BudgetExceeded, { job }: Reader): string {
  const isOwn = exceeded.scope === "job" && "limitUsd" in exceeded && exceeded.limitUsd === job?.budgetUsd;
  return isOwn ? OWN_BUDGET : raiseLimitHint(exceeded);
}

function answerOf(message: Message | undefined): string {
  return message === undefined ? "" : textOf(message.content).trim();
}

/** The state shown for each kind of ending. A partial answer counts as an answer. */
const REASON_ENDS: Readonly<Record<ReasonKind, ShownEnd>> = { failed: "failed", stopped: "stopped", cut: "done" };

/** Puts the reason below a partial answer, or shows it alone if there is none. */
export function endingOf({ answer, reason }: RunEnd): Ending {
  const state = reason === null ? "done" : REASON_ENDS[reason.kind];
  const shows = { type: "answer", state } as const;
  if (reason === null) return { markdown: answer, tone: "plain", shows };
  const why = `${REASON_SIGNS[reason.kind]} ${reason.text}`;
  if (answer !== "") return { markdown: answer, footer: why, tone: "plain", shows };
  // A stopped run usually has no other message that says so.
  const end = { type: "end", state, head: reason.text, isFigures: false } as const;
  return {
    markdown: why,
    tone: reason.kind === "failed" ? "error" : "plain",
    shows: reason.kind === "stopped" ? end : shows,
  };
}

/** The buttons that let people act on how a run ended. */
export function endingButtons(outcome: QueryOutcome, runId: string): readonly Button[] {
  switch (outcome.type) {
    case "max_turns":
    case "max_tokens":
      return [{ id: `continue:${runId}`, label: "Continue", style: "primary" }];
    case "budget_exceeded":
      return [detailsButton(runId)];
    case "error":
      return TRANSIENT_ERRORS.has(outcome.error.code)
        ? [{ id: `retry:${runId}`, label: "Try again", style: "primary" }]
        : [];
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

/** The line that the live message becomes at the end: `✓ 3 turns · 2 tools · 6 s · $0.004`. */
export function foldLine(outcome: QueryOutcome, stats: RunStats): FoldLine {
  if (outcome.type === "cancelled") {
    return { state: "stopped", sign: REASON_SIGNS.stopped, text: stoppedBy(causeText(outcome.cause), stats) };
  }
  const parts = [
    // A command that a person typed themselves has no turn.
    ...(stats.turns > 0 || stats.tools === 0 ? [count(stats.turns, "turn")] : []),
    ...(stats.tools > 0 ? [count(stats.tools, "tool")] : []),
    duration(stats.durationMs),
    ...(stats.costUsd === null || stats.costUsd === 0 ? [] : [dollars(stats.costUsd)]),
    ...(stats.notes ?? []),
  ];
  return { ...FOLDS[outcome.type], text: parts.join(" · ") };
}

interface FoldLine {
  readonly state: ShownEnd;
  readonly sign: string;
  readonly text: string;
}

const FAILED = { state: "failed", sign: REASON_SIGNS.failed } as const;

const FOLDS: Readonly<Record<Exclude<QueryOutcome["type"], "cancelled">, Omit<FoldLine, "text">>> = {
  end_turn: { state: "done", sign: "✓" },
  max_tokens: { state: "done", sign: REASON_SIGNS.cut },
  budget_exceeded: FAILED,
  max_turns: FAILED,
  error: FAILED,
};

function stoppedBy(by: string, stats: RunStats): string {
  const after = stats.tools > 0 ? ` after ${count(stats.tools, "tool")}` : "";
  return `Stopped by ${plainLine(by, 80)}${after}.${changed(stats) || " Nothing was changed."}`;
}

/** Stated only if the wait was long enough for people to wonder. */
function unchanged({ detail }: AppError): string {
  return detail.bothForS === undefined ? "" : " Nothing was changed.";
}

/** Maximum number of files that are named one by one. */
const NAMED_FILES = 3;

/** What a run that did not end well had already changed, or may have changed. Always stated. */
function changed({ changedFiles, mayHaveChanged = [] }: RunStats): string {
  const files = changedFiles.length === 1 ? "was" : "were";
  return [
    ...(changedFiles.length === 0 ? [] : [` ${listed(changedFiles)} ${files} already changed.`]),
    ...(mayHaveChanged.length === 0 ? [] : [` ${listed(mayHaveChanged)} may have changed something.`]),
  ].join("");
}

function listed(names: readonly string[]): string {
  const named = names.slice(0, NAMED_FILES).map((name) => escapeMarkdown(plainLine(name, 80)));
  const more = names.length - named.length;
  const list = [...named, ...(more > 0 ? [`${more} more`] : [])];
  return list.length === 1 ? list.join("") : `${list.slice(0, -1).join(", ")} and ${list.at(-1) ?? ""}`;
}
