import type { OutgoingMessage, Receipt } from "../../core/protocol/platform.ts";
import { privateMessage } from "../../core/protocol/replies.ts";

/** The message that only the person who caused an event sees; null if there is nothing to say. */
export function privateAnswer(receipt: Receipt): OutgoingMessage | null {
  if (receipt.type === "reply") return receipt.message;
  return receipt.type === "refused" ? privateMessage(receipt.reason) : null;
}
