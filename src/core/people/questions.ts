import { type ApprovalRules, mayDecide } from "../permissions/deciders.ts";
import type { InboundAction, InboundMessage, Receipt } from "../platform/inbound.ts";
import type { Person } from "../platform/thread.ts";
import type { Answer, QuestionBody, QuestionRow } from "../store/run/questions.ts";
import type { SessionRow } from "../store/sessions.ts";
import type { Store, StoreTransaction } from "../store/store.ts";
import type { ToolThread } from "../tool.ts";
import {
  type Clickable,
  clickCard,
  type DecisionScope,
  isOpen,
  type Withdrawable,
  withdrawCards,
} from "./interaction.ts";
import { answerLine, cardKey, closedCard } from "./question-card.ts";
import { peopleOfRun } from "./run-people.ts";

/**
 * Takes a message as the answer to the session's open question, if it is from the asked person and has words or files.
 * Closes the question and wakes the run in one transaction. Returns false if the message should be handled as an
 * ordinary one.
 */
export async function answerByMessage(
  message: InboundMessage,
  session: SessionRow,
  options: DecisionScope & {
    /** Delivers the message itself to the session as an ordinary one. */
    readonly deliver: () => Promise<unknown>;
  },
): Promise<boolean> {
  const row = await options.store.questions.openIn(session.id);
  if (row === null || !isAnswer(message, row)) return false;
  const hasFiles = message.attachments.length > 0;
  // Files are delivered with their own message, before the model reads the answer.
  if (hasFiles) await options.deliver();
  const key = hasFiles ? `answer:${row.id}` : message.key;
  const decide = deciding(row, { answer: answerIn(message, row.body), person: message.person }, options);
  const event = { key, body: { kind: "resume", of: "answer" } } as const;
  const outcome = await options.engine.deliver(row.sessionId, event, decide);
  return hasFiles || outcome !== "refused";
}

function isAnswer({ text, attachments, addressed, person }: InboundMessage, row: QuestionRow): boolean {
  if (addressed === "other") return false;
  if (text.trim() === "" && attachments.length === 0) return false;
  return row.askedOf === null || row.askedOf === person.id;
}

/** A reply with the text of a button counts as a click on it. */
function answerIn({ text, attachments }: InboundMessage, body: QuestionBody): Answer {
  const trimmed = text.trim();
  const plain = trimmed.toLowerCase().replace(/(?<![.!])[.!]+$/, "");
  if (body.kind === "plan") {
    if (plain === "go ahead") return { choice: "go", text: trimmed };
    if (plain === "drop it") return { choice: "drop", text: trimmed };
  } else {
    const choice = body.options.findIndex((option) => option.toLowerCase() === plain);
    if (choice !== -1) return { choice, text: body.options[choice] ?? trimmed };
  }
  const names = attachments.map(({ name }) => name).join(", ");
  return { choice: null, text: trimmed === "" ? `(attached: ${names})` : trimmed };
}

/** A click on a button of a question or a plan, `answer:<choice>:<question id>`. */
export function answerByClick(
  action: InboundAction,
  { choice, id }: { choice: string; id: string },
  options: DecisionScope,
): Promise<Receipt> {
  return clickCard(clickableQuestions(options), { action, choice, id }, options);
}

function clickableQuestions(options: DecisionScope): Clickable<QuestionRow> {
  return {
    of: "answer",
    rows: ({ questions }) => questions,
    choice(row, button, person) {
      const answer = clickedAnswer(button, row.body);
      if (answer === "change") return { decide: (tx) => askForChanges(tx, row, person), replyText: ASK_FOR_CHANGES };
      return answer && { decide: deciding(row, { answer, person }, options) };
    },
    async refusal(row, person) {
      if (!isOpen(row)) return closedText(row);
      const { requester } = await peopleOfRun(options.store, row.runId);
      const may = person.id === requester.id || mayAnswer(person, row, options.approvals);
      return may ? null : "Only the person I asked or an approver can answer this.";
    },
    decidedText: closedText,
  };
}

function mayAnswer(person: Person, { askedOf }: QuestionRow, approvals: ApprovalRules): boolean {
  return askedOf === null || person.id === askedOf || mayDecide(person, askedOf, approvals);
}

/** What a button stands for; null if the question has no such button. */
function clickedAnswer(choice: string, body: QuestionBody): Answer | "change" | null {
  if (body.kind === "plan") {
    if (choice === "change") return "change";
    if (choice === "go") return { choice, text: "Go ahead" };
    return choice === "drop" ? { choice, text: "Drop it" } : null;
  }
  const text = /^\d$/.test(choice) ? body.options[Number(choice)] : undefined;
  return text === undefined ? null : { choice: Number(choice), text };
}

const ASK_FOR_CHANGES = "Tell me what to change: your next message here goes into the plan.";

/**
 * Makes the question wait for a message that says what to change, from the person who clicked. That person need not
 * mention the agent.
 */
async function askForChanges(tx: StoreTransaction, row: QuestionRow, { id }: Person): Promise<boolean> {
  if (!(await tx.questions.askOf(row.id, id))) return false;
  const { task } = await tx.sessions.get(row.sessionId);
  await tx.sessions.addPerson(task?.root.sessionId ?? row.sessionId, id);
  return true;
}

function closedText(row: QuestionRow): string {
  return row.status === "answered" ? `Already answered: ${answerLine(row)}` : "⏹ An answer is no longer needed.";
}

interface Answered {
  readonly answer: Answer;
  readonly person: Person;
}

/** Records an answer once: false if the question was already answered or withdrawn. */
function deciding(row: QuestionRow, { answer, person: { id, name } }: Answered, { runtime }: DecisionScope) {
  return async (tx: StoreTransaction): Promise<boolean> => {
    if (!(await tx.questions.answer(row.id, { answer, by: { id, name }, at: runtime.clock.now() }))) return false;
    await settlePlan(tx, row, { answer, acceptedBy: `@${name}` });
    return true;
  };
}

/** Marks an accepted plan as ready to be carried out, and deletes a dropped one. */
async function settlePlan(
  tx: StoreTransaction,
  { body, sessionId }: QuestionRow,
  { answer, acceptedBy }: { answer: Answer; acceptedBy: string },
): Promise<void> {
  if (body.kind !== "plan" || answer.choice === null) return;
  const accepted = { phase: "accepted", steps: body.steps, acceptedBy } as const;
  await tx.plans.set(sessionId, answer.choice === "go" ? accepted : null);
}

/** Leaves plan mode, unless somebody accepts the plan at this very moment. */
async function leavePlanMode(tx: StoreTransaction, sessionId: string): Promise<void> {
  await tx.sessions.lock(sessionId);
  if ((await tx.plans.of(sessionId))?.phase === "planning") await tx.plans.set(sessionId, null);
}

/**
 * Withdraws the open questions of a run that has ended. If a person stopped the run, plan mode ends, too; `by` is then
 * the display name of that person.
 */
export async function withdrawQuestions(
  options: {
    readonly store: Store;
    readonly runId: string;
    readonly sessionId: string;
    readonly thread: Pick<ToolThread, "close" | "limits">;
  },
  by: string | null,
): Promise<void> {
  const { store, sessionId, thread } = options;
  if (by !== null) await store.transaction((tx) => leavePlanMode(tx, sessionId));
  const questions: Withdrawable<QuestionRow> = {
    rows: ({ questions }) => questions,
    withdraw: (tx, { id }) => tx.questions.withdraw(id),
    close: (row) => thread.close(cardKey(row), closedCard(row, { maxChars: thread.limits.editChars, by })),
  };
  await withdrawCards(questions, options);
}
