/** The state of the local Discord: servers, channels, people, messages. Field names are Discord's. */

export interface User {
  readonly id: string;
  readonly username: string;
  readonly global_name: string | null;
  readonly bot?: boolean;
}

export interface Member {
  readonly nick: string | null;
  readonly roles: readonly string[];
  readonly pending: boolean;
}

export interface Role {
  readonly id: string;
  readonly name: string;
  readonly tags?: { readonly bot_id: string };
}

export interface Guild {
  readonly id: string;
  readonly name: string;
  readonly roles: Role[];
  readonly members: Map<string, Member>;
  /** Sounds of its soundboard. */
  readonly sounds: { readonly sound_id: string; readonly name: string }[];
  /** When the bot was added, in milliseconds since the epoch. */
  readonly joinedAt: number;
}

export interface Channel {
  readonly id: string;
  readonly type: number;
  readonly guild_id?: string;
  readonly name: string | null;
  readonly parent_id: string | null;
  /** The other person in direct messages. */
  readonly recipient?: User;
  /** Ids of the roles and people who can see the channel; everybody if omitted. */
  readonly seenBy?: ReadonlySet<string>;
  /** Ids of the members of a private thread, without the bot. */
  readonly threadMembers: Set<string>;
  /** Tags of a forum, or of a post in it by their ids. */
  readonly tags: { readonly id: string; readonly name: string }[];
  archived: boolean;
  locked: boolean;
  readonly messages: Message[];
}

export interface StoredFile {
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  readonly data: Uint8Array;
}

export interface Message {
  readonly id: string;
  readonly channel_id: string;
  readonly type: number;
  readonly author: User;
  content: string;
  /** When its author last edited it, in milliseconds since the epoch. */
  editedAt?: number;
  flags: number;
  components: readonly Row[];
  readonly files: readonly StoredFile[];
  /** Ids of the people whom the platform notified because of the text. */
  pings: readonly string[];
  readonly reactions: { readonly emoji: string; readonly userId: string }[];
  readonly nonce?: string;
  readonly repliesTo?: Message;
  /** Further fields of the payload: embeds, polls, forwarded messages. */
  readonly extra: Readonly<Record<string, unknown>>;
}

export interface Row {
  readonly components: readonly { readonly custom_id: string; readonly label: string; readonly style: number }[];
}

export const TYPE = { text: 0, dm: 1, voice: 2, thread: 11, privateThread: 12, stage: 13, forum: 15 } as const;

export function isThread({ type }: Pick<Channel, "type">): boolean {
  return type === TYPE.thread || type === TYPE.privateThread;
}
export const SUPPRESS_EMBEDS = 1 << 2;
const DISCORD_EPOCH_MS = 1_420_070_400_000;

export class World {
  readonly guilds = new Map<string, Guild>();
  readonly channels = new Map<string, Channel>();
  readonly users = new Map<string, User>();
  readonly bot: User;
  readonly #now: () => number;
  #lastId = 0n;

  constructor(now: () => number) {
    this.#now = now;
    this.bot = this.user("deckhand", { bot: true });
  }

  /** A new id. Ids increase, even within a millisecond. */
  nextId(): string {
    const id = BigInt(this.#now() - DISCORD_EPOCH_MS) << 22n;
    this.#lastId = id > this.#lastId ? id : this.#lastId + 1n;
    return String(this.#lastId);
  }

  user(username: string, { bot = false, globalName = null as string | null } = {}): User {
    const user: User = { id: this.nextId(), username, global_name: globalName, ...(bot ? { bot } : {}) };
    this.users.set(user.id, user);
    return user;
  }

  /** Adds a server. By default, the bot joined long ago. */
  guild(name: string, joinedAt = 0, id = this.nextId()): Guild {
    const botRole = { id: this.nextId(), name: this.bot.username, tags: { bot_id: this.bot.id } };
    const guild: Guild = {
      id,
      name,
      roles: [{ id, name: "@everyone" }, botRole],
      members: new Map(),
      sounds: [],
      joinedAt,
    };
    guild.members.set(this.bot.id, { nick: null, roles: [botRole.id], pending: false });
    this.guilds.set(id, guild);
    return guild;
  }

  join(guild: Guild, user: User, member: Partial<Member> = {}): void {
    guild.members.set(user.id, { nick: null, roles: [], pending: false, ...member });
  }

  channel(guild: Guild, name: string, type: number = TYPE.text): Channel {
    return this.#add({ id: this.nextId(), type, guild_id: guild.id, name, parent_id: null });
  }

  /** A channel that only these roles and people can see. */
  privateChannel(guild: Guild, name: string, seenBy: readonly { readonly id: string }[]): Channel {
    const seen = new Set(seenBy.map(({ id }) => id));
    return this.#add({ id: this.nextId(), type: TYPE.text, guild_id: guild.id, name, parent_id: null, seenBy: seen });
  }

  thread(parent: Channel, name: string, id = this.nextId()): Channel {
    const guild = parent.guild_id === undefined ? {} : { guild_id: parent.guild_id };
    return this.#add({ id, type: TYPE.thread, ...guild, name, parent_id: parent.id });
  }

  /** A thread that only its members can see. */
  privateThread(parent: Channel, name: string): Channel {
    const guild = parent.guild_id === undefined ? {} : { guild_id: parent.guild_id };
    return this.#add({ id: this.nextId(), type: TYPE.privateThread, ...guild, name, parent_id: parent.id });
  }

  dm(user: User): Channel {
    for (const channel of this.channels.values()) if (channel.recipient?.id === user.id) return channel;
    return this.#add({ id: this.nextId(), type: TYPE.dm, name: null, parent_id: null, recipient: user });
  }

  #add(channel: Omit<Channel, "archived" | "locked" | "messages" | "threadMembers" | "tags">): Channel {
    const added = {
      ...channel,
      archived: false,
      locked: false,
      messages: [],
      threadMembers: new Set<string>(),
      tags: [],
    };
    this.channels.set(added.id, added);
    return added;
  }

  message(channel: Channel, author: User, parts: Partial<Message>): Message {
    const message: Message = {
      id: this.nextId(),
      channel_id: channel.id,
      type: 0,
      author,
      content: "",
      flags: 0,
      components: [],
      files: [],
      pings: [],
      reactions: [],
      extra: {},
      ...parts,
    };
    channel.messages.push(message);
    return message;
  }

  find(channelId: string, messageId: string): Message | undefined {
    return this.channels.get(channelId)?.messages.find((message) => message.id === messageId);
  }

  guildOf(channel: Channel): Guild | undefined {
    return channel.guild_id === undefined ? undefined : this.guilds.get(channel.guild_id);
  }
}

/** Addresses in a message for which previews would be shown. */
export function previewsOf(message: Message): string[] {
  if ((message.flags & SUPPRESS_EMBEDS) !== 0) return [];
  return [...message.content.matchAll(/(?<!<)https?:\/\/[^\s)>\]]+/gu)].map(([url]) => url);
}

/** Whom a text notifies, given what the sender allows. Without `allowed_mentions`, every mention in it counts. */
export function pingsOf(
  content: string,
  allowed:
    | { readonly parse?: readonly string[] | undefined; readonly users?: readonly string[] | undefined }
    | undefined,
): string[] {
  const parse = allowed === undefined ? ["everyone", "users", "roles"] : (allowed.parse ?? []);
  const found = (pattern: RegExp) => [...content.matchAll(pattern)].map(([mention, id]) => id ?? mention);
  return [
    ...(parse.includes("everyone") ? found(/@(?:everyone|here)/gu) : []),
    ...(parse.includes("roles") ? found(/<@&(\d+)>/gu) : []),
    ...found(/<@!?(\d+)>/gu).filter((id) => parse.includes("users") || (allowed?.users ?? []).includes(id)),
  ];
}
