import { openInteractions } from "../../core/history/session-state.ts";
import { openCard } from "../../core/people/question-card.ts";
import { approvalCard, type CardCall } from "../../core/permissions/approval-card.ts";
import { decidersText, mayDecide } from "../../core/permissions/deciders.ts";
import type { OutgoingMessage } from "../../core/platform/outgoing.ts";
import type { Person } from "../../core/platform/thread.ts";
import type { ApprovalCall, ApprovalRow } from "../../core/store/run/approvals.ts";
import type { Family } from "../../core/store/run/children.ts";
import type { QuestionRow } from "../../core/store/run/questions.ts";
import { canonicalJson } from "../../core/text/canonical-json.ts";
import { originOf } from "../../core/trust/label.ts";
import type { TeamSessions } from "../../feature.ts";
import type { FeatureHost } from "../../feature-host.ts";

type Session = NonNullable<Awaited<ReturnType<TeamSessions["session"]>>>;
type Card = Session["cards"][number];

/** Maximum length of a card, in characters. The page shows inline what a chat attaches as a file. */
const CARD_CHARS = 40_000;
const MINUTE_MS = 60_000;

export interface CardArgs {
  readonly family: Family["ofSession"];
  /** The person who may press the buttons; null if nobody may. */
  readonly by: Person | null;
}

/** Open approvals and questions, with buttons if the viewer may answer them. */
export async function cardsOf(
  { family, by }: CardArgs,
  { store, approvals: rules }: Pick<FeatureHost, "store" | "approvals">,
): Promise<Card[]> {
  const [approvals, questions] = await openInteractions(store, family.sessionIds);
  const agents = new Map(family.children.map(({ id, task }) => [id, task.agent]));
  return [
    ...approvals.map((row) => {
      const agent = agents.get(row.sessionId) ?? null;
      const maySay = by !== null && mayDecide(by, row.people.requester.id, rules);
      return cardOf("approval", approvalMessage(row, { agent, rules }), { id: row.id, maySay });
    }),
    ...questions.map((row) => questionCard(row, by !== null)),
  ];
}

function cardOf(
  kind: Card["kind"],
  { markdown, footer = "", files, buttons }: OutgoingMessage,
  { id, maySay }: { readonly id: string; readonly maySay: boolean },
): Card {
  const attached = files.map(({ name, data }) => ({ name, text: new TextDecoder().decode(data) }));
  // Changes to a plan are asked for by writing in the thread.
  const here = buttons.filter((button) => !button.id.startsWith("answer:change:"));
  return { id, kind, markdown, footer, attached, buttons: maySay ? here : [] };
}

/** The card as its platform shows it. For a call stored without a preview, its arguments. */
function approvalMessage(
  { id, calls, people, createdAt, expiresAt }: ApprovalRow,
  { agent, rules }: { readonly agent: string | null; readonly rules: FeatureHost["approvals"] },
): OutgoingMessage {
  const { requester, others, outside = [], mayRemember } = people;
  return approvalCard({
    approvalId: id,
    agent,
    calls: calls.filter(({ refused }) => refused === undefined).map(shownCall),
    requester,
    others,
    origins: outside.flatMap((each) => originOf(each) ?? []),
    mayRemember,
    deciders: decidersText(requester.name, rules),
    expiresMinutes: Math.round((expiresAt - createdAt) / MINUTE_MS),
    maxChars: CARD_CHARS,
    footerChars: CARD_CHARS,
  }).message;
}

function shownCall({ tool, input, title, grant, shown }: ApprovalCall): CardCall {
  if (shown !== undefined) {
    const { why, ...preview } = shown;
    return { preview, why, label: grant.label };
  }
  const question = title === "" ? `${tool}?` : `${title.replaceAll("`", "")}?`;
  const text = argumentsText(JSON.parse(input));
  return { preview: { question, text, language: "", reach: "" }, why: null, label: grant.label };
}

/** The arguments by name. Multi-line values are indented, so that no line can pass for another argument. */
function argumentsText(input: unknown): string {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return canonicalJson(input);
  return Object.entries(input)
    .map(([name, value]) => {
      const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
      return text.includes("\n") ? `${name}:\n${text.replaceAll(/^/gmu, "  ")}` : `${name}: ${text}`;
    })
    .join("\n");
}

function questionCard(row: QuestionRow, maySay: boolean): Card {
  const message = openCard(row, { deciders: "the person I asked or an approver", maxChars: CARD_CHARS });
  return cardOf(row.body.kind, { ...message, footer: "" }, { id: row.id, maySay });
}
