import type { SessionEngine } from "../engine/engine.ts";
import type { ApprovalRules } from "../permissions/deciders.ts";
import type { InboundAction, Receipt } from "../platform/inbound.ts";
import type { OutgoingMessage } from "../platform/outgoing.ts";
import { reply } from "../platform/replies.ts";
import type { Person } from "../platform/thread.ts";
import { AppError } from "../protocol/errors.ts";
import { reasonOf } from "../protocol/explain.ts";
import type { Runtime } from "../protocol/runtime.ts";
import type { Store, StoreReads, StoreTransaction } from "../store/store.ts";

/**
 * The row of an approval, a question or a plan. All three follow one path. The row is stored before its card is posted.
 * One decision is made, in one transaction with the event that wakes the run. The run then updates the card. Rows still
 * open when the run ends are withdrawn.
 */
export interface InteractionRow {
  readonly id: string;
  readonly sessionId: string;
  readonly status: string;
}

export interface InteractionRows<R extends InteractionRow> {
  get(id: string): Promise<R | null>;
  ofRun(runId: string): Promise<R[]>;
}

const OPEN: ReadonlySet<string> = new Set(["pending", "open"]);

/** Whether nobody has decided yet. */
export function isOpen({ status }: InteractionRow): boolean {
  return OPEN.has(status);
}

/** What a button of a card does. */
export interface Choice {
  /** Does database work only. False if the row was already decided. */
  readonly decide: (tx: StoreTransaction) => Promise<boolean>;
  /** If set, the click decides nothing yet: the run keeps waiting and the person who clicked sees this text. */
  readonly replyText?: string;
}

/** Deliberately uninformative, so that unauthorised people learn nothing about the run. */
export const NO_BUTTON = "This button no longer works.";

/** How clicks on one kind of card (approval, question or plan) are handled. */
export interface Clickable<R extends InteractionRow> {
  /** The kind of event that wakes the run after a decision. */
  readonly of: "approval" | "answer";
  readonly rows: (store: StoreReads) => InteractionRows<R>;
  /** The meaning of a button; null if the card has no such button. */
  readonly choice: (row: R, button: string, person: Person) => Choice | null;
  /** Why this person may not click, or not any more; null if the click is allowed. */
  readonly refusal: (row: R, person: Person) => string | null | Promise<string | null>;
  /** The outcome of a decided row, for people who click too late. */
  readonly decidedText: (row: R) => string;
}

/** The services needed to decide on a card. */
export interface DecisionScope {
  readonly store: Store;
  readonly engine: SessionEngine;
  readonly runtime: Runtime;
  readonly approvals: ApprovalRules;
}

export interface ClickedCard {
  readonly action: InboundAction;
  readonly choice: string;
  readonly id: string;
}

/**
 * Handles a click on a card's button. The decision and the event that wakes the run are one transaction, so the click
 * counts once.
 */
export async function clickCard<R extends InteractionRow>(
  kind: Clickable<R>,
  { action, choice: button, id }: ClickedCard,
  { store, engine }: Pick<DecisionScope, "store" | "engine">,
): Promise<Receipt> {
  const row = await kind.rows(store).get(id);
  const choice = row && kind.choice(row, button, action.person);
  if (row === null || choice === null) return reply(NO_BUTTON);
  const refusal = await kind.refusal(row, action.person);
  if (refusal !== null) return reply(refusal);
  const { decide, replyText } = choice;
  const event = { key: action.key, body: { kind: "resume", of: kind.of } } as const;
  const decided =
    replyText === undefined ? await engine.deliver(row.sessionId, event, decide) : await store.transaction(decide);
  if (decided === "new") return { type: "accepted" };
  if (decided === "duplicate") return { type: "duplicate" };
  if (decided === true && replyText !== undefined) return reply(replyText);
  return reply(kind.decidedText((await kind.rows(store).get(id)) ?? row));
}

/** Whether the platform or its workspace may forbid only the files of a message, so that its words can be posted. */
export function forbidsFiles({ code }: AppError, forms: readonly Pick<OutgoingMessage, "files">[]): boolean {
  return code === "missing_scope" && forms.some(({ files }) => files.length > 0);
}

/**
 * Posts the first form of a message that the platform accepts; the one without files, which is given the reason, if it
 * forbids files. Returns null, or the last error if the platform rejects all forms.
 */
export async function postAccepted(
  post: (form: OutgoingMessage) => Promise<unknown>,
  forms: readonly (() => OutgoingMessage)[],
  withoutFiles?: (missing: string) => OutgoingMessage,
): Promise<AppError | null> {
  let refused: AppError | null = null;
  for (const formed of forms) {
    const form = formed();
    try {
      await post(form);
      return null;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (withoutFiles !== undefined && forbidsFiles(error, [form]))
        return postAccepted(post, [() => withoutFiles(`I couldn't attach the rest: ${reasonOf(error)}`)]);
      if (error.code !== "defect") throw error;
      refused = error;
    }
  }
  return refused;
}

/** How one kind of card is withdrawn when its run ends. */
export interface Withdrawable<R extends InteractionRow> {
  readonly rows: (store: StoreReads) => InteractionRows<R>;
  readonly withdraw: (tx: StoreTransaction, row: R) => Promise<boolean>;
  /** Updates the card to show the row's outcome. */
  readonly close: (row: R) => Promise<void>;
}

/** Withdraws the open cards of a run that has ended, and repairs cards whose decision a crash left unshown. */
export async function withdrawCards<R extends InteractionRow>(
  kind: Withdrawable<R>,
  { runId, store }: { readonly runId: string; readonly store: Store },
): Promise<void> {
  for (const row of await kind.rows(store).ofRun(runId)) {
    if (isOpen(row)) {
      await store.transaction(async (tx) => {
        // Takes the session lock, so that a card being posted is stored by now or is never posted.
        await tx.sessions.lock(row.sessionId);
        await kind.withdraw(tx, row);
      });
    }
    const now = isOpen(row) ? await kind.rows(store).get(row.id) : row;
    if (now !== null) await kind.close(now);
  }
}
