import { ChannelType, InteractionResponseType, type RawFile, type REST } from "discord.js";
import { z } from "zod";
import type { OutgoingFile } from "../../core/platform/outgoing.ts";
import { callDiscord, nullOnDiscordError } from "./errors.ts";
import type { MessageBody } from "./format.ts";
import { AUTO_ARCHIVE_MINUTES, NONCE_CHARS, PAGE_MESSAGES } from "./limits.ts";
import { listOf, messageSchema } from "./message/message-schema.ts";
import { memberSchema, userSchema } from "./message/person-schema.ts";
import { toRawFiles, uploadsOf } from "./message/uploads.ts";
import { channelSchema, type RegisteredCommand, registeredCommandSchema } from "./wire.ts";

export interface MessagePage {
  readonly limit: number;
  readonly after?: string;
  readonly before?: string;
}

export interface MessageAddress {
  readonly channelId: string;
  readonly messageId: string;
}

export interface InteractionAddress {
  readonly id: string;
  readonly applicationId: string;
  readonly token: string;
}

export interface Answer {
  readonly body: MessageBody;
  readonly files: readonly OutgoingFile[];
}

/** A malformed message does not affect the others. */
const pageSchema = z.array(z.unknown()).pipe(listOf(messageSchema, PAGE_MESSAGES));
const idSchema = z.object({ id: z.string() });
const applicationSchema = z.object({ interactions_endpoint_url: z.string().nullable().default(null) });

export type DiscordRest = ReturnType<typeof createDiscordRest>;

/**
 * The requests of the adapter, over discord.js' REST client, which obeys Discord's rate limit headers. All reject with
 * an AppError, and responses are validated.
 */
export function createDiscordRest(rest: REST) {
  return { ...readRequests(rest), ...writeRequests(rest), ...commandRequests(rest), ...interactionRequests(rest) };
}

function commandRequests(rest: REST) {
  return {
    /** The application's global slash commands. */
    commands: (applicationId: string) =>
      callDiscord("", async () =>
        z.array(registeredCommandSchema).parse(await rest.get(`/applications/${applicationId}/commands`)),
      ),
    /** Replaces all global slash commands. */
    registerCommands: (applicationId: string, commands: readonly RegisteredCommand[]) =>
      callDiscord("", async () => {
        const body: unknown = JSON.parse(JSON.stringify(commands, withoutEmpty));
        await rest.put(`/applications/${applicationId}/commands`, { body });
      }),
    /** The URL to which Discord sends interactions instead of the gateway; null if the gateway has them. */
    interactionsEndpoint: () =>
      callDiscord(
        "",
        async () => applicationSchema.parse(await rest.get("/applications/@me")).interactions_endpoint_url,
      ),
  };
}

/** Fields that an option's type does not have must be absent. */
function withoutEmpty(_key: string, value: unknown): unknown {
  return value === false || (Array.isArray(value) && value.length === 0) ? undefined : value;
}

function readRequests(rest: REST) {
  return {
    channel: (id: string) =>
      callDiscord("View Channel", async () => channelSchema.parse(await rest.get(`/channels/${id}`))),
    message: (channelId: string, messageId: string, signal?: AbortSignal) =>
      callDiscord(
        "Read Message History",
        async () => messageSchema.parse(await rest.get(`/channels/${channelId}/messages/${messageId}`, { signal })),
        signal,
      ),
    /** At most `limit` (100) messages, newest first: the oldest after `after`, or the newest before `before`. */
    messages: (channelId: string, page: MessagePage, signal?: AbortSignal) =>
      callDiscord(
        "Read Message History",
        async () => {
          const query = new URLSearchParams({ ...page, limit: String(page.limit) });
          return pageSchema.parse(await rest.get(`/channels/${channelId}/messages`, { query, signal }));
        },
        signal,
      ),
    user: (id: string) => callDiscord("", async () => userSchema.parse(await rest.get(`/users/${id}`))),
    member: (guildId: string, userId: string) =>
      callDiscord("View Channel", async () =>
        memberSchema.parse(await rest.get(`/guilds/${guildId}/members/${userId}`)),
      ),
  };
}

function writeRequests(rest: REST) {
  return {
    createMessage: (channelId: string, { body, files }: Answer, permission: string) =>
      callDiscord(permission, async (): Promise<MessageAddress> => {
        const path = `/channels/${channelId}/messages` as const;
        const more = uploadsOf(files);
        const own = more.pop() ?? [];
        // Sent first: the message is what a crash is checked against, and files are better sent twice than not at all.
        for (const [index, part] of more.entries())
          await rest.post(path, { body: bodyOfFiles(body, index), files: toRawFiles(part) });
        const created = await rest.post(path, { body, files: toRawFiles(own) });
        return { channelId, messageId: idSchema.parse(created).id };
      }),
    editMessage: ({ channelId, messageId }: MessageAddress, body: MessageBody) =>
      callDiscord("Send Messages in Threads", async () => {
        await rest.patch(`/channels/${channelId}/messages/${messageId}`, { body });
      }),
    startThread: ({ channelId, messageId }: MessageAddress, name: string) =>
      callDiscord("Create Public Threads", async () => {
        const body = { name, auto_archive_duration: AUTO_ARCHIVE_MINUTES };
        await rest.post(`/channels/${channelId}/messages/${messageId}/threads`, { body });
      }),
    /** Returns the thread's id. Only the bot is in it at first. */
    startPrivateThread: (channelId: string, name: string) =>
      callDiscord("Create Private Threads", async () => {
        const body = { name, type: ChannelType.PrivateThread, auto_archive_duration: AUTO_ARCHIVE_MINUTES };
        return idSchema.parse(await rest.post(`/channels/${channelId}/threads`, { body })).id;
      }),
    addThreadMember: (threadId: string, userId: string) =>
      callDiscord("Send Messages in Threads", async () => {
        await rest.put(`/channels/${threadId}/thread-members/${userId}`);
      }),
    unarchiveThread: (id: string) =>
      callDiscord("Manage Threads", async () => {
        await rest.patch(`/channels/${id}`, { body: { archived: false } });
      }),
    addReaction: ({ channelId, messageId }: MessageAddress, emoji: string) =>
      callDiscord("Add Reactions", async () => {
        await rest.put(`/channels/${channelId}/messages/${messageId}/reactions/${encodeURIComponent(emoji)}/@me`);
      }),
    /** Id of the channel for direct messages to the person. */
    openDm: (userId: string) =>
      callDiscord("", async () => {
        const channel = await rest.post("/users/@me/channels", { body: { recipient_id: userId } });
        return idSchema.parse(channel).id;
      }),
  };
}

/** The body of a message with files for which another has no room. Discord deduplicates it as it does the other. */
function bodyOfFiles({ allowed_mentions, flags, nonce, enforce_nonce }: MessageBody, index: number): object {
  const own = nonce === undefined ? {} : { nonce: `${nonce.slice(0, NONCE_CHARS - 3)}.${index}`, enforce_nonce };
  return { allowed_mentions, flags, ...own };
}

/** Requests authorised by the interaction's token; the bot's own token is not sent. */
function interactionRequests(rest: REST) {
  const callBack = async (interaction: InteractionAddress, body: object, files: RawFile[]) => {
    const path = `/interactions/${interaction.id}/${interaction.token}/callback` as const;
    const sent = callDiscord("", () => rest.post(path, { auth: false, body, files }));
    // Already acknowledged means that the first attempt succeeded and its response was lost.
    await nullOnDiscordError(["InteractionHasAlreadyBeenAcknowledged"], sent);
  };
  return {
    respond: (interaction: InteractionAddress, type: InteractionResponseType, answer?: Answer) =>
      callBack(
        interaction,
        answer === undefined ? { type } : { type, data: answer.body },
        toRawFiles(answer?.files ?? []),
      ),
    /** Opens a dialog for the person who acted. */
    respondModal: (interaction: InteractionAddress, modal: object) =>
      callBack(interaction, { type: InteractionResponseType.Modal, data: modal }, []),
    /** Shows the choices for the option that the person is typing. */
    respondChoices: (interaction: InteractionAddress, choices: readonly object[]) =>
      callBack(
        interaction,
        { type: InteractionResponseType.ApplicationCommandAutocompleteResult, data: { choices } },
        [],
      ),
    followUp: ({ applicationId, token }: InteractionAddress, { body, files }: Answer) =>
      callDiscord("", () =>
        rest.post(`/webhooks/${applicationId}/${token}`, { auth: false, body, files: toRawFiles(files) }),
      ),
  };
}
