import type { PersonMessageEvent, StoredEvent } from "../events/session-event.ts";
import type { InboundMessage, Receipt } from "../protocol/platform.ts";
import type { MessageKeys } from "../store/inbox.ts";
import type { Store } from "../store/store.ts";
import { type MessageOptions, takeRemark, takeRequest } from "./person-message.ts";

/** What an edit is of a message that is a request already. */
const CHANGED = "[I have changed this message of mine. It reads now:]";

/** How the keys of edits begin. */
const EDITED = "edited:";

/** What the edit of a message amounts to: a request that nobody has made before, or other words for one that somebody has. */
export type Edit =
  | { readonly type: "request"; readonly message: InboundMessage }
  | { readonly type: "correction"; readonly message: InboundMessage; readonly of: Request };

interface Request extends StoredEvent {
  readonly body: PersonMessageEvent;
}

/** The key of a mention that was added to a message kept as a remark: the message's own key is taken. */
export function editedKey(key: string): string {
  return `${EDITED}${key}`;
}

/** The key of what a message says since an edit, at that time. */
export function changedKey({ key, at }: Pick<InboundMessage, "key" | "at">): string {
  return `${EDITED}${at}:${key}`;
}

/** The keys of a message and of all its edits. */
export function keysOf(message: string): MessageKeys {
  return { message, edits: { startsWith: EDITED, endsWith: `:${message}` } };
}

/** The key of a message, of which this is the key or that of an edit. */
export function messageKeyOf(key: string): string {
  return key.replace(/^edited:(?:\d+:)?/u, "");
}

/** Null when the edit changes nothing that the agent has, by this process or an earlier one, or is none of its business. */
export async function editOf(
  message: InboundMessage,
  { store, runtime }: Pick<MessageOptions, "store" | "runtime">,
): Promise<Edit | null> {
  const { key, edited } = message;
  const { inbox, presence } = store;
  if (await presence.wasAnswered(key)) return null;
  const first = await inbox.byKey(key);
  const request = requestIn(first) ?? requestIn(await inbox.byKey(editedKey(key)));
  if (request !== null) {
    if (edited !== "now" || (await isKnown(message, request, { inbox, at: runtime.clock.now() }))) return null;
    return correction(message, request);
  }
  const isAddressed = message.addressed === "mention" || message.addressed === "dm";
  if (first === null) return isAddressed || edited === "before" ? { type: "request", message } : null;
  if (!isAddressed || (await presence.wasAnswered(editedKey(key)))) return null;
  return { type: "request", message: { ...message, key: editedKey(key) } };
}

function requestIn(event: StoredEvent | null): Request | null {
  return event?.body.kind === "message" && event.body.addressed ? { ...event, body: event.body } : null;
}

/** True when it reads as the request did, and has not read otherwise in between. */
async function isKnown(
  { text, messageId }: InboundMessage,
  { seq, sessionId, body }: Request,
  { inbox, at }: { readonly inbox: Store["inbox"]; readonly at: number },
): Promise<boolean> {
  if (body.text !== text) return false;
  const later = [...(await inbox.takenSince(sessionId, seq)), ...(await inbox.waiting(sessionId, at))];
  return !later.some((each) => each.seq > seq && each.body.kind === "message" && each.body.messageId === messageId);
}

function correction(message: InboundMessage, of: Request): Edit {
  const { body } = of;
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
