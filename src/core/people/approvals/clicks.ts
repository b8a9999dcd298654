import { postKey } from "../../engine/post-once.ts";
import { decisionText } from "../../permissions/approval-card.ts";
import { decidersSentence, mayDecide } from "../../permissions/deciders.ts";
import type { InboundAction, Receipt } from "../../platform/inbound.ts";
import { reply } from "../../platform/replies.ts";
import type { ApprovalDecision, ApprovalRow, ApprovalScope } from "../../store/run/approvals.ts";
import type { StoreTransaction } from "../../store/store.ts";
import { duplicateClickReply, messageFromClick } from "../click-messages.ts";
import { type Clickable, clickCard, type DecisionScope, isOpen, NO_BUTTON } from "../interaction.ts";
import { cardKey } from "./approval-service.ts";

/** The grant scope that each button of a card stands for; null denies. */
const SCOPES: ReadonlyMap<string, ApprovalScope | null> = new Map([
  ["y", "once"],
  ["n", null],
  ["a", "session"],
  ["A", "always"],
]);

/** A click on one of a card's buttons, `approve:<y|n|a|A>:<approval>`. */
export function clickApproval(
  action: InboundAction,
  { choice, id }: { choice: string; id: string },
  options: DecisionScope,
): Promise<Receipt> {
  return clickCard(clickableApprovals(options), { action, choice, id }, options);
}

function clickableApprovals(options: DecisionScope): Clickable<ApprovalRow> {
  const { approvals: rules, runtime } = options;
  const at = runtime.clock.now();
  const decidedText = (row: ApprovalRow) => `No longer open: ${decisionText(row, rules.expiresMinutes)}.`;
  return {
    of: "approval",
    rows: ({ approvals }) => approvals,
    choice(row, button, person) {
      const scope = SCOPES.get(button);
      if (scope === undefined) return null;
      const given = { decidedBy: `@${person.name}`, at };
      const allowed = row.people.mayRemember ? scope : "once";
      const decision: ApprovalDecision =
        scope === null ? { status: "denied", scope, ...given } : { status: "allowed", scope: allowed, ...given };
      return { decide: (tx) => decide(tx, { row, decision }, options) };
    },
    refusal(row, person) {
      const { requester } = row.people;
      if (!mayDecide(person, requester.id, rules))
        return `You can't decide this. ${decidersSentence(requester.name, rules)}`;
      if (!isOpen(row)) return decidedText(row);
      // The event that ends the wait may arrive late, especially after a restart.
      return at >= row.expiresAt ? `${decisionText({ ...row, status: "expired" }, rules.expiresMinutes)}.` : null;
    },
    decidedText,
  };
}

async function decide(
  tx: StoreTransaction,
  { row, decision }: { row: ApprovalRow; decision: ApprovalDecision },
  { runtime }: DecisionScope,
): Promise<boolean> {
  if (!(await tx.approvals.decide(row.id, decision))) return false;
  if (decision.scope !== "session" && decision.scope !== "always") return true;
  const session = await tx.sessions.get(row.sessionId);
  // Calls that could not succeed are not on the card, so nobody has approved them.
  const shown = row.calls.filter(({ refused }) => refused === undefined);
  const grants = new Map(shown.map(({ grant }) => [grant.key, grant.label]));
  const { requester, others, outside = [] } = row.people;
  const root = session.task?.root.sessionId ?? row.sessionId;
  for (const [key, label] of grants) {
    await tx.grants.add({
      id: runtime.ids.next("grt"),
      // A sub-agent works for its root session, so its grants are stored there.
      sessionId: decision.scope === "session" ? root : null,
      channelId: session.channelKey,
      personId: requester.id,
      words: [...others.map(({ id }) => id), ...outside],
      givenIn: root,
      key,
      label,
      grantedBy: decision.decidedBy ?? "",
      createdAt: decision.at,
    });
  }
  return true;
}

/**
 * The text of a message that repeats an expired request. The message becomes part of the history, so it must not quote
 * the request: an address that the model made up would then count as written by a person.
 */
const ASKED_AGAIN = "Nobody decided in time. Ask again for what is still needed, and continue.";

/**
 * Handles the button of an expired card: the first person to click repeats the request, as a message in the thread's
 * own session.
 */
export async function askAgain(
  action: InboundAction,
  { id }: { id: string },
  { store, engine }: DecisionScope,
): Promise<Receipt> {
  const row = await store.approvals.get(id);
  if (row === null || row.status !== "expired") return reply(NO_BUTTON);
  const { task, thread } = await store.sessions.get(row.sessionId);
  const post = await store.posts.get(postKey(row.runId, cardKey(row)));
  const key = `ask-again:${id}`;
  const body = messageFromClick(ASKED_AGAIN, action, { thread, post });
  const outcome = await engine.deliver(task?.root.sessionId ?? row.sessionId, { key, body });
  return outcome === "duplicate" ? duplicateClickReply(key, action, store) : { type: "accepted" };
}
