import type { InboundMessage } from "../protocol/platform.ts";
import type { Store } from "../store/store.ts";

/** The key of a mention that was added to a message kept as a remark: the message's own key is taken. */
export function editedKey(key: string): string {
  return `${key}:edited`;
}

/**
 * A message that addresses the agent since it was edited, under the key it is taken by; null when it has been taken as a
 * request before, edited or not, by this process or an earlier one.
 */
export async function editedMention(
  message: InboundMessage,
  { inbox, presence }: Pick<Store, "inbox" | "presence">,
): Promise<InboundMessage | null> {
  const { key } = message;
  if (await presence.wasAnswered(key)) return null;
  const body = (await inbox.byKey(key))?.body;
  if (body === undefined) return message;
  if (body.kind === "message" && body.addressed) return null;
  return (await presence.wasAnswered(editedKey(key))) ? null : { ...message, key: editedKey(key) };
}
