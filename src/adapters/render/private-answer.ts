import type { Receipt } from "../../core/platform/inbound.ts";
import type { OutgoingMessage } from "../../core/platform/outgoing.ts";
import { privateMessage } from "../../core/platform/replies.ts";

/** The message that only the person who caused an event sees; null if there is nothing to say. */
export function privateAnswer(receipt: Receipt): OutgoingMessage | null {
  if (receipt.type === "reply") return receipt.message;
  return receipt.type === "refused" ? privateMessage(receipt.reason) : null;
}
