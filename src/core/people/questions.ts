import type { SessionEngine } from "../engine/engine.ts";
import { postKey } from "../engine/post-once.ts";
import { type ApprovalRules, mayDecide } from "../permissions/deciders.ts";
import type { ChatPlatform, InboundAction, InboundMessage, Person, Receipt } from "../protocol/platform.ts";
import { privately } from "../protocol/private-reply.ts";
import type { Runtime } from "../protocol/runtime.ts";
import type { Answer, QuestionBody, QuestionRow } from "../store/run/questions.ts";
import type { SessionRow } from "../store/sessions.ts";
import type { Store, StoreTransaction } from "../store/store.ts";
import { type ClosingOptions, type Closings, showClosed } from "./closing.ts";
import { answeredCard, answerLine, cardKey, withdrawnCard } from "./question-card.ts";
import { peopleOfRun } from "./run-people.ts";
import { toolPostKey } from "./tool-thread.ts";

export interface AnswerOptions {
  readonly store: Store;
  readonly engine: Pick<SessionEngine, "deliver">;
  readonly runtime: Pick<Runtime, "clock">;
  /** Approvers may answer in place of the person who was asked. */
  readonly approvals: ApprovalRules;
}

export interface MessageAnswerOptions extends AnswerOptions {
  /** Delivers the message itself to the session, as any other. */
  readonly deliver: () => Promise<unknown>;
}

/**
 * Takes a message that is no command as the answer to what the session waits for, if it is one: of the asked person, with
 * words or files. False when the message is to be treated as any other. The question is closed and the run woken in one
 * transaction.
 */
export async function answerByMessage(
  message: InboundMessage,
  session: SessionRow,
  options: MessageAnswerOptions,
): Promise<boolean> {
  const row = await options.store.questions.openIn(session.id);
  if (row === null || !isAnswer(message, row)) return false;
  const hasFiles = message.attachments.length > 0;
  // Files enter as the message that they came with, before the model reads the answer.
  if (hasFiles) await options.deliver();
  const key = hasFiles ? `answer:${row.id}` : message.key;
  const outcome = await close(row, { answer: answerIn(message, row.body), key, person: message.person }, options);
  return hasFiles || outcome !== "refused";
}

function isAnswer({ text, attachments, addressed, person }: InboundMessage, row: QuestionRow): boolean {
  if (addressed === "other") return false;
  if (text.trim() === "" && attachments.length === 0) return false;
  return row.askedOf === null || row.askedOf === person.id;
}

/** A reply that names a button counts as its click. */
function answerIn({ text, attachments }: InboundMessage, body: QuestionBody): Answer {
  const said = text.trim();
  const plain = said.toLowerCase().replace(/(?<![.!])[.!]+$/, "");
  if (body.kind === "plan") {
    if (plain === "go ahead") return { choice: "go", text: said };
    if (plain === "drop it") return { choice: "drop", text: said };
  } else {
    const choice = body.options.findIndex((option) => option.toLowerCase() === plain);
    if (choice !== -1) return { choice, text: body.options[choice] ?? said };
  }
  const names = attachments.map(({ name }) => name).join(", ");
  return { choice: null, text: said === "" ? `(attached: ${names})` : said };
}

/** A click on a button of a question or a plan, `answer:<choice>:<question id>`. */
export async function answerByClick(
  action: InboundAction,
  { choice, id }: { choice: string; id: string },
  options: AnswerOptions,
): Promise<Receipt> {
  const { store, approvals } = options;
  const row = await store.questions.get(id);
  const clicked = row === null ? null : clickedAnswer(choice, row.body);
  if (row === null || clicked === null) return reply("This button does nothing any more.");
  if (row.status !== "open") return reply(closedText(row));
  const { requester } = await peopleOfRun(store, row.runId);
  if (action.person.id !== requester.id && !mayAnswer(action.person, row, approvals)) {
    return reply("Only the person I asked, or an approver, may answer this.");
  }
  if (clicked === "change") return askForChanges(action, row, options);
  const outcome = await close(row, { answer: clicked, key: action.key, person: action.person }, options);
  if (outcome !== "refused") return { type: outcome === "new" ? "accepted" : "duplicate" };
  return reply(closedText((await store.questions.get(id)) ?? row));
}

function mayAnswer(person: Person, { askedOf }: QuestionRow, approvals: ApprovalRules): boolean {
  return askedOf === null || person.id === askedOf || mayDecide(person, askedOf, approvals);
}

/** What a button stands for; null for a button that the question does not have. */
function clickedAnswer(choice: string, body: QuestionBody): Answer | "change" | null {
  if (body.kind === "plan") {
    if (choice === "change") return "change";
    if (choice === "go") return { choice, text: "Go ahead" };
    return choice === "drop" ? { choice, text: "Drop it" } : null;
  }
  const text = /^\d$/.test(choice) ? body.options[Number(choice)] : undefined;
  return text === undefined ? null : { choice: Number(choice), text };
}

/** What is to change comes in words, from whoever clicked, who need not mention the agent for it. */
async function askForChanges(action: InboundAction, row: QuestionRow, { store }: AnswerOptions): Promise<Receipt> {
  const { id } = action.person;
  const { task } = await store.sessions.get(row.sessionId);
  const isOpen = await store.transaction(async (tx) => {
    if (!(await tx.questions.askOf(row.id, id))) return false;
    await tx.sessions.addPerson(task?.root.sessionId ?? row.sessionId, id);
    return true;
  });
  if (isOpen) return reply("Tell me here what to change: your next message goes into the plan.");
  return reply(closedText((await store.questions.get(row.id)) ?? row));
}

function closedText(row: QuestionRow): string {
  return row.status === "answered" ? `Answered already: ${answerLine(row)}` : "⏹ No answer is needed any more.";
}

function reply(text: string): Receipt {
  return { type: "reply", message: privately(text) };
}

interface Closing {
  readonly answer: Answer;
  /** The event's idempotency key. */
  readonly key: string;
  readonly person: Person;
}

function close(row: QuestionRow, { answer, key, person }: Closing, { engine, runtime }: AnswerOptions) {
  const by = { id: person.id, name: person.name };
  return engine.deliver(row.sessionId, { key, body: { kind: "resume", of: "answer" } }, async (tx) => {
    if (!(await tx.questions.answer(row.id, { answer, by, at: runtime.clock.now() }))) return false;
    await settlePlan(tx, row, { answer, acceptedBy: `@${by.name}` });
    return true;
  });
}

/** An accepted plan may be carried out from this moment; a dropped one is gone. */
async function settlePlan(
  tx: StoreTransaction,
  { body, sessionId }: QuestionRow,
  { answer, acceptedBy }: { answer: Answer; acceptedBy: string },
): Promise<void> {
  if (body.kind !== "plan" || answer.choice === null) return;
  const accepted = { phase: "accepted", steps: body.steps, acceptedBy } as const;
  await tx.plans.set(sessionId, answer.choice === "go" ? accepted : null);
}

/** A plan that somebody accepts at this very moment stays. */
async function leavePlanMode(tx: StoreTransaction, sessionId: string): Promise<void> {
  await tx.sessions.lock(sessionId);
  if ((await tx.plans.of(sessionId))?.phase === "planning") await tx.plans.set(sessionId, null);
}

export interface WithdrawOptions extends ClosingOptions {
  readonly run: { readonly id: string; readonly sessionId: string };
}

/**
 * The run has ended: what it still asked needs no answer, and its buttons go. `by`: who stopped it, as people read it, who
 * thereby ends plan mode, too; null when it ended otherwise.
 */
export async function withdrawQuestions(options: WithdrawOptions, by: string | null): Promise<void> {
  const { store, run } = options;
  const open = await store.questions.openOfRun(run.id);
  if (by !== null) await store.transaction((tx) => leavePlanMode(tx, run.sessionId));
  for (const row of open) {
    const key = postKey(run.id, toolPostKey(cardKey(row)));
    const { files: _files, ...last } = withdrawnCard(row, by);
    const isOurs = await store.transaction(async (tx) => {
      if (!(await tx.questions.withdraw(row.id))) return false;
      // Should this process die before the card shows it, the next one closes the card.
      await tx.posts.closes(key, last);
      return true;
    });
    if (isOurs) await showClosed(key, { ...last, files: [] }, options);
  }
}

export interface ShowClosedOptions extends WithdrawOptions {
  readonly platform: WithdrawOptions["platform"] & Pick<ChatPlatform, "descriptor">;
  readonly closings: Pick<Closings, "begin">;
}

/**
 * The run has ended: cards that do not show yet what has become of them come to show it. The edit may have failed or its
 * process may have died, and a stop may have come before the call that asked has learned of the answer.
 */
export async function showClosedQuestions(options: ShowClosedOptions, by: string | null): Promise<void> {
  const { store, run, platform, closings } = options;
  for (const row of await store.questions.closedOfRun(run.id)) {
    const key = postKey(run.id, toolPostKey(cardKey(row)));
    const isAnswered = row.status === "answered";
    if (!(isAnswered && by !== null) && !(await store.posts.isUnclosed(key))) continue;
    const shown = isAnswered ? answeredCard(row, platform.descriptor.limits.editChars) : withdrawnCard(row, by);
    const { files: _files, ...last } = shown;
    await store.transaction((tx) => tx.posts.closes(key, last));
    closings.begin(key, shown, options);
  }
}
