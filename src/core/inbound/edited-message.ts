import type { StoredEvent, StoredMessage } from "../events/session-event.ts";
import type { InboundMessage, Receipt } from "../platform/inbound.ts";
import type { MessageKeys } from "../store/inbox.ts";
import type { Store } from "../store/store.ts";
import { handleRequest, type MessageOptions, storeOverheard } from "./person-message.ts";

/** Introduces the new text of a message that was already a request. */
const CHANGED = "[I edited this message. It now reads:]";

/** Prefix of the keys of edits. */
const EDITED = "edited:";

/** The effect of an edit: a new request, or a correction of an earlier one. */
export type Edit =
  | { readonly type: "request"; readonly message: InboundMessage }
  | { readonly type: "correction"; readonly message: InboundMessage; readonly of: StoredMessage };

/** The key of a request that an edit made out of a remark. The message's own key is already in use. */
export function editedKey(key: string): string {
  return `${EDITED}${key}`;
}

/** The key of a message's text as of one edit. */
export function changedKey({ key, at }: Pick<InboundMessage, "key" | "at">): string {
  return `${EDITED}${at}:${key}`;
}

/** Matches the key of a message and of all its edits. */
export function keysOf(message: string): MessageKeys {
  return { message, edits: { startsWith: EDITED, endsWith: `:${message}` } };
}

/** The key of the message that a message or edit key belongs to. */
export function messageKeyOf(key: string): string {
  return key.replace(/^edited:(?:\d+:)?/u, "");
}

/**
 * Classifies an edit. Null if it changes nothing that the agent has already received, or does not concern the agent.
 */
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

function requestIn(event: StoredEvent | null): StoredMessage | null {
  return event?.body.kind === "message" && event.body.addressed ? { ...event, body: event.body } : null;
}

/** Whether the text equals the request's and has not been changed in between. */
async function isKnown(
  { text, messageId }: InboundMessage,
  { seq, sessionId, body }: StoredMessage,
  { inbox, at }: { readonly inbox: Store["inbox"]; readonly at: number },
): Promise<boolean> {
  if (body.text !== text) return false;
  const later = [...(await inbox.takenSince(sessionId, seq)), ...(await inbox.waiting(sessionId, at))];
  return !later.some((each) => each.seq > seq && each.body.kind === "message" && each.body.messageId === messageId);
}

function correction(message: InboundMessage, of: StoredMessage): Edit {
  const { body } = of;
  const attachments = message.attachments.filter(({ ref }) => body.attachments.every((known) => known.ref !== ref));
  const quoted = message.quoted.filter((each) => !body.quoted.includes(each));
  const changed = { key: changedKey(message), text: `${CHANGED}\n${message.text}`, attachments, quoted };
  return { type: "correction", message: { ...message, ...changed, opensThread: false }, of };
}

/**
 * Delivers a correction to the run that is open or about to begin. If the request has already been answered, keeps it
 * as context for the next run.
 */
export async function handleCorrection(
  { message, of }: Extract<Edit, { type: "correction" }>,
  options: MessageOptions,
): Promise<Receipt> {
  const { sessions, runs, inbox } = options.store;
  const session = await sessions.get(of.sessionId);
  const isOn = (await inbox.isWaiting(of.key)) || (await runs.open(session.id)) !== null;
  return isOn ? handleRequest(message, { session, agent: null }, options) : storeOverheard(message, session, options);
}
