import type { ThreadBreaker } from "../budget/thread-breaker.ts";
import type { CalledSkill, PersonMessageEvent } from "../events/session-event.ts";
import { extendRaisedMode, isRaisedForOthers } from "../events/session-settings.ts";
import { agentSwitched, agentSwitchesNext } from "../history/agent-switch.ts";
import type { DecisionScope } from "../people/interaction.ts";
import { mayDecide } from "../permissions/deciders.ts";
import type { InboundEvent, InboundMessage, Receipt } from "../platform/inbound.ts";
import { reply } from "../platform/replies.ts";
import { channelKeyOf, sessionKeyOf } from "../platform/thread.ts";
import type { Author } from "../protocol/messages.ts";
import { applicantOf, type NewSession, type SessionRow } from "../store/sessions.ts";
import type { StoreTransaction } from "../store/store.ts";

export interface MessageOptions extends DecisionScope {
  readonly breaker: ThreadBreaker;
  readonly agentOf: (channelKey: string) => string;
}

const TOO_QUICK =
  "✗ More than 30 runs in 10 minutes, each started as soon as the last one ended: that looks like a loop, so I won't answer here for a few minutes.";

export interface Request {
  /** Null if the thread has no session yet. */
  readonly session: SessionRow | null;
  /** The agent that answers from now on; null for the session's own. */
  readonly agent: string | null;
  readonly skill?: CalledSkill | undefined;
  /** The origin of the text, if the person did not write it. */
  readonly from?: string | undefined;
}

/** Takes a request: it begins a run, or enters the one in progress. */
export async function handleRequest(
  message: InboundMessage,
  { session, agent, skill, from }: Request,
  options: MessageOptions,
): Promise<Receipt> {
  if (session === null) return openWith(message, { agent, skill, from }, options);
  const verdict = await options.breaker.arrives(session.id);
  if (verdict === "stops") return reply(TOO_QUICK);
  if (verdict === "stopped") return { type: "ignored" };
  const delivery = { session, addressed: true, isNew: false, agent, skill, from, before: session.agent };
  return deliver(message, delivery, options);
}

/** Opens a session together with the event that begins its first run, in one transaction. */
async function openWith(
  message: InboundMessage,
  { agent, skill, from }: Omit<Request, "session">,
  options: MessageOptions,
): Promise<Receipt> {
  const { store } = options;
  const usual = options.agentOf(channelKeyOf(message.thread));
  const opening = newSession(message, agent ?? usual, options);
  const delivery = { addressed: true, isNew: true, agent, skill, from, before: usual };
  try {
    const session = { id: opening.id, people: [opening.createdBy], settings: {} };
    return await deliver(message, { ...delivery, session, opening }, options);
  } catch (error) {
    // If two messages open the session of one thread at once, the unique key decides, and both enter that session.
    const session = await store.sessions.byKey(opening.key);
    if (session === null) throw error;
    return deliver(message, { ...delivery, session }, options);
  }
}

/** Keeps what people say to each other in a session's thread as context. Starts no run. */
export async function storeOverheard(
  message: InboundMessage,
  session: SessionRow,
  options: MessageOptions,
): Promise<Receipt> {
  const { store, runtime } = options;
  const now = runtime.clock.now();
  const held = extendRaisedMode(session.settings, now);
  if (held !== null) await store.transaction((tx) => tx.sessions.changeSettings(session.id, held, now));
  return deliver(message, { session, addressed: false, isNew: false, agent: null, before: session.agent }, options);
}

interface Delivery extends Omit<Request, "session"> {
  readonly session: Pick<SessionRow, "id" | "people" | "settings">;
  /** The session to be created together with the message. */
  readonly opening?: NewSession;
  readonly addressed: boolean;
  readonly isNew: boolean;
  /** The agent that has been answering here, or would have. */
  readonly before: string;
}

async function deliver(message: InboundMessage, delivery: Delivery, options: MessageOptions): Promise<Receipt> {
  const { session, opening, addressed, agent, before } = delivery;
  const { store, engine } = options;
  if (addressed && !session.people.includes(message.person.id)) {
    await store.transaction((tx) => tx.sessions.addPerson(session.id, message.person.id));
  }
  const switches = agent !== null && agent !== before;
  const waits = switches && (await store.runs.open(session.id)) !== null;
  const opens = async (tx: StoreTransaction) =>
    opening === undefined ? true : applicantOf(await tx.sessions.create(opening));
  const event = { key: message.key, body: bodyOf(message, delivery, options) };
  const outcome = await engine.deliver(session.id, event, opens);
  if (outcome !== "new") return { type: "duplicate" };
  if (!switches) return { type: "accepted" };
  return reply(waits ? agentSwitchesNext(agent, before) : agentSwitched(agent, before));
}

function authorOf({ person: { id, name, roles } }: InboundMessage): Author {
  return { id, name, ...(roles.length === 0 ? {} : { roles: [...roles] }) };
}

function bodyOf(
  message: InboundMessage,
  { session, addressed, isNew, agent, skill, from }: Delivery,
  { approvals }: MessageOptions,
): PersonMessageEvent {
  return {
    kind: "message",
    author: authorOf(message),
    text: message.text,
    quoted: [...message.quoted],
    attachments: [...message.attachments],
    thread: message.thread,
    messageId: message.messageId,
    at: message.at,
    addressed,
    joinsThread: isNew && !message.opensThread && message.thread.threadId !== null,
    ...(addressed && message.late !== undefined ? { late: message.late } : {}),
    ...(mayDecide(message.person, message.person.id, approvals) ? { decides: true } : {}),
    ...(agent === null ? {} : { agent }),
    // A raised mode does not extend to other people's requests, so these get a run of their own.
    ...(addressed && isRaisedForOthers(session.settings, message.person.id) ? { isOwnRun: true } : {}),
    ...(skill === undefined ? {} : { skill }),
    ...(from === undefined ? {} : { from }),
  };
}

/**
 * Returns the session of a thread, opening it if necessary. If two events do so at once, the unique key decides, and
 * both get the same session.
 */
export async function openSession(
  event: InboundEvent,
  agent: string,
  { store, runtime }: Pick<MessageOptions, "store" | "runtime">,
): Promise<SessionRow> {
  const opening = newSession(event, agent, { runtime });
  try {
    return await store.transaction((tx) => tx.sessions.create(opening));
  } catch (error) {
    const session = await store.sessions.byKey(opening.key);
    if (session !== null) return session;
    throw error;
  }
}

function newSession(event: InboundEvent, agent: string, { runtime }: Pick<MessageOptions, "runtime">): NewSession {
  const { thread, workspace, channel, person } = event;
  return {
    id: runtime.ids.next("ses"),
    key: sessionKeyOf(thread),
    thread,
    workspaceName: workspace.name,
    channel,
    agent,
    createdBy: person.id,
    at: runtime.clock.now(),
  };
}
