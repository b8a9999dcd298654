import { eventKey } from "../../core/events/event-key.ts";
import type { InboundAction, InboundCommand, InboundMessage } from "../../core/platform/inbound.ts";
import type { Person, ThreadRef } from "../../core/platform/thread.ts";
import type { Clock } from "../../core/protocol/runtime.ts";
import { UNREAD } from "../render/read-message.ts";
import { COMMAND_PREFIX } from "./descriptor.ts";
import type { Directory } from "./directory.ts";
import { textOfBlocks } from "./message/blocks.ts";
import { readMessage } from "./message/read-message.ts";
import { addressedFirst, mentionedIn, readableText } from "./message/text.ts";
import { directChannel } from "./private/ephemeral.ts";
import { type Views, viewText } from "./views.ts";
import type { Identity, SlackWeb } from "./web.ts";
import { type BlockActions, type HomeActions, type MessageEvent, type SlashCommand, tsToMs } from "./wire.ts";

export interface InboundDeps {
  readonly identity: Identity;
  readonly directory: Directory;
  readonly clock: Clock;
  /** What people with an open pane are looking at beside it. */
  readonly views: Views;
  /** Whether messages of this person are read at all. The core decides; this check saves needless work. */
  readonly serves: (person: Person) => boolean;
}

/** Subtypes of messages written by people; edits, joins and deletions are not among them. */
const WRITTEN = new Set([undefined, "file_share", "thread_broadcast", "me_message"]);

/** Null for anything but a person's message, such as the bot's own messages, other bots, edits and joins. */
export async function inboundMessage(event: MessageEvent, deps: InboundDeps): Promise<InboundMessage | null> {
  const { identity, directory } = deps;
  const { user, channel, ts } = event;
  if (user === undefined || !isFromPerson(event, identity)) return null;
  const kind = channelKind(channel, event.channel_type);
  const [person, place] = await Promise.all([
    directory.person(user),
    placeOf({ channel, kind, threadId: event.thread_ts ?? ts }, deps),
  ]);
  if (person.isBot) return null;
  const isRead = deps.serves(person);
  const { text, quoted, files } = isRead ? await readMessage(event, { directory, botUserId: identity.userId }) : UNREAD;
  const view = isRead && kind === "dm" ? await viewOf(event, deps) : [];
  const addressed = addressedOf(event, identity.userId);
  return {
    kind: "message",
    key: messageKey(identity, channel, ts),
    ...place,
    person,
    at: tsToMs(ts),
    text,
    quoted: [...view, ...quoted],
    attachments: files,
    addressed,
    opensThread: event.thread_ts === undefined && (addressed === "mention" || addressed === "dm"),
    messageId: ts,
    ...(isNil(event.edited) ? {} : { edited: "before" }),
  };
}

/** Whether a person wrote the message, judged by its payload alone. */
export function isFromPerson({ user, subtype, hidden, bot_id }: MessageEvent, { userId }: Identity): boolean {
  return user !== undefined && user !== userId && WRITTEN.has(subtype) && hidden !== true && isNil(bot_id);
}

/** Reads an event that Slack sends both for new and for edited messages. An edit takes the time of the edit. */
export async function newOrEditedMessage(event: MessageEvent, deps: InboundDeps): Promise<InboundMessage | null> {
  const message = await inboundMessage(event, deps);
  return message === null || isNil(event.edited) ? message : { ...message, at: tsToMs(event.edited.ts), edited: "now" };
}

function isNil(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

/** What the author has open beside the pane; empty if it has not changed since their last message. */
async function viewOf({ user = "", app_context }: MessageEvent, { views, directory }: InboundDeps): Promise<string[]> {
  if (!isNil(app_context)) views.changed(user, app_context);
  const seen = views.take(user);
  return seen === null ? [] : [await viewText(seen, directory)];
}

/** Whom a message is addressed to, judged by its payload alone. */
export function addressedOf(event: MessageEvent, botUserId: string): InboundMessage["addressed"] {
  const { type, channel, channel_type, text: rawText, blocks } = event;
  if (channelKind(channel, channel_type) === "dm") return "dm";
  const text = rawText ?? "";
  // The text of a message with blocks may lack the mentions in its blocks.
  if (type === "app_mention" || mentionedIn(`${text}\n${textOfBlocks(blocks)}`).includes(botUserId)) return "mention";
  return addressedFirst(text) === null ? "none" : "other";
}

type Kind = InboundMessage["channel"]["kind"];

/** Ids of direct messages begin with D; `app_mention` has no channel type. */
export function channelKind(channelId: string, type?: string): Kind {
  if (type === "mpim") return "group";
  return type === "im" || channelId.startsWith("D") ? "dm" : "channel";
}

interface ChannelContext {
  readonly channel: string;
  readonly name?: string | undefined;
  readonly kind: Kind;
  readonly threadId: string | null;
}

export async function placeOf({ channel, name, kind, threadId }: ChannelContext, { identity, directory }: InboundDeps) {
  const thread: ThreadRef = { platform: "slack", workspaceId: identity.teamId, channelId: channel, threadId };
  return {
    workspace: { id: identity.teamId, name: identity.teamName },
    channel: {
      id: channel,
      kind,
      name: name ?? (kind === "dm" ? "direct message" : await directory.channelName(channel)),
    },
    thread,
  };
}

/** A click on one of the bot's buttons; null for other elements. */
export async function inboundAction(body: BlockActions, deps: InboundDeps): Promise<InboundAction | null> {
  const action = body.actions.find(({ type }) => type === "button");
  if (action === undefined) return null;
  const { channel, message, container } = body;
  const kind = channelKind(channel.id);
  // A private message cannot start a thread, so its button names the thread, or the click opens a new one.
  const own = container.is_ephemeral ? (action.value ?? null) : container.message_ts;
  const threadId = message?.thread_ts ?? container.thread_ts ?? own;
  return {
    kind: "action",
    key: eventKey("slack", "action", channel.id, container.message_ts, action.action_ts),
    ...(await placeOf({ channel: channel.id, name: nameOf(channel.name, kind), kind, threadId }, deps)),
    person: await deps.directory.person(body.user.id),
    at: tsToMs(action.action_ts),
    action: action.action_id,
  };
}

/** A click on a button of the home tab, treated as made at the top level of the person's direct messages. */
export async function inboundHomeAction(
  { user, view, actions }: HomeActions,
  deps: InboundDeps & { readonly web: SlackWeb },
): Promise<InboundAction | null> {
  const action = actions.find(({ type }) => type === "button");
  if (action === undefined) return null;
  const channel = await directChannel(deps.web, user.id);
  return {
    kind: "action",
    key: eventKey("slack", "action", view.id, action.action_ts),
    ...(await placeOf({ channel, kind: "dm", threadId: null }, deps)),
    person: await deps.directory.person(user.id),
    at: tsToMs(action.action_ts),
    action: action.action_id,
  };
}

/** Commands carry no thread; the reply opens one. */
export async function inboundCommand(body: SlashCommand, deps: InboundDeps): Promise<InboundCommand> {
  const { channel_id: channel } = body;
  const kind = channelKind(channel);
  return {
    kind: "command",
    key: eventKey("slack", "command", body.trigger_id),
    ...(await placeOf({ channel, name: nameOf(body.channel_name, kind), kind, threadId: null }, deps)),
    person: await deps.directory.person(body.user_id),
    at: deps.clock.now(),
    name: body.command.replace(/^\//u, "").replace(COMMAND_PREFIX, ""),
    args: readableText(body.text, { people: new Map(), channels: new Map() }).trim(),
  };
}

/** The channel's name, unless the payload gives only its kind, as it does for private channels and direct messages. */
function nameOf(name: string | undefined, kind: Kind): string | undefined {
  return kind === "channel" && name !== "privategroup" ? name : undefined;
}

/** The event key of a message, needing only parts that every payload has. */
export function messageKey({ teamId }: Identity, channel: string, ts: string): string {
  return eventKey("slack", teamId, channel, ts);
}
