import { commandNamed } from "../../core/commands/slash-name.ts";
import type {
  Attachment,
  InboundAction,
  InboundCommand,
  InboundMessage,
  ThreadRef,
} from "../../core/protocol/platform.ts";
import type { Clock } from "../../core/protocol/runtime.ts";
import type { Directory } from "./directory.ts";
import { addressedFirst, mentionedIn, readableText, withoutMentionOf } from "./text.ts";
import type { Identity } from "./web.ts";
import { type BlockActions, type HomeActions, type MessageEvent, type SlashCommand, tsToMs } from "./wire.ts";

export interface InboundDeps {
  readonly identity: Identity;
  readonly directory: Directory;
  readonly clock: Clock;
}

/** Subtypes of messages that people write; edits, joins, deletions and the rest are none. */
const WRITTEN = new Set([undefined, "file_share", "thread_broadcast", "me_message"]);

/** Null for what is nobody's word to us: our own messages, other bots, edits, joins. */
export async function inboundMessage(event: MessageEvent, deps: InboundDeps): Promise<InboundMessage | null> {
  const { identity, directory } = deps;
  const { user, channel, ts } = event;
  if (user === undefined || user === identity.userId) return null;
  if (!WRITTEN.has(event.subtype) || event.hidden === true) return null;
  if (event.bot_id !== undefined && event.bot_id !== null) return null;
  const kind = channelKind(channel, event.channel_type);
  // Slack is asked for all names at once: what it answers slowly, somebody waits for.
  const [person, place, content] = await Promise.all([
    directory.person(user),
    placeOf({ channel, kind, threadId: event.thread_ts ?? ts }, deps),
    messageContent(event, deps),
  ]);
  if (person.isBot) return null;
  const addressed = addressedOf(event.text ?? "", kind, identity.userId);
  return {
    kind: "message",
    key: `slack:${identity.teamId}:${channel}:${ts}`,
    ...place,
    person,
    at: tsToMs(ts),
    ...content,
    addressed,
    opensThread: event.thread_ts === undefined && (addressed === "mention" || addressed === "dm"),
    messageId: ts,
  };
}

type Content = Pick<MessageEvent, "text" | "files" | "attachments">;

/** What a message says, as the model may read it. */
export async function messageContent(
  message: Content,
  { identity, directory }: InboundDeps,
): Promise<Pick<InboundMessage, "text" | "quoted" | "attachments">> {
  const own = withoutMentionOf(message.text ?? "", identity.userId);
  const quoted = quotedTexts(message);
  const people = await directory.namesOf(mentionedIn([own, ...quoted].join("\n")));
  const names = { people, channels: new Map<string, string>() };
  return {
    text: readableText(own, names),
    quoted: quoted.map((text) => readableText(text, names)),
    attachments: (message.files ?? []).map(attachmentOf),
  };
}

function addressedOf(text: string, kind: Kind, botUserId: string): InboundMessage["addressed"] {
  if (kind === "dm") return "dm";
  if (mentionedIn(text).includes(botUserId)) return "mention";
  return addressedFirst(text) === null ? "none" : "other";
}

type Kind = InboundMessage["channel"]["kind"];

/** `app_mention` carries no channel type; ids of direct messages begin with D. */
export function channelKind(channelId: string, type: string | undefined): Kind {
  if (type === "mpim") return "group";
  return type === "im" || channelId.startsWith("D") ? "dm" : "channel";
}

interface Place {
  readonly channel: string;
  readonly name?: string | undefined;
  readonly kind: Kind;
  readonly threadId: string | null;
}

export async function placeOf({ channel, name, kind, threadId }: Place, { identity, directory }: InboundDeps) {
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

function quotedTexts(event: Pick<MessageEvent, "attachments">): string[] {
  return (event.attachments ?? []).flatMap((attachment) => {
    const parts = [attachment.pretext, attachment.title, attachment.text ?? attachment.fallback];
    const text = parts.filter((part) => part !== undefined && part !== null && part !== "").join("\n");
    if (text === "") return [];
    return [attachment.author_name ? `${attachment.author_name}: ${text}` : text];
  });
}

function attachmentOf(file: NonNullable<MessageEvent["files"]>[number]): Attachment {
  return {
    name: file.name ?? file.id,
    mediaType: file.mimetype ?? "application/octet-stream",
    size: file.size ?? 0,
    // Files of other workspaces come without an address: they are asked for by id.
    ref: file.url_private_download ?? file.url_private ?? file.id,
  };
}

/** A click on a button of ours; null for any other element. */
export async function inboundAction(body: BlockActions, deps: InboundDeps): Promise<InboundAction | null> {
  const action = body.actions.find(({ type }) => type === "button");
  if (action === undefined) return null;
  const { channel, message, container } = body;
  const kind = channelKind(channel.id, undefined);
  // What only one person sees is no message that a thread could hang at: it names its thread, or opens one.
  const own = container.is_ephemeral ? (action.value ?? null) : container.message_ts;
  const threadId = message?.thread_ts ?? container.thread_ts ?? own;
  return {
    kind: "action",
    key: `slack:action:${channel.id}:${container.message_ts}:${action.action_ts}`,
    ...(await placeOf({ channel: channel.id, name: nameOf(channel.name, kind), kind, threadId }, deps)),
    person: await deps.directory.person(body.user.id),
    at: tsToMs(action.action_ts),
    action: action.action_id,
  };
}

/** A click on a button of the home tab: as if it were at the top of the person's direct messages. */
export async function inboundHomeAction(
  { user, view, actions }: HomeActions,
  deps: InboundDeps & { readonly directChannel: (userId: string) => Promise<string> },
): Promise<InboundAction | null> {
  const action = actions.find(({ type }) => type === "button");
  if (action === undefined) return null;
  const channel = await deps.directChannel(user.id);
  return {
    kind: "action",
    key: `slack:action:${view.id}:${action.action_ts}`,
    ...(await placeOf({ channel, kind: "dm", threadId: null }, deps)),
    person: await deps.directory.person(user.id),
    at: tsToMs(action.action_ts),
    action: action.action_id,
  };
}

/** Commands carry no thread: the reply opens one. */
export async function inboundCommand(body: SlashCommand, deps: InboundDeps): Promise<InboundCommand> {
  const { channel_id: channel } = body;
  const kind = channelKind(channel, undefined);
  return {
    kind: "command",
    key: `slack:command:${body.trigger_id}`,
    ...(await placeOf({ channel, name: nameOf(body.channel_name, kind), kind, threadId: null }, deps)),
    person: await deps.directory.person(body.user_id),
    at: deps.clock.now(),
    name: commandNamed(body.command),
    args: readableText(body.text, { people: new Map(), channels: new Map() }).trim(),
  };
}

/** Payloads name private channels and direct messages by their kind; those names are looked up. */
function nameOf(name: string | undefined, kind: Kind): string | undefined {
  return kind === "channel" && name !== "privategroup" ? name : undefined;
}
