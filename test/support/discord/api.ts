import { z } from "zod";
import { type ApiAnswer, choicesSchema, failure, modalSchema, type Outgoing, outgoingSchema } from "./answers.ts";
import type { Interactions } from "./interactions.ts";
import { channelPayload, guildPayload, isSeen, messageEvent, messagePayload, type View } from "./payloads.ts";
import { type Channel, isThread, type Message, pingsOf, type StoredFile, TYPE, type World } from "./world.ts";

export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly json: unknown;
  readonly files: readonly StoredFile[];
}

export interface ApiOptions {
  readonly world: World;
  readonly view: View;
  readonly interactions: Interactions;
  readonly dispatch: (t: string, d: unknown) => void;
  readonly gatewayUrl: () => string;
  readonly now: () => number;
  /** How long a nonce is remembered, in milliseconds. */
  readonly nonceMs: number;
  /** Permissions that the bot lacks, by their names in Discord's settings. */
  readonly withheld: ReadonlySet<string>;
  /** People who accept no direct messages. */
  readonly closedDms: ReadonlySet<string>;
  readonly interactionsEndpoint: () => string | null;
}

type Handler = (request: ApiRequest, ids: readonly string[]) => ApiAnswer;

const UNKNOWN_CHANNEL = failure(404, 10_003, "Unknown Channel");
const UNKNOWN_MESSAGE = failure(404, 10_008, "Unknown Message");
const MISSING_PERMISSIONS = failure(403, 50_013, "Missing Permissions");
const HAS_THREAD = 1 << 5;
/** Source: Discord docs, Uploading Files. */
const FILE_BYTES = 10 * 1024 * 1024;
/** Source: Discord docs, Create Message. */
const REQUEST_BYTES = 25 * 1024 * 1024;

function tooLarge(files: readonly StoredFile[]): ApiAnswer | null {
  const bytes = files.map(({ data }) => data.length);
  const isTooLarge = bytes.some((size) => size > FILE_BYTES) || bytes.reduce((a, b) => a + b, 0) > REQUEST_BYTES;
  return isTooLarge ? failure(413, 40_005, "Request entity too large") : null;
}

/** The part of Discord's REST API that the bot uses. */
export class Api {
  readonly #options: ApiOptions;
  readonly #nonces = new Map<string, { readonly message: Message; readonly until: number }>();
  /** Registered application commands, by the path they were put to. */
  readonly commands = new Map<string, unknown>();
  /** Paths of all registrations in order. */
  readonly registrations: string[] = [];

  constructor(options: ApiOptions) {
    this.#options = options;
  }

  handle(request: ApiRequest): ApiAnswer {
    const line = `${request.method} ${request.path}`;
    for (const [pattern, handler] of this.#routes) {
      const match = pattern.exec(line);
      if (match !== null) return tooLarge(request.files) ?? handler(request, match.slice(1).map(decodeURIComponent));
    }
    return failure(404, 0, "404: Not Found");
  }

  readonly #routes: readonly (readonly [RegExp, Handler])[] = [
    [/^GET \/gateway\/bot$/u, () => this.#gateway()],
    [/^GET \/users\/@me$/u, () => ({ status: 200, body: this.#options.world.bot })],
    [/^GET \/users\/(\d+)$/u, (_request, [id = ""]) => this.#user(id)],
    [/^POST \/users\/@me\/channels$/u, (request) => this.#openDm(request)],
    [/^GET \/applications\/@me$/u, () => ({ status: 200, body: this.#application() })],
    [/^GET \/users\/@me\/guilds$/u, ({ query }) => this.#guilds(query.get("after") ?? "0")],
    [/^GET \/guilds\/(\d+)$/u, (_request, [id = ""]) => this.#guild(id, (whole) => whole)],
    [/^GET \/guilds\/(\d+)\/channels$/u, (_request, [id = ""]) => this.#guild(id, ({ channels }) => channels)],
    [
      /^GET \/guilds\/(\d+)\/threads\/active$/u,
      (_request, [id = ""]) => this.#guild(id, ({ threads }) => ({ threads, members: [] })),
    ],
    [/^GET \/guilds\/(\d+)\/members\/(\d+)$/u, (_request, [guild = "", user = ""]) => this.#member(guild, user)],
    [/^GET \/channels\/(\d+)$/u, (_request, [id = ""]) => this.#channel(id)],
    [/^PATCH \/channels\/(\d+)$/u, (request, [id = ""]) => this.#changeThread(request, id)],
    [/^GET \/channels\/(\d+)\/messages$/u, (request, [id = ""]) => this.#messages(request, id)],
    [/^POST \/channels\/(\d+)\/messages$/u, (request, [id = ""]) => this.#post(request, id)],
    [/^GET \/channels\/(\d+)\/messages\/(\d+)$/u, (_request, [id = "", message = ""]) => this.#message(id, message)],
    [
      /^PATCH \/channels\/(\d+)\/messages\/(\d+)$/u,
      (request, [id = "", message = ""]) => this.#edit(request, id, message),
    ],
    [
      /^POST \/channels\/(\d+)\/messages\/(\d+)\/threads$/u,
      (request, [id = "", root = ""]) => this.#startThread(request, id, root),
    ],
    [/^POST \/channels\/(\d+)\/threads$/u, (request, [id = ""]) => this.#startPrivateThread(request, id)],
    [
      /^PUT \/channels\/(\d+)\/thread-members\/(\d+)$/u,
      (_request, [id = "", user = ""]) => this.#addThreadMember(id, user),
    ],
    [
      /^GET \/channels\/(\d+)\/thread-members\/(\d+)$/u,
      (_request, [id = "", user = ""]) => this.#threadMember(id, user),
    ],
    [
      /^PUT \/channels\/(\d+)\/messages\/(\d+)\/reactions\/([^/]+)\/@me$/u,
      (_request, [id = "", message = "", emoji = ""]) => this.#react(id, message, emoji),
    ],
    [
      /^POST \/interactions\/(\d+)\/([^/]+)\/callback$/u,
      (request, [id = "", token = ""]) => this.#respond(request, id, token),
    ],
    [/^POST \/webhooks\/\d+\/([^/]+)$/u, (request, [token = ""]) => this.#followUp(request, token)],
    [/^GET (\/applications\/.+\/commands)$/u, (_request, [path = ""]) => this.#registered(path)],
    [/^PUT (\/applications\/.+\/commands)$/u, (request, [path = ""]) => this.#register(request, path)],
  ];

  #application(): object {
    const { world, interactionsEndpoint } = this.#options;
    return { id: world.bot.id, flags: 0, interactions_endpoint_url: interactionsEndpoint() };
  }

  #gateway(): ApiAnswer {
    const session_start_limit = { total: 1_000, remaining: 999, reset_after: 0, max_concurrency: 1 };
    return { status: 200, body: { url: this.#options.gatewayUrl(), shards: 1, session_start_limit } };
  }

  #guilds(after: string): ApiAnswer {
    const guilds = [...this.#options.world.guilds.values()].filter(({ id }) => BigInt(id) > BigInt(after));
    return { status: 200, body: guilds.map(({ id, name }) => ({ id, name, owner: false, permissions: "0" })) };
  }

  #guild(id: string, part: (whole: ReturnType<typeof guildPayload>) => object): ApiAnswer {
    const guild = this.#options.world.guilds.get(id);
    if (guild === undefined) return failure(404, 10_004, "Unknown Guild");
    return { status: 200, body: part(guildPayload(this.#options.world, guild)) };
  }

  #user(id: string): ApiAnswer {
    const user = this.#options.world.users.get(id);
    return user === undefined ? failure(404, 10_013, "Unknown User") : { status: 200, body: user };
  }

  #openDm({ json }: ApiRequest): ApiAnswer {
    const { recipient_id } = z.object({ recipient_id: z.string() }).parse(json);
    const user = this.#options.world.users.get(recipient_id);
    if (user === undefined) return failure(400, 50_033, "Invalid Recipient(s)");
    return { status: 200, body: channelPayload(this.#options.world.dm(user)) };
  }

  #member(guildId: string, userId: string): ApiAnswer {
    const { world } = this.#options;
    const guild = world.guilds.get(guildId);
    const member = guild?.members.get(userId);
    if (guild !== undefined && userId === world.bot.id) {
      const joined_at = new Date(guild.joinedAt).toISOString();
      return { status: 200, body: { roles: [], ...member, user: world.bot, joined_at } };
    }
    if (!world.users.has(userId)) return failure(404, 10_013, "Unknown User");
    if (member === undefined) return failure(404, 10_007, "Unknown Member");
    return { status: 200, body: { ...member, user: this.#options.world.users.get(userId) } };
  }

  #channel(id: string): ApiAnswer {
    const channel = this.#options.world.channels.get(id);
    if (channel === undefined) return UNKNOWN_CHANNEL;
    if (!isSeen(this.#options.world, channel)) return failure(403, 50_001, "Missing Access");
    return { status: 200, body: channelPayload(channel) };
  }

  #changeThread({ json }: ApiRequest, id: string): ApiAnswer {
    const { archived } = z.object({ archived: z.boolean() }).parse(json);
    const channel = this.#options.world.channels.get(id);
    if (channel === undefined) return UNKNOWN_CHANNEL;
    if (this.#options.withheld.has("Manage Threads")) return MISSING_PERMISSIONS;
    channel.archived = archived;
    return { status: 200, body: channelPayload(channel) };
  }

  #messages({ query }: ApiRequest, id: string): ApiAnswer {
    const channel = this.#options.world.channels.get(id);
    if (channel === undefined) return UNKNOWN_CHANNEL;
    if (this.#options.withheld.has("Read Message History")) return MISSING_PERMISSIONS;
    const limit = Number(query.get("limit") ?? "50");
    if (!Number.isInteger(limit) || limit < 1 || limit > 100) return failure(400, 50_035, "Invalid Form Body");
    const after = query.get("after");
    const before = query.get("before");
    const all = channel.messages;
    const page =
      after === null
        ? all.filter((message) => before === null || BigInt(message.id) < BigInt(before)).slice(-limit)
        : all.filter((message) => BigInt(message.id) > BigInt(after)).slice(0, limit);
    return { status: 200, body: page.toReversed().map((message) => messagePayload(this.#options.view, message)) };
  }

  #message(channelId: string, messageId: string): ApiAnswer {
    if (!this.#options.world.channels.has(channelId)) return UNKNOWN_CHANNEL;
    const message = this.#options.world.find(channelId, messageId);
    return message === undefined ? UNKNOWN_MESSAGE : { status: 200, body: messagePayload(this.#options.view, message) };
  }

  #post(request: ApiRequest, id: string): ApiAnswer {
    const { world, view, dispatch, now, nonceMs } = this.#options;
    const channel = world.channels.get(id);
    if (channel === undefined) return UNKNOWN_CHANNEL;
    const refusal = this.#refusal(channel, request.files.length > 0);
    if (refusal !== null) return refusal;
    const parsed = outgoingSchema.safeParse(request.json);
    if (!parsed.success) return failure(400, 50_035, `Invalid Form Body: ${parsed.error.message}`);
    const outgoing = parsed.data;
    const content = outgoing.content.trim();
    if (content === "" && request.files.length === 0) return failure(400, 50_006, "Cannot send an empty message");
    const nonceKey = `${id} ${outgoing.nonce ?? ""}`;
    const known = this.#nonces.get(nonceKey);
    if (outgoing.nonce !== undefined && outgoing.enforce_nonce === true && known !== undefined && known.until > now()) {
      return { status: 200, body: messagePayload(view, known.message) };
    }
    const message = world.message(channel, world.bot, {
      content,
      ...shown(outgoing),
      files: request.files,
      ...(outgoing.nonce === undefined ? {} : { nonce: outgoing.nonce }),
    });
    if (outgoing.nonce !== undefined) this.#nonces.set(nonceKey, { message, until: now() + nonceMs });
    dispatch("MESSAGE_CREATE", messageEvent(view, channel, message));
    return { status: 200, body: messageEvent(view, channel, message) };
  }

  #refusal(channel: Channel, withFiles: boolean): ApiAnswer | null {
    const { withheld, closedDms } = this.#options;
    if (channel.recipient !== undefined) {
      const closed = closedDms.has(channel.recipient.id);
      return closed ? failure(403, 50_007, "Cannot send messages to this user") : null;
    }
    if (withheld.has("View Channel")) return failure(403, 50_001, "Missing Access");
    if (withheld.has(isThread(channel) ? "Send Messages in Threads" : "Send Messages")) return MISSING_PERMISSIONS;
    if (withFiles && withheld.has("Attach Files")) return MISSING_PERMISSIONS;
    // Posting unarchives a thread automatically, unless it is locked.
    if (channel.archived && channel.locked) return failure(400, 50_083, "Thread is archived");
    channel.archived = false;
    return null;
  }

  #edit({ json, files }: ApiRequest, channelId: string, messageId: string): ApiAnswer {
    const { world, view, dispatch } = this.#options;
    const channel = world.channels.get(channelId);
    if (channel === undefined) return UNKNOWN_CHANNEL;
    const message = world.find(channelId, messageId);
    if (message === undefined) return UNKNOWN_MESSAGE;
    if (message.author.id !== world.bot.id)
      return failure(403, 50_005, "Cannot edit a message authored by another user");
    if (channel.archived) return failure(400, 50_083, "Thread is archived");
    const parsed = outgoingSchema.safeParse(json);
    if (!parsed.success) return failure(400, 50_035, `Invalid Form Body: ${parsed.error.message}`);
    const { components, flags, pings } = shown(parsed.data);
    const edited = {
      content: parsed.data.content.trim(),
      components,
      flags,
      pings,
      files: [...message.files, ...files],
    };
    Object.assign(message, edited);
    dispatch("MESSAGE_UPDATE", messageEvent(view, channel, message));
    return { status: 200, body: messagePayload(view, message) };
  }

  #startThread({ json }: ApiRequest, channelId: string, rootId: string): ApiAnswer {
    const { world, dispatch, withheld } = this.#options;
    const channel = world.channels.get(channelId);
    if (channel === undefined) return UNKNOWN_CHANNEL;
    const root = world.find(channelId, rootId);
    if (root === undefined) return UNKNOWN_MESSAGE;
    if (withheld.has("Create Public Threads")) return MISSING_PERMISSIONS;
    if (channel.type !== TYPE.text) return failure(400, 50_024, "Cannot execute action on this channel type");
    const parsed = z.object({ name: z.string().min(1).max(100), auto_archive_duration: z.number() }).safeParse(json);
    if (!parsed.success) return failure(400, 50_035, `Invalid Form Body: ${parsed.error.message}`);
    if (world.channels.has(rootId)) return failure(400, 160_004, "A thread has already been created for this message");
    const thread = world.thread(channel, parsed.data.name, rootId);
    root.flags |= HAS_THREAD;
    world.message(thread, root.author, { type: 21, repliesTo: root });
    dispatch("THREAD_CREATE", { ...channelPayload(thread), newly_created: true });
    return { status: 201, body: channelPayload(thread) };
  }

  #startPrivateThread({ json }: ApiRequest, channelId: string): ApiAnswer {
    const { world, dispatch, withheld } = this.#options;
    const channel = world.channels.get(channelId);
    if (channel === undefined) return UNKNOWN_CHANNEL;
    if (withheld.has("Create Private Threads")) return MISSING_PERMISSIONS;
    if (channel.type !== TYPE.text) return failure(400, 50_024, "Cannot execute action on this channel type");
    const body = z.object({ name: z.string().min(1).max(100), type: z.literal(TYPE.privateThread) }).safeParse(json);
    if (!body.success) return failure(400, 50_035, `Invalid Form Body: ${body.error.message}`);
    const thread = world.privateThread(channel, body.data.name);
    dispatch("THREAD_CREATE", { ...channelPayload(thread), newly_created: true });
    return { status: 201, body: channelPayload(thread) };
  }

  #addThreadMember(threadId: string, userId: string): ApiAnswer {
    const thread = this.#options.world.channels.get(threadId);
    if (thread === undefined || !isThread(thread)) return UNKNOWN_CHANNEL;
    thread.threadMembers.add(userId);
    return { status: 204, body: undefined };
  }

  #threadMember(threadId: string, userId: string): ApiAnswer {
    const thread = this.#options.world.channels.get(threadId);
    if (thread === undefined || !isThread(thread)) return UNKNOWN_CHANNEL;
    if (!thread.threadMembers.has(userId)) return failure(404, 10_007, "Unknown Member");
    const join_timestamp = new Date().toISOString();
    return { status: 200, body: { id: threadId, user_id: userId, join_timestamp, flags: 0 } };
  }

  #react(channelId: string, messageId: string, emoji: string): ApiAnswer {
    const { world, withheld } = this.#options;
    const message = world.find(channelId, messageId);
    if (message === undefined) return world.channels.has(channelId) ? UNKNOWN_MESSAGE : UNKNOWN_CHANNEL;
    if (withheld.has("Add Reactions")) return MISSING_PERMISSIONS;
    if (!/\p{Emoji}/u.test(emoji)) return failure(400, 10_014, "Unknown Emoji");
    const mine = (reaction: { emoji: string; userId: string }) =>
      reaction.emoji === emoji && reaction.userId === world.bot.id;
    if (!message.reactions.some(mine)) message.reactions.push({ emoji, userId: world.bot.id });
    return { status: 204, body: undefined };
  }

  #respond({ json }: ApiRequest, id: string, token: string): ApiAnswer {
    const modal = z.object({ type: z.literal(9), data: modalSchema }).safeParse(json);
    if (modal.success) return this.#options.interactions.respondModal({ id, token }, modal.data.data);
    const choices = z.object({ type: z.literal(8), data: choicesSchema }).safeParse(json);
    if (choices.success) return this.#options.interactions.respondChoices({ id, token }, choices.data.data.choices);
    const parsed = z.object({ type: z.number().max(7), data: outgoingSchema.optional() }).safeParse(json);
    if (!parsed.success) return failure(400, 50_035, `Invalid Form Body: ${parsed.error.message}`);
    return this.#options.interactions.respond({ id, token }, parsed.data.type, parsed.data.data);
  }

  #followUp({ json }: ApiRequest, token: string): ApiAnswer {
    const parsed = outgoingSchema.safeParse(json);
    if (!parsed.success) return failure(400, 50_035, `Invalid Form Body: ${parsed.error.message}`);
    return this.#options.interactions.followUp(token, parsed.data);
  }

  #register({ json }: ApiRequest, path: string): ApiAnswer {
    const commands = commandsSchema.safeParse(json);
    if (!commands.success) return failure(400, 50_035, `Invalid Form Body: ${commands.error.message}`);
    this.commands.set(path, json);
    this.registrations.push(path);
    return { status: 200, body: json };
  }

  /** Commands with the fields that Discord adds. */
  #registered(path: string): ApiAnswer {
    const known = z.array(z.looseObject({})).parse(this.commands.get(path) ?? []);
    const body = known.map((command, index) => ({ ...command, id: String(index + 1), version: "1", nsfw: false }));
    return { status: 200, body: body.toReversed() };
  }
}

const commandName = z.string().regex(/^[-_a-z0-9]{1,32}$/u);
const description = z.string().min(1).max(100);
const commandOption = z
  .object({
    name: commandName,
    description,
    type: z.number(),
    autocomplete: z.boolean().default(false),
    choices: z
      .array(z.object({ name: z.string().max(100), value: z.string().max(100) }))
      .max(25)
      .optional(),
  })
  .refine(({ autocomplete, choices }) => !autocomplete || choices === undefined, "choices or autocomplete");
const slashCommand = z.object({
  type: z.literal(1).default(1),
  name: commandName,
  description,
  options: z
    .array(commandOption.and(z.object({ options: z.array(commandOption).max(25).optional() })))
    .max(25)
    .optional(),
});
/** A message menu command, which has neither a description nor options. */
const menuCommand = z.strictObject({
  type: z.literal(3),
  name: z.string().min(1).max(32),
  description: z.literal("").optional(),
});
const commandsSchema = z
  .array(z.union([menuCommand, slashCommand]))
  .max(110)
  .refine((commands) => commands.filter(({ type }) => type === 3).length <= 5, "at most 5 commands in the menu");

function shown(outgoing: Outgoing) {
  return {
    components: outgoing.components,
    flags: outgoing.flags,
    pings: pingsOf(outgoing.content, outgoing.allowed_mentions),
  };
}
