import type { Outgoing } from "./answers.ts";
import type { Interaction, Interactions } from "./interactions.ts";
import { channelPayload, guildPayload, messageEvent, messagePayload, type View } from "./payloads.ts";
import { type Channel, type Message, type StoredFile, TYPE, type User, type World } from "./world.ts";

/** Source: Discord docs, Message Flags. */
const EPHEMERAL = 1 << 6;

interface PeopleOptions {
  readonly world: World;
  readonly view: View;
  readonly interactions: Interactions;
  readonly dispatch: (t: string, d: unknown) => void;
}

export interface Saying {
  /** New by default; the first message of a forum post has the post's id. */
  readonly id?: string;
  readonly files?: readonly Omit<StoredFile, "id">[];
  readonly repliesTo?: Message;
  /** Discord's message type; defaults to 0. */
  readonly type?: number;
  /** Further fields of the payload: embeds, polls, forwarded messages, webhook_id. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

export interface Edit {
  readonly content: string;
  /** Whether the gateway repeats unchanged fields; defaults to true. */
  readonly whole?: boolean;
}

/** A person in a channel. */
export interface Membership {
  readonly user: User;
  readonly channel: Channel;
}

/** What people do in the local Discord, and what they see. */
export class People {
  readonly #options: PeopleOptions;

  constructor(options: PeopleOptions) {
    this.#options = options;
  }

  say({ channel, user }: Membership, content: string, { files = [], ...parts }: Saying = {}): Message {
    const { world, view, dispatch } = this.#options;
    const stored = files.map((file) => ({ ...file, id: world.nextId() }));
    const message = world.message(channel, user, { content, ...parts, files: stored });
    dispatch("MESSAGE_CREATE", messageEvent(view, channel, message));
    return message;
  }

  /** Delivers the message again through the gateway. */
  redeliver(channel: Channel, message: Message): void {
    this.#options.dispatch("MESSAGE_CREATE", messageEvent(this.#options.view, channel, message));
  }

  /** Forwards a message in its current state. A snapshot does not say who wrote it. */
  forward(at: Membership, original: Message, saying: Saying = {}): Message {
    const { content, embeds, attachments, mentions, components, flags, type, timestamp } = messagePayload(
      this.#options.view,
      original,
    );
    const snapshot = { content, embeds, attachments, mentions, components, flags, type, timestamp };
    const message_reference = { type: 1, channel_id: original.channel_id, message_id: original.id };
    return this.say(at, "", { ...saying, extra: { message_reference, message_snapshots: [{ message: snapshot }] } });
  }

  /** Edits the person's own message. */
  edit({ channel }: Pick<Membership, "channel">, message: Message, { content, whole = true }: Edit): void {
    const { view, dispatch } = this.#options;
    Object.assign(message, { content, editedAt: Date.now() });
    const { id, channel_id, guild_id, edited_timestamp, ...rest } = messageEvent(view, channel, message);
    dispatch("MESSAGE_UPDATE", { id, channel_id, guild_id, edited_timestamp, ...(whole ? rest : { content }) });
  }

  /** Deletes a channel's messages, whoever wrote them; the gateway reports several in one event. */
  delete(channel: Channel, ...messages: readonly Message[]): void {
    for (const message of messages) channel.messages.splice(channel.messages.indexOf(message), 1);
    const [id, ...more] = messages.map((message) => message.id);
    const at = { channel_id: channel.id, ...(channel.guild_id === undefined ? {} : { guild_id: channel.guild_id }) };
    const isBulk = more.length > 0;
    this.#options.dispatch(
      isBulk ? "MESSAGE_DELETE_BULK" : "MESSAGE_DELETE",
      isBulk ? { ids: [id, ...more], ...at } : { id, ...at },
    );
  }

  /** Adds the preview of a link to a message, as Discord does without counting it as an edit. */
  unfurl({ channel }: Pick<Membership, "channel">, message: Message, embeds: readonly object[]): void {
    Object.assign(message.extra, { embeds });
    this.#options.dispatch("MESSAGE_UPDATE", messageEvent(this.#options.view, channel, message));
  }

  dm(user: User, content: string, saying: Saying = {}): Message {
    return this.say({ channel: this.#options.world.dm(user), user }, content, saying);
  }

  /** Clicks a button of the message. */
  click(at: Membership, message: Message, customId: string): Interaction {
    const buttons = message.components.flatMap((row) => row.components);
    if (!buttons.some((button) => button.custom_id === customId)) throw new Error(`there is no button ${customId}`);
    const payload = messageEvent(this.#options.view, at.channel, message);
    return this.#interact(at, {
      type: 3,
      data: { custom_id: customId, component_type: 2 },
      message: payload,
    });
  }

  /** Clicks a button of an interaction's response, which this person alone sees. */
  clickShown(at: Membership, { shown }: Interaction, customId: string): Interaction {
    const buttons = shown.flatMap(({ components }) => components.flatMap((row) => row.components));
    if (!buttons.some((button) => button.custom_id === customId)) throw new Error(`there is no button ${customId}`);
    const message = this.#options.world.message(at.channel, this.#options.world.bot, { content: "" });
    at.channel.messages.splice(at.channel.messages.indexOf(message), 1);
    return this.#interact(at, {
      type: 3,
      data: { custom_id: customId, component_type: 2 },
      message: { ...messageEvent(this.#options.view, at.channel, message), flags: EPHEMERAL },
    });
  }

  /** Chooses a command from a message's menu. */
  menuCommand(at: Membership, name: string, message: Message): Interaction {
    const resolved = { messages: { [message.id]: messagePayload(this.#options.view, message) } };
    return this.#interact(at, { type: 2, data: { id: "2", name, type: 3, target_id: message.id, resolved } });
  }

  /**
   * Fills in the dialog of an interaction's response, and submits it. Values are by field; other fields stay as they
   * are.
   */
  submit(at: Membership, { modal }: Interaction, values: Readonly<Record<string, string>>): Interaction {
    if (modal === null) throw new Error("there is no dialog");
    const components = modal.components.map((row) => ({
      type: 1,
      components: row.components.map(({ custom_id, required, value: before = "" }) => {
        const value = values[custom_id] ?? before;
        if (required && value === "") throw new Error(`Discord keeps the dialog open: ${custom_id} is required`);
        return { type: 4, custom_id, value };
      }),
    }));
    return this.#interact(at, { type: 5, data: { custom_id: modal.custom_id, components } });
  }

  /** Adds an emoji to a message: a Unicode emoji, or the name of a custom one. */
  react({ channel, user }: Membership, message: Message, emoji: string): void {
    const { world, dispatch } = this.#options;
    message.reactions.push({ emoji, userId: user.id });
    const member = world.guildOf(channel)?.members.get(user.id);
    dispatch("MESSAGE_REACTION_ADD", {
      user_id: user.id,
      channel_id: channel.id,
      message_id: message.id,
      ...(channel.guild_id === undefined ? {} : { guild_id: channel.guild_id }),
      ...(member === undefined ? {} : { member: { ...member, user } }),
      message_author_id: message.author.id,
      emoji: { id: null, name: emoji },
      burst: false,
      type: 0,
    });
  }

  /** Adds the bot to a new server with one channel. */
  addBot(name: string, id?: string): Channel {
    const { world, dispatch } = this.#options;
    const guild = world.guild(name, Date.now(), id);
    const channel = world.channel(guild, "welcome");
    dispatch("GUILD_CREATE", guildPayload(world, guild));
    return channel;
  }

  command(at: Membership, name: string, options: readonly object[] = []): Interaction {
    return this.#interact(at, { type: 2, data: { id: "1", name, type: 1, options } });
  }

  /** Types in the focused option of a command. */
  type(at: Membership, name: string, options: readonly object[]): Interaction {
    return this.#interact(at, { type: 4, data: { id: "1", name, type: 1, options } });
  }

  #interact({ channel, user }: Membership, body: object): Interaction {
    const { world, interactions, dispatch } = this.#options;
    const interaction = interactions.begin(world.nextId(), user.id);
    const member = world.guildOf(channel)?.members.get(user.id);
    dispatch("INTERACTION_CREATE", {
      id: interaction.id,
      application_id: world.bot.id,
      token: interaction.token,
      version: 1,
      channel_id: channel.id,
      channel: channelPayload(channel),
      entitlements: [],
      authorizing_integration_owners: {},
      context: channel.type === TYPE.dm ? 1 : 0,
      attachment_size_limit: 10_485_760,
      locale: "en-GB",
      app_permissions: "0",
      ...(channel.guild_id === undefined ? {} : { guild_id: channel.guild_id }),
      ...(member === undefined ? { user } : { member: { ...member, user, permissions: "0" } }),
      ...body,
    });
    return interaction;
  }

  /** Opens a thread from a message as a person. */
  openThread(parent: Channel, rootId: string, name = "a thread"): Channel {
    const { world, dispatch } = this.#options;
    const thread = world.thread(parent, name, rootId);
    dispatch("THREAD_CREATE", { ...channelPayload(thread), newly_created: true });
    return thread;
  }

  /** Deletes a thread or channel with all its messages. */
  deleteThread(thread: Channel): void {
    this.#options.world.channels.delete(thread.id);
    const { id, guild_id, parent_id, type } = thread;
    this.#options.dispatch("THREAD_DELETE", { id, guild_id, parent_id, type });
  }

  /** Texts that only this person sees: responses to interactions, and direct messages. */
  shownPrivately(user: User): string[] {
    const { world, interactions } = this.#options;
    const direct = world.dm(user).messages.filter((message) => message.author.id === world.bot.id);
    return [
      ...interactions.shownTo(user.id).map((shown: Outgoing) => shown.content),
      ...direct.map(({ content }) => content),
    ];
  }
}
