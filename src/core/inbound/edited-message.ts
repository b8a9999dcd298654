import type { StoredEvent } from "../events/session-event.ts";
import type { InboundMessage, Receipt } from "../protocol/platform.ts";
import type { Store } from "../store/store.ts";
import { type MessageOptions, takeRemark, takeRequest } from "./person-message.ts";

/** What an edit is of a message that is a request already. */
const CHANGED = "[I have changed this message of mine. It reads now:]";

/** What the edit of a message amounts to: a request that nobody has made before, or other words for one that somebody has. */
export type Edit =
  | { readonly type: "request"; readonly message: InboundMessage }
  | { readonly type: "correction"; readonly message: InboundMessage; readonly of: StoredEvent };

/** The key of a mention that was added to a message kept as a remark: the message's own key is taken. */
export function editedKey(key: string): string {
  return `edited:${key}`;
}

/** The key of what a message says since an edit, at that time. */
export function changedKey({ key, at }: Pick<InboundMessage, "key" | "at">): string {
  return `edited:${at}:${key}`;
}

/** Null when the edit changes nothing that the agent has, by this process or an earlier one, or is none of its business. */
export async function editOf(
  message: InboundMessage,
  { inbox, presence }: Pick<Store, "inbox" | "presence">,
): Promise<Edit | null> {
  const { key, edited } = message;
  if (await presence.wasAnswered(key)) return null;
  const first = await inbox.byKey(key);
  const request = isRequest(first) ? first : await inbox.byKey(editedKey(key));
  if (request !== null) return edited === "now" ? correction(message, request) : null;
  const isAddressed = message.addressed === "mention" || message.addressed === "dm";
  if (first === null) return isAddressed || edited === "before" ? { type: "request", message } : null;
  if (!isAddressed || (await presence.wasAnswered(editedKey(key)))) return null;
  return { type: "request", message: { ...message, key: editedKey(key) } };
}

function isRequest(event: StoredEvent | null): event is StoredEvent {
  return event?.body.kind === "message" && event.body.addressed;
}

function correction(message: InboundMessage, of: StoredEvent): Edit | null {
  const { body } = of;
  if (body.kind !== "message" || body.text === message.text) return null;
  const attachments = message.attachments.filter(({ ref }) => body.attachments.every((known) => known.ref !== ref));
  const quoted = message.quoted.filter((each) => !body.quoted.includes(each));
  const changed = { key: changedKey(message), text: `${CHANGED}\n${message.text}`, attachments, quoted };
  return { type: "correction", message: { ...message, ...changed, opensThread: false }, of };
}

/** Enters the run that goes on, or is about to begin; where the request is answered, it is kept for the next one. */
export async function takeCorrection(
  { message, of }: Extract<Edit, { type: "correction" }>,
  options: MessageOptions,
): Promise<Receipt> {
  const { sessions, runs, inbox } = options.store;
  const session = await sessions.get(of.sessionId);
  const isOn = (await inbox.isWaiting(of.key)) || (await runs.open(session.id)) !== null;
  return isOn ? takeRequest(message, { session, agent: null }, options) : takeRemark(message, session, options);
}
