import type { SessionEngine } from "../engine/engine.ts";
import { postKey } from "../engine/post-once.ts";
import { decisionText } from "../permissions/approval-card.ts";
import { type ApprovalRules, decidersSentence, mayDecide } from "../permissions/deciders.ts";
import type { InboundAction, Receipt } from "../protocol/platform.ts";
import { privately } from "../protocol/private-reply.ts";
import type { Runtime } from "../protocol/runtime.ts";
import type { ApprovalDecision, ApprovalRow, ApprovalScope } from "../store/run/approvals.ts";
import type { Store, StoreTransaction } from "../store/store.ts";
import { cardKey } from "./approvals.ts";

export interface ApprovalClickOptions {
  readonly store: Store;
  readonly engine: SessionEngine;
  readonly runtime: Runtime;
  readonly approvals: ApprovalRules;
}

/** What the buttons of a card stand for; null: deny. */
const SCOPES: ReadonlyMap<string, ApprovalScope | null> = new Map([
  ["y", "once"],
  ["n", null],
  ["a", "session"],
  ["A", "always"],
]);

/**
 * A click on one of a card's buttons, `approve:<y|n|a|A>:<approval>`. It is decided and the run is woken in one
 * transaction, so a click that is acknowledged counts, once.
 */
export async function clickApproval(
  action: InboundAction,
  { choice, id }: { choice: string; id: string },
  options: ApprovalClickOptions,
): Promise<Receipt> {
  const { store, engine, approvals } = options;
  const row = await store.approvals.get(id);
  const scope = SCOPES.get(choice);
  if (row === null || scope === undefined) return reply("This button does nothing any more.");
  const { requester } = row.people;
  if (!mayDecide(action.person, requester.id, approvals)) {
    return reply(`You may not decide this. ${decidersSentence(requester.name, approvals)}`);
  }
  if (row.status !== "pending") return reply(`${decisionText(row, approvals.expiresMinutes)} already.`);
  const at = options.runtime.clock.now();
  // The event that ends the wait may lag behind, after a restart above all.
  if (at >= row.expiresAt) return reply(`${decisionText({ ...row, status: "expired" }, approvals.expiresMinutes)}.`);
  const decision = decisionOf(scope, row, { by: `@${action.person.name}`, at });
  const event = { key: action.key, body: { kind: "resume", of: "approval" } } as const;
  const outcome = await engine.deliver(row.sessionId, event, (tx) => decide(tx, { row, decision }, options));
  if (outcome !== "refused") return { type: outcome === "new" ? "accepted" : "duplicate" };
  const now = await store.approvals.get(id);
  return reply(`${decisionText(now ?? row, approvals.expiresMinutes)} already.`);
}

function reply(text: string): Receipt {
  return { type: "reply", message: privately(text) };
}

function decisionOf(
  scope: ApprovalScope | null,
  { people }: ApprovalRow,
  { by, at }: { by: string; at: number },
): ApprovalDecision {
  if (scope === null) return { status: "denied", scope: null, decidedBy: by, at };
  return { status: "allowed", scope: people.mayRemember ? scope : "once", decidedBy: by, at };
}

async function decide(
  tx: StoreTransaction,
  { row, decision }: { row: ApprovalRow; decision: ApprovalDecision },
  { runtime }: ApprovalClickOptions,
): Promise<boolean> {
  if (!(await tx.approvals.decide(row.id, decision))) return false;
  if (decision.scope !== "session" && decision.scope !== "always") return true;
  const session = await tx.sessions.get(row.sessionId);
  // A call that could not succeed is not on the card, so nobody has allowed its like.
  const shown = row.calls.filter(({ refused }) => refused === undefined);
  const grants = new Map(shown.map(({ grant }) => [grant.key, grant.label]));
  const { requester, others, outside = [] } = row.people;
  const root = session.task?.root.sessionId ?? row.sessionId;
  for (const [key, label] of grants) {
    await tx.grants.add({
      id: runtime.ids.next("grt"),
      // A sub-agent works for the session that it descends from, and so do its grants.
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

/** Nobody decided in time: who clicks first asks for the same again, as a message of theirs, in the thread's own session. */
export async function askAgain(action: InboundAction, id: string, options: ApprovalClickOptions): Promise<Receipt> {
  const { store, engine } = options;
  const row = await store.approvals.get(id);
  if (row === null || row.status !== "expired") return reply("This button does nothing any more.");
  const { task, thread } = await store.sessions.get(row.sessionId);
  const card = await store.posts.get(postKey(row.runId, cardKey(row)));
  const titles = row.calls.map(({ title }) => title).join(", ");
  const key = `ask-again:${id}`;
  const outcome = await engine.deliver(task?.root.sessionId ?? row.sessionId, {
    key,
    body: {
      kind: "message",
      author: { id: action.person.id, name: action.person.name },
      text: `Nobody decided in time on: ${titles}. Ask again for it if it is still needed, and go on.`,
      quoted: [],
      attachments: [],
      thread,
      messageId: card?.posted?.messageId ?? "",
      at: action.at,
      addressed: true,
      joinsThread: false,
    },
  });
  if (outcome !== "duplicate") return { type: "accepted" };
  const first = (await store.inbox.byKey(key))?.body;
  const isOthers = first?.kind === "message" && first.author.id !== action.person.id;
  return isOthers ? reply(`@${first.author.name} has clicked this already.`) : { type: "duplicate" };
}
