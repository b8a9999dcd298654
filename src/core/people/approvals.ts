import type { ApprovalRequest, ApprovalService, CallVerdict, PendingCall } from "../agent/approval-service.ts";
import type { SessionEngine, TurnContext } from "../engine/engine.ts";
import { postKey } from "../engine/post-once.ts";
import {
  approvalCard,
  type Card,
  type CardCall,
  decidedCard,
  decisionText,
  refusedCard,
} from "../permissions/approval-card.ts";
import { type ApprovalRules, decidersText } from "../permissions/deciders.ts";
import type { ChatPlatform } from "../platform/chat-platform.ts";
import type { OutgoingMessage } from "../platform/outgoing.ts";
import type { Log } from "../protocol/log.ts";
import type { Clock } from "../protocol/runtime.ts";
import { CancelSignal } from "../protocol/signals.ts";
import type { ApprovalCall, ApprovalPeople, ApprovalRow } from "../store/run/approvals.ts";
import type { SessionRow } from "../store/sessions.ts";
import type { Store } from "../store/store.ts";
import { canonicalJson } from "../text/canonical-json.ts";
import { inlineCode } from "../text/plain-text.ts";
import type { CallPreview, CallRefusal } from "../tool.ts";
import { boundKey, type GrantScope, grantCovers } from "../trust/grants.ts";
import { originOf } from "../trust/label.ts";
import { approvalReason } from "./approval-reason.ts";
import { postAccepted, type Withdrawable, withdrawCards } from "./interaction.ts";
import type { MessageFinaliser } from "./message-finaliser.ts";
import { peopleOfRequest, type RequestPeople } from "./request-people.ts";

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

/** Maximum length of a call's title in the lines that remain after a decision, in characters. */
const TITLE_CHARS = 80;
/** Maximum length of a call's stored text, in characters. The card in the thread has all of it. */
const STORED_CHARS = 100_000;
const CUT = "… (the card in the thread has the rest)";

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

/** Id of the approval of one turn's calls. */
export function approvalId(runId: string, turn: number): string {
  return `${runId}:${turn}`;
}

function allowed(previewDigest: string | undefined): CallVerdict {
  return previewDigest === undefined ? { type: "allowed" } : { type: "allowed", previewDigest };
}

/** What stored grants say about a turn's calls. */
interface Remembered {
  /** Calls that need no decision: the grants cover everyone whose words are in the request. */
  readonly covered: ReadonlyMap<PendingCall, CallVerdict>;
  /** Calls that the requester has granted before, but whose grants do not cover the words of others in the request. */
  readonly lapsed: ReadonlySet<PendingCall>;
}

async function grantsFor(
  { store, session }: ApprovalServiceOptions,
  calls: readonly PendingCall[],
  { requester, others, outside = [] }: Pick<ApprovalPeople, "requester" | "others" | "outside">,
): Promise<Remembered> {
  const sessionId = session.task?.root.sessionId ?? session.id;
  const grants = await store.grants.inForce({ sessionId, channelId: session.channelKey });
  const digests = new Map<PendingCall, string | null | undefined>();
  for (const call of calls) digests.set(call, await digestFor(call, grants));
  const covers = (call: PendingCall, who: readonly string[]) => {
    const digest = digests.get(call);
    if (call.always || digest === null) return false;
    return grantCovers(grants, grantOf(call, digest).key, { requester: requester.id, who, sessionId });
  };
  const isCovered = (call: PendingCall) => {
    // Reading does no harm, whoever caused it. Sending the data away is a call that needs its own decision.
    const isReading = call.tool.permission === "none" || call.tool.permission === "read";
    return covers(call, [...others.map(({ id }) => id), ...(isReading ? [] : outside)]);
  };
  const covered = new Map(calls.filter(isCovered).map((call) => [call, allowed(digests.get(call) ?? undefined)]));
  return { covered, lapsed: new Set(calls.filter((call) => !covered.has(call) && covers(call, []))) };
}

/**
 * The key and label of a call's grant. Keys are prefixed with the tool's name. Edit shares its prefix with write,
 * because both grant a path.
 */
function grantOf({ tool, use }: PendingCall, digest?: string): { key: string; label: string } {
  const { key, label } = tool.grant(use.input);
  const whole = `${tool.name === "edit" ? "write" : tool.name}:${key}`;
  return { key: tool.grantBindsPreview === true && digest !== undefined ? boundKey(whole, digest) : whole, label };
}

/**
 * The preview digest that a grant must match; undefined if grants do not depend on it. Null if no grant can cover the
 * call.
 */
async function digestFor(
  call: PendingCall,
  grants: readonly Pick<GrantScope, "key">[],
): Promise<string | null | undefined> {
  if (call.always || call.tool.grantBindsPreview !== true) return undefined;
  const { key } = grantOf(call);
  if (!grants.some((grant) => grant.key.startsWith(key))) return null;
  const previewed = await call.preview();
  return "refused" in previewed || previewed.isRepeatable === false ? null : previewed.previewDigest;
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

interface PreviewedCall extends PendingCall {
  readonly previewed: CallPreview | CallRefusal;
}

function isRepeatable({ always, previewed }: PreviewedCall): boolean {
  return !always && ("refused" in previewed || previewed.isRepeatable !== false);
}

function previewedCalls(calls: readonly PendingCall[]): Promise<PreviewedCall[]> {
  return Promise.all(calls.map(async (call) => ({ ...call, previewed: await call.preview() })));
}

function storedCall(call: PreviewedCall, shown: CardCall | undefined): ApprovalCall {
  const { use, tool, previewed } = call;
  const title = `${tool.name} ${inlineCode(subjectOf(call), TITLE_CHARS)}`.trim();
  const grant = grantOf(call, "refused" in previewed ? undefined : previewed.previewDigest);
  const stored = { callId: use.id, tool: tool.name, input: canonicalJson(use.input), grant, title };
  if ("refused" in previewed) return { ...stored, refused: previewed.refused };
  const { previewDigest } = previewed;
  return {
    ...stored,
    ...(previewDigest === undefined ? {} : { previewDigest }),
    ...(shown === undefined ? {} : { shown: storedView(shown) }),
  };
}

/** The view of a call for those who decide outside the thread; it matches the card. */
function storedView({ preview, why }: CardCall): NonNullable<ApprovalCall["shown"]> {
  const { question, language, text, facts, reach, answers } = preview;
  const cut = text.length > STORED_CHARS ? `${text.slice(0, STORED_CHARS).toWellFormed()}\n${CUT}` : text;
  return {
    question,
    language,
    text: cut,
    reach,
    why,
    ...(facts && { facts: [...facts] }),
    ...(answers && { answers }),
  };
}

/** A shell command is titled by the command itself, not by the model's description of it. */
function subjectOf({ use, tool, previewed }: PreviewedCall): string {
  return "refused" in previewed || previewed.language !== "sh" ? tool.title(use.input) : previewed.text;
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

/** The calls that could succeed, as the card shows them. */
function shownCalls(
  asked: readonly PreviewedCall[],
  { request, lapsed }: Pick<NewApproval, "request" | "lapsed">,
): ReadonlyMap<PreviewedCall, CardCall> {
  const isLapsed = ({ use }: PendingCall) => [...lapsed].some((call) => call.use.id === use.id);
  const shown = asked.flatMap((call) => {
    const { previewed } = call;
    if ("refused" in previewed) return [];
    const why = approvalReason(call, request, isLapsed(call));
    return [[call, { preview: previewed, why, label: grantOf(call).label }] as const];
  });
  return new Map(shown);
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

/** The verdict on a call of this approval; null if the call was not part of it. */
function decidedVerdict(
  use: PendingCall["use"],
  row: ApprovalRow,
  { expiresMinutes }: ApprovalRules,
): CallVerdict | null {
  const call = row.calls.find(({ callId }) => callId === use.id);
  if (call === undefined) return null;
  if (call.refused !== undefined) return denied(call.refused);
  if (call.input !== canonicalJson(use.input))
    return denied("Not run: the arguments differ from those that were allowed.");
  switch (row.status) {
    case "allowed":
      return allowed(call.previewDigest);
    case "expired":
      return denied(`Not run: nobody decided within ${expiresMinutes} minutes. Continue without it, and say so.`);
    case "withdrawn":
      return denied(
        "Not run: nobody could be asked, because the approval card could not be posted. Continue without it, and say so.",
      );
    default:
      return denied(
        `Not run: ${row.decidedBy ?? "somebody"} denied it. Do not try to do the same another way; continue without it, or ask.`,
      );
  }
}

/** The reason for calls that were covered when the others were asked about, but no longer are. */
const NOT_ASKED = "Not run: it now needs a decision, and nobody was asked. Call again if it is still needed.";

function denied(reason: string): CallVerdict {
  return { type: "denied", reason };
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
