import type { OutgoingMessage, Receipt } from "../../core/protocol/platform.ts";
import { privately } from "../../core/protocol/private-reply.ts";

/** What the person alone reads of what became of an event; null where there is nothing to say. */
export function privateAnswer(receipt: Receipt): OutgoingMessage | null {
  if (receipt.type === "reply") return receipt.message;
  return receipt.type === "refused" ? privately(receipt.reason) : null;
}
