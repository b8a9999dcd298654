import type { ApprovalRequest, PendingCall } from "../../agent/approval-service.ts";
import type { CardCall } from "../../permissions/approval-card.ts";
import type { ApprovalCall } from "../../store/run/approvals.ts";
import { canonicalJson } from "../../text/canonical-json.ts";
import { inlineCode } from "../../text/plain-text.ts";
import type { CallPreview, CallRefusal } from "../../tool.ts";
import { approvalReason } from "./reason.ts";
import { grantOf } from "./remembered.ts";

/** Maximum length of a call's title in the lines that remain after a decision, in characters. */
const TITLE_CHARS = 80;
/** Maximum length of a call's stored text, in characters. The card in the thread has all of it. */
const STORED_CHARS = 100_000;
const CUT = "… (the card in the thread has the rest)";

export interface PreviewedCall extends PendingCall {
  readonly previewed: CallPreview | CallRefusal;
}

export function isRepeatable({ always, previewed }: PreviewedCall): boolean {
  return !always && ("refused" in previewed || previewed.isRepeatable !== false);
}

export function previewedCalls(calls: readonly PendingCall[]): Promise<PreviewedCall[]> {
  return Promise.all(calls.map(async (call) => ({ ...call, previewed: await call.preview() })));
}

export function storedCall(call: PreviewedCall, shown: CardCall | undefined): ApprovalCall {
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

/** The calls that could succeed, as the card shows them. */
export function shownCalls(
  asked: readonly PreviewedCall[],
  { request, lapsed }: { readonly request: ApprovalRequest; readonly lapsed: ReadonlySet<PendingCall> },
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
