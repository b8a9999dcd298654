import type { JSX } from "preact";
import type { MessageBody } from "../../../render/local/wire.ts";
import type { Controller } from "../state/controller.ts";
import type { PendingMessage } from "../state/state.ts";
import { Label } from "../text/markdown-text.tsx";

interface DeliveryProps {
  /** Null while the server has not stored the message. */
  readonly body: MessageBody | null;
  readonly isNewest: boolean;
  /** Set until the server confirms that the message is durable, which is later than its being stored. */
  readonly sending: PendingMessage | undefined;
  readonly controller: Controller;
}

/** Delivery state of a person's message. */
export function Delivery({ body, isNewest, sending, controller }: DeliveryProps): JSX.Element | null {
  if (sending !== undefined && sending.failure !== null) {
    return (
      <div class="delivery failed" role="alert">
        <span>Not sent. {sending.failure}</span>
        <button type="button" onClick={() => controller.retry(sending)}>
          Try again
        </button>
        <button type="button" class="quiet" onClick={() => controller.discard(sending)}>
          {body === null ? "Discard" : "Dismiss"}
        </button>
      </div>
    );
  }
  const said = words(body?.signs ?? [], isNewest, sending !== undefined);
  return said === "" ? null : (
    <p class="delivery">
      <Label text={said} />
    </p>
  );
}

function words(signs: MessageBody["signs"], isNewest: boolean, isSending: boolean): string {
  if (signs.includes("seen")) return "✓ read";
  if (isSending) return "Sending…";
  if (signs.includes("working")) return isNewest ? "⏳ working on it" : "";
  return isNewest ? "Sent" : "";
}
