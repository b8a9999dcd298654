import type { CallVerdict, PendingCall } from "../../agent/approval-service.ts";
import type { ApprovalRules } from "../../permissions/deciders.ts";
import type { ApprovalRow } from "../../store/run/approvals.ts";
import { canonicalJson } from "../../text/canonical-json.ts";

export function allowed(previewDigest: string | undefined): CallVerdict {
  return previewDigest === undefined ? { type: "allowed" } : { type: "allowed", previewDigest };
}

/** The reason for calls that were covered when the others were asked about, but no longer are. */
export const NOT_ASKED = "Not run: it now needs a decision, and nobody was asked. Call again if it is still needed.";

export function denied(reason: string): CallVerdict {
  return { type: "denied", reason };
}

/** The verdict on a call of this approval; null if the call was not part of it. */
export function decidedVerdict(
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
