/** The state of the local Slack: people, channels, messages and files, in the terms of the Web API. */

export interface SlackUser {
  readonly id: string;
  readonly name: string;
  readonly isBot?: boolean;
  readonly isDeleted?: boolean;
  readonly isRestricted?: boolean;
  readonly isUltraRestricted?: boolean;
  readonly isStranger?: boolean;
  /** Another workspace's id, for people of shared channels. */
  readonly teamId?: string;
  /** The organisation of an Enterprise Grid, and the person's workspaces in it. */
  readonly organisation?: { readonly enterprise_id: string; readonly teams?: readonly string[] };
  /** Fields in place of those that would be sent. */
  readonly raw?: object;
}

export interface SlackChannel {
  readonly id: string;
  readonly name: string;
  readonly kind: "channel" | "im" | "mpim";
  readonly isPrivate?: boolean;
  /** Ids of the members; everybody if omitted. */
  readonly members?: ReadonlySet<string>;
  gone: boolean;
}

export type Block = Readonly<Record<string, unknown>> & { readonly type: string };

export interface SlackFile {
  readonly id: string;
  readonly name: string;
  readonly mimetype: string;
  readonly data: Uint8Array;
  /** Redirect target of requests for the file. */
  readonly movedTo?: string;
  /** Further fields with Slack's names. */
  readonly raw?: Readonly<Record<string, unknown>>;
}

export interface SlackMessage {
  readonly ts: string;
  readonly channel: string;
  readonly threadTs: string | null;
  /** The author; for the bot, its own user id. */
  readonly user: string;
  readonly byBot: boolean;
  text: string;
  blocks: readonly Block[];
  metadata: unknown;
  readonly files: readonly SlackFile[];
  readonly attachments: readonly unknown[];
  readonly reactions: string[];
  /** Arguments that determine who is notified and what is previewed. */
  readonly linkNames: boolean;
  readonly unfurlLinks: boolean;
  readonly unfurlMedia: boolean;
  edited: boolean;
  /** Further fields with Slack's names: `username`, `bot_profile`, `subtype` and any others. */
  readonly raw: Readonly<Record<string, unknown>>;
}

export interface EphemeralMessage {
  readonly channel: string;
  readonly threadTs: string | null;
  readonly user: string;
  readonly text: string;
  readonly blocks: readonly Block[];
}

interface GivenTo {
  readonly channel: string;
  readonly user: string;
  readonly messageTs?: string;
}

export interface ApiCall {
  readonly method: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly args: Readonly<Record<string, string>>;
  /** What the caller received: `ok`, an error of the method, an HTTP status, or that the response was lost. */
  readonly outcome: string;
}

export interface Modal {
  readonly callback_id: string;
  readonly private_metadata: string;
  readonly title: string;
  readonly inputs: readonly {
    readonly block_id: string;
    readonly action_id: string;
    readonly optional: boolean;
    readonly type: "plain_text_input" | "static_select" | "conversations_select";
    /** Choices of a menu. */
    readonly choices: readonly string[];
    readonly value: string;
  }[];
  /** Error texts beneath its fields, by block id. */
  errors: Readonly<Record<string, string>>;
}

export class SlackWorkspace {
  readonly teamId = "T0001";
  readonly teamName = "Acme";
  readonly botUserId = "U0BOT";
  readonly botId = "B0001";
  /** The organisation, if the workspace is part of an Enterprise Grid. */
  enterpriseId: string | undefined;
  readonly users = new Map<string, SlackUser>();
  readonly channels = new Map<string, SlackChannel>();
  readonly messages: SlackMessage[] = [];
  /** Messages shown to single people. */
  readonly ephemerals: EphemeralMessage[] = [];
  /** Messages sent to single people but not shown. */
  readonly unseen: EphemeralMessage[] = [];
  readonly responseUrls = new Map<string, ResponseUrl>();
  /** When each unused trigger was issued, in milliseconds since the epoch. */
  readonly triggers = new Map<string, number>();
  /** Open forms by view id. */
  readonly forms = new Map<string, Modal>();
  /** Home tabs by user. */
  readonly homes = new Map<string, readonly Block[]>();
  /** The assistant pane's suggested prompts, thread titles, and statuses in order, by `channel thread_ts`. */
  readonly suggestions = new Map<string, readonly { readonly title: string; readonly message: string }[]>();
  readonly titles = new Map<string, string>();
  readonly statuses = new Map<string, string[]>();
  readonly files = new Map<string, SlackFile>();
  #lastTs = 0;
  #nextFile = 1;

  constructor() {
    for (const [id, name] of [
      ["U0ANA", "ana"],
      ["U0BOB", "bob"],
    ] as const) {
      this.users.set(id, { id, name });
    }
    this.users.set(this.botUserId, { id: this.botUserId, name: "deckhand", isBot: true });
    this.channels.set("C0001", { id: "C0001", name: "ops", kind: "channel", gone: false });
    this.channels.set("D0001", { id: "D0001", name: "directmessage", kind: "im", gone: false });
  }

  /** The clock's microseconds, always later than the previous value. */
  nextTs(): string {
    this.#lastTs = Math.max(Date.now() * 1_000, this.#lastTs + 1);
    return `${Math.floor(this.#lastTs / 1_000_000)}.${String(this.#lastTs % 1_000_000).padStart(6, "0")}`;
  }

  /** Creates an address for answers to a click or a command. */
  giveResponseUrl(origin: string, { channel, user, messageTs }: GivenTo): string {
    const id = `R${this.responseUrls.size + 1}`;
    this.responseUrls.set(id, { channel, user, messageTs: messageTs ?? null, givenAt: Date.now(), answers: [] });
    return `${origin}/response/${id}`;
  }

  nextTrigger(): string {
    const trigger = `trigger.${this.nextTs()}`;
    this.triggers.set(trigger, Date.now());
    return trigger;
  }

  addFile(file: Omit<SlackFile, "id">): SlackFile {
    const stored = { ...file, id: `F${String(this.#nextFile).padStart(4, "0")}` };
    this.#nextFile += 1;
    this.files.set(stored.id, stored);
    return stored;
  }

  /** The channel, created if unknown, since load tests use many. */
  channel(id: string): SlackChannel {
    const known = this.channels.get(id);
    if (known !== undefined) return known;
    const channel: SlackChannel = {
      id,
      name: id.toLowerCase(),
      kind: id.startsWith("D") ? "im" : "channel",
      gone: false,
    };
    this.channels.set(id, channel);
    return channel;
  }

  add(message: Partial<SlackMessage> & Pick<SlackMessage, "channel" | "user">): SlackMessage {
    const stored: SlackMessage = {
      ts: this.nextTs(),
      threadTs: null,
      byBot: message.user === this.botUserId,
      text: "",
      blocks: [],
      metadata: undefined,
      files: [],
      attachments: [],
      reactions: [],
      linkNames: false,
      unfurlLinks: true,
      unfurlMedia: true,
      edited: false,
      raw: {},
      ...message,
    };
    this.messages.push(stored);
    return stored;
  }

  find(channel: string, ts: string): SlackMessage | undefined {
    return this.messages.find((message) => message.channel === channel && message.ts === ts);
  }

  /** Root and replies, oldest first. */
  thread(channel: string, rootTs: string): SlackMessage[] {
    return this.messages.filter(
      (message) => message.channel === channel && (message.ts === rootTs || message.threadTs === rootTs),
    );
  }
}

/**
 * An address for answers to a click or a command: five answers within 30 minutes. Source: Slack docs, Handling user
 * interaction.
 */
export interface ResponseUrl {
  readonly channel: string;
  readonly user: string;
  /** The clicked message; null for a command. */
  readonly messageTs: string | null;
  /** Milliseconds since the epoch. */
  readonly givenAt: number;
  readonly answers: string[];
}
