import type { ApprovalRequest, ApprovalService, CallVerdict, PendingCall } from "../../agent/approval-service.ts";
import type { SessionEngine, TurnContext } from "../../engine/engine.ts";
import { postKey } from "../../engine/post-once.ts";
import {
  approvalCard,
  type Card,
  type CardCall,
  decidedCard,
  decisionText,
  refusedCard,
} from "../../permissions/approval-card.ts";
import { type ApprovalRules, decidersText } from "../../permissions/deciders.ts";
import type { ChatPlatform } from "../../platform/chat-platform.ts";
import type { OutgoingMessage } from "../../platform/outgoing.ts";
import type { Log } from "../../protocol/log.ts";
import type { Clock } from "../../protocol/runtime.ts";
import { CancelSignal } from "../../protocol/signals.ts";
import type { ApprovalRow } from "../../store/run/approvals.ts";
import type { SessionRow } from "../../store/sessions.ts";
import type { Store } from "../../store/store.ts";
import { originOf } from "../../trust/label.ts";
import { postAccepted, type Withdrawable, withdrawCards } from "../interaction.ts";
import type { MessageFinaliser } from "../message-finaliser.ts";
import { peopleOfRequest, type RequestPeople } from "../request-people.ts";
import { isRepeatable, previewedCalls, shownCalls, storedCall } from "./calls.ts";
import { grantsFor } from "./remembered.ts";
import { decidedVerdict, denied, NOT_ASKED } from "./verdicts.ts";

export interface ApprovalServiceOptions {
  readonly store: Store;
  readonly engine: Pick<SessionEngine, "deliverAt">;
  readonly clock: Clock;
  readonly log: Log;
  readonly platform: Pick<ChatPlatform, "descriptor">;
  readonly rules: ApprovalRules;
  readonly session: SessionRow;
  readonly context: TurnContext;
  /** Whether the run has had earlier wakes, whose approvals are in the store. A wake that asks people ends there. */
  readonly isResumed: boolean;
  readonly finaliser: MessageFinaliser;
}

/** Asks people in the session's thread. Decisions are stored, so a restart changes nothing. */
export function createApprovalService(options: ApprovalServiceOptions): ApprovalService {
  return {
    async asked(turn) {
      const row = await earlierApproval(options, turn);
      if (row === null) return [];
      return [{ type: "approval_request", approvalId: row.id, callIds: row.calls.map(({ callId }) => callId) }];
    },

    async verdicts(turn, calls, request) {
      const id = approvalId(options.context.runId, turn);
      const known = await earlierApproval(options, turn);
      if (known !== null) return settle(options, { ...known, asked: calls, request });
      const people = await peopleOfRequest(options.store, options.context.runId, request);
      const { covered, lapsed } = await grantsFor(options, calls, people);
      const open = calls.filter((call) => !covered.has(call));
      if (open.length === 0) return new Map(calls.map((call) => [call.use.id, covered.get(call) ?? denied(NOT_ASKED)]));
      return ask(options, { id, turn, people, calls: open, asked: calls, request, lapsed });
    },
  };
}

function earlierApproval({ store, context, isResumed }: ApprovalServiceOptions, turn: number) {
  return isResumed ? store.approvals.get(approvalId(context.runId, turn)) : null;
}

export function approvalId(runId: string, turn: number): string {
  return `${runId}:${turn}`;
}

interface NewApproval {
  readonly id: string;
  readonly turn: number;
  readonly people: RequestPeople;
  /** Calls that no grant covers. */
  readonly calls: readonly PendingCall[];
  readonly asked: readonly PendingCall[];
  readonly request: ApprovalRequest;
  readonly lapsed: ReadonlySet<PendingCall>;
}

/** Stores the request, then posts its card. */
async function ask(options: ApprovalServiceOptions, approval: NewApproval) {
  const { id, turn, people, calls, asked, request, lapsed } = approval;
  const { clock, session, context, rules } = options;
  const createdAt = clock.now();
  const previewed = await previewedCalls(calls);
  const mayRemember = previewed.every(isRepeatable);
  const shown = shownCalls(previewed, { request, lapsed });
  const card = cardOf(options, [...shown.values()], { id, people: { ...people, mayRemember } });
  const row = {
    id,
    sessionId: session.id,
    runId: context.runId,
    turn,
    calls: previewed.map((call) => storedCall(call, shown.get(call))),
    people: { ...people, mayRemember: mayRemember && (card?.isWhole ?? false) },
    expiresAt: createdAt + rules.expiresMinutes * 60_000,
    createdAt,
  };
  const open = { ...row, status: "pending", scope: null, decidedBy: null, asked, request } as const;
  if (card === null) return verdictsOn(options, { ...open, status: "denied" });
  await context.transaction(`approval:${turn}`, (tx) => tx.approvals.create(row));
  await armExpiry(options, row);
  return postCard(options, open, card);
}

/**
 * Posts the card and returns null while people decide. If the run is being stopped, no card is posted, and the run ends
 * as if it had been.
 */
async function postCard(options: ApprovalServiceOptions, row: OpenApproval, card: Card) {
  const { context, log } = options;
  const post = (key: string) => (form: OutgoingMessage) => context.post(key, form);
  try {
    const refused = await postAccepted(post(cardKey(row)), [() => card.message, card.plainer], card.withoutFiles);
    if (refused === null) return null;
    log.error({ err: refused, approvalId: row.id }, "card_refused");
    const withoutTitles = { ...row, calls: [] };
    await postAccepted(
      post(`${cardKey(row)}:refused`),
      [row, withoutTitles].map((each) => () => refusedCard(each)),
    );
  } catch (error) {
    if (!(error instanceof CancelSignal)) throw error;
    return null;
  }
  return verdictsOn(options, await ended(options, row, "withdrawn"));
}

type OpenApproval = ApprovalRow & { readonly asked: readonly PendingCall[]; readonly request: ApprovalRequest };

/**
 * Returns the verdicts if the approval is decided. Otherwise makes sure that the card and the expiry timer exist, and
 * returns null.
 */
async function settle(options: ApprovalServiceOptions, row: OpenApproval) {
  const { store, clock } = options;
  if (row.status !== "pending") return decided(options, row);
  if (clock.now() >= row.expiresAt) return decided(options, await ended(options, row, "expired"));
  await armExpiry(options, row);
  const post = await store.posts.get(postKey(row.runId, cardKey(row)));
  if (post?.posted) return null;
  const open = row.asked.filter(({ use }) => row.calls.some(({ callId }) => callId === use.id));
  const { lapsed } = await grantsFor(options, open, row.people);
  const shown = shownCalls(await previewedCalls(open), { request: row.request, lapsed });
  const card = cardOf(options, [...shown.values()], row);
  return card === null ? null : postCard(options, row, card);
}

/** Closes the approval, and returns it as stored: a decision made at the last moment wins. */
async function ended(
  { store, clock }: ApprovalServiceOptions,
  row: OpenApproval,
  status: "expired" | "withdrawn",
): Promise<OpenApproval> {
  const end = { status, scope: null, decidedBy: null, at: clock.now() } as const;
  await store.transaction((tx) => tx.approvals.decide(row.id, end));
  return { ...row, ...((await store.approvals.get(row.id)) ?? { status }) };
}

async function armExpiry({ engine }: ApprovalServiceOptions, row: Pick<ApprovalRow, "id" | "sessionId" | "expiresAt">) {
  const wake = { key: `timer:approval:${row.id}`, body: { kind: "resume", of: "approval" } } as const;
  await engine.deliverAt(row.sessionId, wake, row.expiresAt);
}

/** The key of an approval card within its run. */
export function cardKey({ turn }: Pick<ApprovalRow, "turn">): string {
  return `approval:${turn}`;
}

/** The approval card; null if none of the calls could succeed, so that there is nothing to ask. */
function cardOf(
  { platform, rules, session }: ApprovalServiceOptions,
  calls: readonly CardCall[],
  { id, people }: Pick<ApprovalRow, "id" | "people">,
): Card | null {
  if (calls.length === 0) return null;
  const { requester, others, outside = [], mayRemember } = people;
  return approvalCard({
    approvalId: id,
    agent: session.task?.agent ?? null,
    calls,
    requester,
    others,
    origins: outside.flatMap((each) => originOf(each) ?? []),
    mayRemember,
    deciders: decidersText(requester.name, rules),
    expiresMinutes: rules.expiresMinutes,
    maxChars: Math.min(platform.descriptor.limits.messageChars, platform.descriptor.limits.editChars),
    footerChars: platform.descriptor.limits.footerChars,
  });
}

/** Reduces the card to its decision and returns the verdicts. */
async function decided(options: ApprovalServiceOptions, row: OpenApproval): Promise<ReadonlyMap<string, CallVerdict>> {
  await closeCard(options, row);
  return verdictsOn(options, row);
}

async function verdictsOn(options: ApprovalServiceOptions, row: OpenApproval): Promise<Map<string, CallVerdict>> {
  const others = row.asked.filter(({ use }) => !row.calls.some(({ callId }) => callId === use.id));
  const covered = others.length === 0 ? null : (await grantsFor(options, others, row.people)).covered;
  const verdictOf = (call: PendingCall) =>
    decidedVerdict(call.use, row, options.rules) ?? covered?.get(call) ?? denied(NOT_ASKED);
  return new Map(row.asked.map((call) => [call.use.id, verdictOf(call)]));
}

/**
 * Withdraws the open approvals of a run that has ended. `by` is the display name of the person who stopped it, or null.
 */
export function withdrawApprovals(options: ApprovalServiceOptions, by: string | null): Promise<void> {
  const { store, context, clock } = options;
  const withdrawn = { status: "withdrawn", scope: null, decidedBy: by, at: clock.now() } as const;
  const approvals: Withdrawable<ApprovalRow> = {
    rows: ({ approvals }) => approvals,
    withdraw: (tx, { id }) => tx.approvals.decide(id, withdrawn),
    close: (row) => closeCard(options, row),
  };
  return withdrawCards(approvals, { store, runId: context.runId });
}

/**
 * Shows the decision on the card. The run neither waits for this nor fails with it, because the decision is already
 * stored.
 */
async function closeCard({ rules, log, session, finaliser }: ApprovalServiceOptions, row: ApprovalRow): Promise<void> {
  const last = decidedCard(row, rules.expiresMinutes);
  if (!(await finaliser.close(row.runId, cardKey(row), { thread: session.thread, last }))) return;
  log.info({ approvalId: row.id, status: row.status, decision: decisionText(row, rules.expiresMinutes) }, "approval");
}
