import { z } from "zod";
import { blocksOf, json, openChannel } from "./slack-arguments.ts";
import { checkMessage } from "./slack-blocks.ts";
import type { Answer, Args, Method, MethodContext } from "./slack-method.ts";
import type { SlackChannel, SlackFile, SlackMessage, SlackUser, SlackWorkspace } from "./slack-model.ts";
import { postEphemeral } from "./slack-private.ts";
import { openModal, publishHome, setStatus, setSuggestedPrompts, setTitle } from "./slack-surfaces.ts";

/** Scopes that methods require. Source: Slack docs, the page of each method. */
export const SCOPES: Readonly<Record<string, string>> = {
  "chat.postMessage": "chat:write",
  "chat.update": "chat:write",
  "chat.delete": "chat:write",
  "chat.postEphemeral": "chat:write",
  "conversations.replies": "channels:history",
  "conversations.history": "channels:history",
  "conversations.info": "channels:read",
  "conversations.open": "im:write",
  "reactions.add": "reactions:write",
  "assistant.threads.setStatus": "chat:write",
  "assistant.threads.setSuggestedPrompts": "assistant:write",
  "assistant.threads.setTitle": "assistant:write",
  "users.info": "users:read",
  "users.conversations": "channels:read",
  "files.info": "files:read",
  "files.getUploadURLExternal": "files:write",
  "files.completeUploadExternal": "files:write",
};

/** Scopes that types of channels require. Source: Slack docs, users.conversations. */
const KIND_SCOPES: Readonly<Record<string, string>> = {
  public_channel: "channels:read",
  private_channel: "groups:read",
  im: "im:read",
  mpim: "mpim:read",
};
export const ALL_SCOPES: readonly string[] = [...Object.values(SCOPES), ...Object.values(KIND_SCOPES)];

/** The scopes that a call requires. */
export function scopesOf(method: string, args: Args): readonly string[] {
  if (method !== "users.conversations") return SCOPES[method] === undefined ? [] : [SCOPES[method]];
  return (args.types ?? "public_channel").split(",").map((kind) => KIND_SCOPES[kind] ?? "");
}

const postMessage: Method = (args, context) => {
  const { workspace } = context;
  const channel = openChannel(args, context);
  if (channel === null) return "channel_not_found";
  const problem = checkMessage(args, { maxTextChars: 40_000 });
  if (problem !== null) return problem;
  // A reply to a deleted message goes to the channel. Source: slack-go/slack#1571.
  const threadTs = workspace.find(channel, args.thread_ts ?? "")?.ts ?? null;
  const message = workspace.add({
    channel,
    user: workspace.botUserId,
    threadTs,
    text: args.text ?? "",
    blocks: blocksOf(args),
    metadata: json(args.metadata),
    linkNames: args.link_names === "true" || args.parse === "full",
    unfurlLinks: args.unfurl_links !== "false",
    unfurlMedia: args.unfurl_media !== "false",
  });
  context.echo(message);
  return { channel, ts: message.ts, message: asJson(message, context, false) };
};

const update: Method = (args, context) => {
  const channel = openChannel(args, context);
  if (channel === null) return "channel_not_found";
  const message = context.workspace.find(channel, args.ts ?? "");
  if (message === undefined) return "message_not_found";
  if (!message.byBot) return "cant_update_message";
  // Source: Slack docs, chat.update: text is at most 4,000 characters.
  const problem = checkMessage(args, { maxTextChars: 4_000 });
  if (problem !== null) return problem;
  message.text = args.text ?? "";
  message.blocks = blocksOf(args);
  message.edited = true;
  if (args.metadata !== undefined) message.metadata = json(args.metadata);
  return { channel, ts: message.ts, text: message.text };
};

const remove: Method = (args, { workspace }) => {
  const message = workspace.find(args.channel ?? "", args.ts ?? "");
  if (message === undefined) return "message_not_found";
  if (!message.byBot) return "cant_delete_message";
  workspace.messages.splice(workspace.messages.indexOf(message), 1);
  return { channel: message.channel, ts: message.ts };
};

const replies: Method = (args, context) => {
  const channel = openChannel(args, context);
  if (channel === null) return "channel_not_found";
  const thread = context.workspace.thread(channel, args.ts ?? "");
  if (thread.length === 0) return "thread_not_found";
  const oldest = Number(args.oldest ?? "0");
  const found = thread.filter((message, index) => index === 0 || Number(message.ts) >= oldest);
  return page(found, args, context);
};

const history: Method = (args, context) => {
  const channel = openChannel(args, context);
  if (channel === null) return "channel_not_found";
  const oldest = Number(args.oldest ?? "0");
  const found = context.workspace.messages.filter(
    (message) => message.channel === channel && message.threadTs === null && Number(message.ts) >= oldest,
  );
  return page(found.toReversed(), args, context);
};

function isIn(user: string, { members }: SlackChannel): boolean {
  return members === undefined || members.has(user);
}

/** Channels that the user (by default the bot) is in; of private ones only those that the bot is in too. */
const conversationsOf: Method = (args, { workspace }) => {
  const kinds = (args.types ?? "public_channel").split(",");
  const kindOf = ({ kind, isPrivate }: SlackChannel) => {
    if (kind !== "channel") return kind;
    return isPrivate === true ? "private_channel" : "public_channel";
  };
  const isSeen = (channel: SlackChannel) =>
    isIn(args.user ?? workspace.botUserId, channel) &&
    (channel.isPrivate !== true || isIn(workspace.botUserId, channel));
  const channels = [...workspace.channels.values()].filter(
    (each) => !each.gone && kinds.includes(kindOf(each)) && isSeen(each),
  );
  const limit = Math.min(Number(args.limit ?? "100"), 999);
  return {
    channels: channels.slice(0, limit).map(({ id, name, kind }) => ({
      id,
      ...(kind === "im" ? { is_im: true, user: "U0ANA" } : { name, is_channel: true, is_mpim: kind === "mpim" }),
    })),
    response_metadata: { next_cursor: channels.length > limit ? String(limit) : "" },
  };
};

function page(messages: readonly SlackMessage[], args: Args, context: MethodContext): Answer {
  const from = Number(args.cursor ?? "0");
  const limit = Math.min(Number(args.limit ?? "100"), 1_000);
  const next = from + limit < messages.length ? String(from + limit) : "";
  return {
    messages: messages
      .slice(from, from + limit)
      .map((each) => asJson(each, context, args.include_all_metadata === "true")),
    has_more: next !== "",
    response_metadata: { next_cursor: next },
  };
}

export function fileAsJson(file: SlackFile, origin: string): Record<string, unknown> {
  const url = `${origin}/files-pri/${file.id}/${encodeURIComponent(file.name)}`;
  const { id, name, mimetype, data, raw } = file;
  return { id, name, mimetype, size: data.length, url_private: url, url_private_download: url, ...raw };
}

export function asJson(message: SlackMessage, { workspace, origin }: MethodContext, withMetadata: boolean): object {
  return {
    type: "message",
    ts: message.ts,
    user: message.user,
    team: workspace.teamId,
    text: message.text,
    ...(message.byBot ? { bot_id: workspace.botId, app_id: "A0001" } : {}),
    ...(message.threadTs === null ? repliesTo(message, workspace) : { thread_ts: message.threadTs }),
    ...(message.blocks.length === 0 ? {} : { blocks: message.blocks }),
    ...(message.attachments.length === 0 ? {} : { attachments: message.attachments }),
    ...(message.files.length === 0 ? {} : { files: message.files.map((file) => fileAsJson(file, origin)) }),
    ...metadataAsJson(message, withMetadata),
    ...(message.edited ? { edited: { user: message.user, ts: workspace.nextTs() } } : {}),
    ...message.raw,
  };
}

/** Without `include_all_metadata`, only the event type is given. */
function metadataAsJson({ metadata }: SlackMessage, isWhole: boolean): object {
  if (metadata === undefined) return {};
  return { metadata: isWhole ? metadata : z.object({ event_type: z.string() }).parse(metadata) };
}

/** Fields of a root that describe its thread. */
function repliesTo({ channel, ts }: SlackMessage, workspace: SlackWorkspace): object {
  const [, ...replies] = workspace.thread(channel, ts);
  const latest = replies.at(-1);
  return latest === undefined ? {} : { thread_ts: ts, reply_count: replies.length, latest_reply: latest.ts };
}

const addReaction: Method = (args, { workspace }) => {
  const message = workspace.find(args.channel ?? "", args.timestamp ?? "");
  if (message === undefined) return "message_not_found";
  if (message.reactions.includes(args.name ?? "")) return "already_reacted";
  message.reactions.push(args.name ?? "");
  return {};
};

const userInfo: Method = (args, { workspace }) => {
  const user = workspace.users.get(args.user ?? "");
  return user === undefined ? "user_not_found" : { user: userAsJson(user, workspace) };
};

function userAsJson(user: SlackUser, workspace: SlackWorkspace): object {
  return {
    id: user.id,
    team_id: user.teamId ?? workspace.teamId,
    name: user.name,
    real_name: user.name,
    is_bot: user.isBot ?? false,
    deleted: user.isDeleted ?? false,
    is_restricted: user.isRestricted ?? false,
    is_ultra_restricted: user.isUltraRestricted ?? false,
    is_stranger: user.isStranger ?? false,
    ...(user.organisation === undefined ? {} : { enterprise_user: user.organisation }),
    profile: { display_name: user.name, real_name: user.name },
    ...user.raw,
  };
}

const channelInfo: Method = (args, { workspace }) => {
  const channel = workspace.channel(args.channel ?? "");
  const is_member = isIn(workspace.botUserId, channel);
  if (channel.gone || (channel.isPrivate === true && !is_member)) return "channel_not_found";
  const { id, name, kind, isPrivate: is_private = false } = channel;
  if (kind === "im") return { channel: { id, is_im: true, user: "U0ANA" } };
  return { channel: { id, name, is_im: false, is_mpim: kind === "mpim", is_private, is_member, is_archived: false } };
};

const getUploadUrl: Method = (args, { workspace, origin }) => {
  const file = workspace.addFile({
    name: args.filename ?? "",
    mimetype: "application/octet-stream",
    data: new Uint8Array(),
  });
  return { file_id: file.id, upload_url: `${origin}/upload/${file.id}` };
};

/** Puts addresses in angle brackets, and emoji as names. */
function asSlackWrites(text: string): string {
  return text.replaceAll(/https?:\/\/[^\s<>|]+/gu, "<$&>").replaceAll("✅", ":white_check_mark:");
}

const completeUpload: Method = (args, context) => {
  const { workspace } = context;
  const channel = openChannel(args, context);
  if (channel === null) return "channel_not_found";
  const files = z
    .array(z.looseObject({ id: z.string() }))
    .parse(json(args.files))
    .flatMap(({ id }) => workspace.files.get(id) ?? []);
  const comment = args.initial_comment ?? "";
  // Source: python-slack-sdk#1756.
  if (comment === "" && blocksOf(args).some(({ type }) => type === "markdown")) return "internal_error";
  if (files.length === 0) return "invalid_arguments";
  if (comment.length > 40_000) return "msg_too_long";
  const shared = { channel, user: workspace.botUserId, threadTs: args.thread_ts ?? null, files };
  context.echo(workspace.add({ ...shared, text: asSlackWrites(comment) }));
  return { files: files.map(({ id, name }) => ({ id, title: name })) };
};

export const METHODS: Readonly<Record<string, Method>> = {
  "auth.test": (_args, { workspace, origin }) => ({
    url: origin,
    team: workspace.teamName,
    team_id: workspace.teamId,
    user: "deckhand",
    user_id: workspace.botUserId,
    bot_id: workspace.botId,
    ...(workspace.enterpriseId === undefined ? {} : { enterprise_id: workspace.enterpriseId }),
  }),
  "chat.postMessage": postMessage,
  "chat.update": update,
  "chat.delete": remove,
  "chat.postEphemeral": postEphemeral,
  "conversations.replies": replies,
  "conversations.history": history,
  "conversations.info": channelInfo,
  "conversations.open": () => ({ channel: { id: "D0001" } }),
  "reactions.add": addReaction,
  "views.open": (args, { workspace }) => openModal(args, workspace),
  "views.publish": (args, { workspace }) => publishHome(args, workspace),
  "assistant.threads.setStatus": (args, { workspace }) => setStatus(args, workspace),
  "assistant.threads.setTitle": (args, { workspace }) => setTitle(args, workspace),
  "assistant.threads.setSuggestedPrompts": (args, { workspace }) => setSuggestedPrompts(args, workspace),
  "users.info": userInfo,
  "users.conversations": conversationsOf,
  "files.info": (args, { workspace, origin }) => {
    const file = workspace.files.get(args.file ?? "");
    return file === undefined ? "file_not_found" : { file: fileAsJson(file, origin) };
  },
  "files.getUploadURLExternal": getUploadUrl,
  "files.completeUploadExternal": completeUpload,
};
