import type { SessionEngine } from "../engine/engine.ts";
import type { ApprovalRules } from "../permissions/deciders.ts";
import { AppError } from "../protocol/errors.ts";
import type { InboundAction, OutgoingMessage, Person, Receipt } from "../protocol/platform.ts";
import { reply } from "../protocol/private-reply.ts";
import type { Runtime } from "../protocol/runtime.ts";
import type { Store, StoreReads, StoreTransaction } from "../store/store.ts";

/**
 * What a run asks people, an approval, a question or a plan, goes one way: its row is durable before its card is posted; one
 * decision is made on it, with the event that wakes the run; the run, or its end, has the card show what has become of it; what
 * is open when the run ends is withdrawn.
 */
export interface AskedRow {
  readonly id: string;
  readonly sessionId: string;
  readonly status: string;
}

export interface AskedRows<R extends AskedRow> {
  get(id: string): Promise<R | null>;
  ofRun(runId: string): Promise<R[]>;
}

const OPEN: ReadonlySet<string> = new Set(["pending", "open"]);

/** Nobody has decided yet. */
export function isOpen({ status }: AskedRow): boolean {
  return OPEN.has(status);
}

/** What a button of a card does. */
export interface Choice {
  /** Database work only; false when the row was decided before. */
  readonly decide: (tx: StoreTransaction) => Promise<boolean>;
  /** Set: that decides nothing yet, the run waits further, and the person is told this. */
  readonly told?: string;
}

/** Says no more than that: who has no business here learns nothing of what there is. */
export const NO_BUTTON = "This button does nothing any more.";

/** How a kind of them is clicked. */
export interface Clickable<R extends AskedRow> {
  /** What a decision wakes the run with. */
  readonly of: "approval" | "answer";
  readonly rows: (store: StoreReads) => AskedRows<R>;
  /** Null for a button that the card does not have. */
  readonly choice: (row: R, button: string, person: Person) => Choice | null;
  /** Why it is too late for this person to click, or not theirs; null when it is neither. */
  readonly refusal: (row: R, person: Person) => string | null | Promise<string | null>;
  /** What has become of a row that is decided. */
  readonly decidedText: (row: R) => string;
}

/** What deciding on a card takes. */
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

/** A click on a button of a card: what is decided and the event that wakes the run are one transaction, so that it counts once. */
export async function clickCard<R extends AskedRow>(
  kind: Clickable<R>,
  { action, choice: button, id }: ClickedCard,
  { store, engine }: Pick<DecisionScope, "store" | "engine">,
): Promise<Receipt> {
  const row = await kind.rows(store).get(id);
  const choice = row && kind.choice(row, button, action.person);
  if (row === null || choice === null) return reply(NO_BUTTON);
  const refusal = await kind.refusal(row, action.person);
  if (refusal !== null) return reply(refusal);
  const { decide, told } = choice;
  const event = { key: action.key, body: { kind: "resume", of: kind.of } } as const;
  const decided =
    told === undefined ? await engine.deliver(row.sessionId, event, decide) : await store.transaction(decide);
  if (decided === "new") return { type: "accepted" };
  if (decided === "duplicate") return { type: "duplicate" };
  if (decided === true && told !== undefined) return reply(told);
  return reply(kind.decidedText((await kind.rows(store).get(id)) ?? row));
}

/** Posts the first of a message's forms that the platform takes; why, where it takes none of them as it is written. */
export async function postAccepted(
  post: (form: OutgoingMessage) => Promise<unknown>,
  forms: readonly (() => OutgoingMessage)[],
): Promise<AppError | null> {
  let refused: AppError | null = null;
  for (const form of forms) {
    try {
      await post(form());
      return null;
    } catch (error) {
      if (!(error instanceof AppError && error.code === "defect")) throw error;
      refused = error;
    }
  }
  return refused;
}

/** How the end of a run ends what it has asked of a kind. */
export interface Withdrawable<R extends AskedRow> {
  readonly rows: (store: StoreReads) => AskedRows<R>;
  readonly withdraw: (tx: StoreTransaction, row: R) => Promise<boolean>;
  /** Has the card show what has become of the row. */
  readonly close: (row: R) => Promise<void>;
}

/** Nobody need decide any more, since the run has ended; and a crash may have left cards that do not say what was decided. */
export async function withdrawCards<R extends AskedRow>(
  kind: Withdrawable<R>,
  { runId, store }: { readonly runId: string; readonly store: Store },
): Promise<void> {
  for (const row of await kind.rows(store).ofRun(runId)) {
    if (isOpen(row)) {
      await store.transaction(async (tx) => {
        // A card that is being posted is there by then, or never will be.
        await tx.sessions.lock(row.sessionId);
        await kind.withdraw(tx, row);
      });
    }
    const now = isOpen(row) ? await kind.rows(store).get(row.id) : row;
    if (now !== null) await kind.close(now);
  }
}
