import type { Button, OutgoingMessage } from "../platform/outgoing.ts";
import { assertNever } from "../protocol/assert-never.ts";
import { checklist, type PlanStep } from "../protocol/plan.ts";
import type { Shown } from "../protocol/shown.ts";
import type { QuestionRow } from "../store/run/questions.ts";
import { codeBlock, plainLine, visibleText } from "../text/plain-text.ts";

/** Maximum length of a button's label, in characters. Source: Slack docs, Button element (75); Discord allows 80. */
const LABEL_CHARS = 75;
/** Maximum length of a line that remains after the answer, in characters. */
const LINE_CHARS = 300;
/** Room in a message for the lines around a plan, in characters. */
const FRAME_CHARS = 500;

/** The key of a question's card among the tool posts of its run. */
export function cardKey({ id, runId }: Pick<QuestionRow, "id" | "runId">): string {
  return `question:${id.slice(runId.length + 1)}`;
}

/**
 * The card of an open question or plan. `deciders` reads like `@ana or an approver`. `maxChars` is the limit of a
 * message. `missing` says why the rest of a long card is missing, if files are forbidden.
 */
export function openCard(
  { id, body }: Pick<QuestionRow, "id" | "body">,
  { deciders, ...room }: { readonly deciders: string } & Room,
): OutgoingMessage {
  switch (body.kind) {
    case "question": {
      const hint = body.options.length === 0 ? "Reply here to answer" : "Or just reply here";
      const notes = [hint, ...(soundsLikeApproval(body) ? [ALLOWS_NOTHING] : []), `waiting for ${deciders}`];
      const question = quoted(body.question);
      const text = `⏸ ${HEADS.question}\n${question}`;
      const asked = card(text, optionButtons(id, body.options), {
        footer: notes.join(" · "),
        shows: shown(body, question),
      });
      return withRestInFile(asked, "question.md", room);
    }
    case "plan": {
      const text = [`⏸ ${HEADS.plan}`, body.intro === "" ? "" : quoted(body.intro), checklist(plain(body.steps))]
        .filter((part) => part !== "")
        .join("\n\n");
      const footer = `${NOTHING_YET} · waiting for ${deciders}`;
      return withRestInFile(card(text, planButtons(id), { footer, shows: shown(body) }), "plan.md", room);
    }
    default:
      return assertNever(body);
  }
}

/**
 * Fallback for a platform that rejects the card: the same text in a code block, without formatting. Options have to be
 * typed.
 */
export function plainCard(
  { id, body }: Pick<QuestionRow, "id" | "body">,
  { deciders, maxChars }: { readonly deciders: string; readonly maxChars: number },
): OutgoingMessage {
  const isQuestion = body.kind === "question";
  const lines = isQuestion
    ? [body.question, ...body.options.map((option) => `- ${option}`)]
    : [body.intro, "", checklist(body.steps)];
  const text = codeBlock(fitted(unsigned(visibleText(lines.join("\n").trim())), maxChars - FRAME_CHARS), "");
  const hint = isQuestion ? `Reply here to answer · ${ALLOWS_NOTHING}` : NOTHING_YET;
  const footer = `${hint} · waiting for ${deciders}`;
  return card(`⏸ ${HEADS[body.kind]}\n${text}`, isQuestion ? [] : planButtons(id), { footer, shows: shown(body) });
}

const HEADS = { question: "**Question from the agent**", plan: "**The plan**" } as const;

/** `asks` is the question as shown on the card. Its first line suffices to identify it. */
function shown({ kind }: Pick<QuestionRow["body"], "kind">, asks?: string): Shown {
  const head = HEADS[kind];
  return { type: "card", card: kind, head, asks: asks?.split("\n", 1).join("") ?? head };
}

const NOTHING_YET = "Nothing changes until this is decided";
/** Shown with questions that could be mistaken for an approval. */
const ALLOWS_NOTHING = "an answer doesn't allow any tool call";
const OF_APPROVALS = /\b(?:allow|approv|deny|permi)/iu;

function soundsLikeApproval({ question, options }: { question: string; options: readonly string[] }): boolean {
  return [question, ...options].some((text) => OF_APPROVALS.test(text));
}

/**
 * Quotes the model's words line by line and removes the sign that the bot's own heads begin with, so they cannot pass
 * for one of its cards.
 */
function quoted(text: string): string {
  const lines = unsigned(visibleText(text)).split("\n");
  return lines.map((line) => `> ${line}`.trimEnd()).join("\n");
}

/** Reduces each step to one line, without the sign of the bot's heads. */
function plain(steps: readonly PlanStep[]): PlanStep[] {
  return steps.map((step) => ({ ...step, text: plainLine(unsigned(step.text), LINE_CHARS) }));
}

function unsigned(text: string): string {
  return text.replaceAll(/⏸\ufe0f? ?/gu, "");
}

/** An option that resembles an approval's button is marked as an answer. */
function optionLabel(option: string): string {
  return plainLine(OF_APPROVALS.test(option) ? `Answer: ${option}` : option, LABEL_CHARS);
}

function optionButtons(id: string, options: readonly string[]): Button[] {
  return options.map((option, index) => ({
    id: `answer:${index}:${id}`,
    label: optionLabel(option),
    style: "default",
  }));
}

function planButtons(id: string): Button[] {
  return [
    { id: `answer:go:${id}`, label: "Go ahead", style: "primary" },
    { id: `answer:change:${id}`, label: "Change it", style: "default" },
    { id: `answer:drop:${id}`, label: "Drop it", style: "danger" },
  ];
}

interface Room {
  readonly maxChars: number;
  readonly missing?: string;
}

/** Shortens a card that does not fit in a message, and attaches the whole of it as a file unless files are missing. */
function withRestInFile(asked: OutgoingMessage, name: string, { maxChars, missing }: Room): OutgoingMessage {
  const { markdown, footer = "" } = asked;
  const room = maxChars - footer.length;
  if (markdown.length <= room) return asked;
  if (missing !== undefined)
    return { ...asked, markdown: `${fitted(markdown, room - missing.length - 2)}\n\n${missing}` };
  const file = { name, mediaType: "text/markdown", data: new TextEncoder().encode(markdown) };
  return { ...asked, markdown: fitted(markdown, room), files: [file] };
}

/** Shortens a text to `maxChars`, at the end of a line if one is near, and marks the cut. */
function fitted(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const end = text.lastIndexOf("\n", maxChars - 2);
  const shown = text.slice(0, end > maxChars / 2 ? end : maxChars - 2);
  return `${shown.toWellFormed().trimEnd()}\n…`;
}

/**
 * What remains of the card: the question, and either the answer with its author or a note that none is needed. `by` is
 * the display name of the person who stopped the run, null if nobody did or it is unknown. `maxChars` is the limit of
 * an edit.
 */
export function closedCard(
  row: QuestionRow,
  { maxChars, by }: { readonly by: string | null; readonly maxChars: number },
): OutgoingMessage {
  const { body, status } = row;
  const isAnswered = status === "answered";
  const ended = by === null ? "An answer is no longer needed." : `Stopped by ${by}.`;
  const outcome = isAnswered ? answerLine(row) : `⏹ ${ended}`;
  if (body.kind === "question")
    return card(`Question: ${plainLine(unsigned(body.question), LINE_CHARS)}\n${outcome}`, []);
  if (!isAnswered) return card(`**The plan**\n${outcome}`, []);
  const plan = fitted(`**The plan**\n\n${checklist(plain(body.steps))}`, maxChars - FRAME_CHARS);
  return card(`${plan}\n\n${outcome}`, []);
}

/** `✓ 8080 — @ana` */
export function answerLine({ answer, answeredBy, body }: QuestionRow): string {
  const by = answeredBy === null ? "" : ` — @${plainLine(answeredBy.name, LINE_CHARS)}`;
  if (answer === null) return `✓ Answered${by}`;
  if (body.kind === "question") return `✓ ${plainLine(answer.text, LINE_CHARS)}${by}`;
  switch (answer.choice) {
    case "go":
      return `✓ Accepted${by}`;
    case "drop":
      return `✗ Dropped${by}`;
    default:
      return `✎ Change requested: ${plainLine(answer.text, LINE_CHARS)}${by}`;
  }
}

/** A card. `open` holds the parts that only an open card has. */
function card(
  markdown: string,
  buttons: readonly Button[],
  open: Pick<OutgoingMessage, "footer" | "shows"> = {},
): OutgoingMessage {
  return { lane: "approval", markdown, ...open, tone: "plain", buttons, files: [] };
}
