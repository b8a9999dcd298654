import type { ApprovalRequest, PendingCall } from "../../agent/approval-service.ts";
import { type Message, textOf } from "../../protocol/messages.ts";
import { originsIn } from "../../trust/label.ts";
import { type ForeignText, likeliestPassage } from "../../trust/passage.ts";

/**
 * Why people are asked about a call: the tool's reason, a note that an earlier approval does not cover it, and the
 * foreign passage that most likely led to it. Null if the mode alone is the reason. `isLapsed` means that the requester
 * has a grant for the call.
 */
export function approvalReason(
  { use, why }: Pick<PendingCall, "use" | "why">,
  { messages }: ApprovalRequest,
  isLapsed: boolean,
): string | null {
  const passage = likeliestPassage(messages.flatMap(foreignTexts), JSON.stringify(use.input));
  const reasons = [
    ...(why === null ? [] : [why]),
    ...(isLapsed ? ["It was allowed before, but the conversation now contains words from others."] : []),
    ...(passage === null ? [] : [`${passage.origin} says: “${passage.text}”`]),
  ];
  return reasons.length === 0 ? null : reasons.join(" ");
}

/** The parts of a message that no person answers for. */
function foreignTexts({ content, label, author }: Message): ForeignText[] {
  const origins = label === undefined ? [] : originsIn(label);
  const origin = origins.join(", ");
  if (origins.length === 0) return [];
  const isTheirs = author !== undefined && label?.who.includes(author.id) === true;
  return content.flatMap((block): ForeignText[] => {
    if (block.type === "tool_result") return [{ origin, text: textOf(block.content) }];
    if (block.type === "document") return [{ origin, text: block.text ?? "" }];
    // A person's message may quote the words of others.
    const isForeign = block.type === "text" && (!isTheirs || block.isQuoted === true);
    return isForeign ? [{ origin, text: block.text }] : [];
  });
}
