import { createDiscordPlatform, type DiscordOptions } from "../../../src/adapters/discord/adapter.ts";
import type { CommandForm } from "../../../src/adapters/discord/interactions/command-registration.ts";
import type { ThreadRef } from "../../../src/core/platform/thread.ts";
import type { Clock } from "../../../src/core/protocol/runtime.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import type {
  Noise,
  PersonName,
  PlatformHarness,
  Said,
  SayOptions,
  VisibleMessage,
} from "../../contracts/platform-harness.ts";
import { required } from "../../contracts/platform-steps.ts";
import { noiseOf } from "./noise.ts";
import { RecordingLog } from "./recording-log.ts";
import { DiscordServer, type DiscordServerOptions, startDiscordServer } from "./server.ts";
import { type Channel, type Guild, type Message, previewsOf, type User } from "./world.ts";

/** Never resolves, since gateway messages are not acknowledged. */
const NEVER = new Promise<void>(() => undefined);

/** A server called Harbour with #general, Ana and Bob, and an adapter over the genuine discord.js. */
export interface Harbour extends AsyncDisposable {
  readonly server: DiscordServer;
  readonly guild: Guild;
  readonly general: Channel;
  readonly ana: User;
  readonly bob: User;
  readonly log: RecordingLog;
  /** Creates a new adapter, as after a restart of the program. */
  adapter(options?: AdapterOptions): ReturnType<typeof createDiscordPlatform>;
  /** `<@1>`, as people's clients send it. */
  readonly botMention: string;
}

interface AdapterOptions extends Pick<DiscordOptions, "cluster" | "serves"> {
  readonly token?: string;
  readonly clock?: Clock;
  readonly commands?: readonly CommandForm[];
  readonly reactions?: readonly string[];
}

export async function openHarbour(options: DiscordServerOptions = {}): Promise<Harbour> {
  const server = await startDiscordServer(options);
  const { world } = server;
  const guild = world.guild("Harbour");
  const ana = world.user("ana", { globalName: "Ana" });
  const bob = world.user("bob", { globalName: "Bob" });
  for (const person of [ana, bob]) world.join(guild, person);
  const general = world.channel(guild, "general");
  const log = new RecordingLog();
  const adapters: ReturnType<typeof createDiscordPlatform>[] = [];
  return {
    server,
    guild,
    general,
    ana,
    bob,
    log,
    botMention: `<@${world.bot.id}>`,
    adapter: ({ token = server.token, clock = systemRuntime().clock, ...commands } = {}) => {
      const adapter = createDiscordPlatform({ token, apiUrl: server.apiUrl, clock, log, ...commands });
      adapters.push(adapter);
      return adapter;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(adapters.map((adapter) => adapter.stop()));
      await server[Symbol.asyncDispose]();
    },
  };
}

export async function openDiscordHarness(): Promise<PlatformHarness> {
  return new DiscordHarness(await openHarbour());
}

class DiscordHarness implements PlatformHarness {
  readonly platform: ReturnType<Harbour["adapter"]>;
  readonly #harbour: Harbour;
  readonly #said = new Map<string, { readonly channel: Channel; readonly message: Message }>();

  constructor(harbour: Harbour) {
    this.#harbour = harbour;
    this.platform = harbour.adapter();
  }

  another = () => this.#harbour.adapter();
  wrongToken = () => this.#harbour.adapter({ token: "somebody-elses" });

  mention(text: string, options: SayOptions = {}): Promise<Said> {
    return this.#say(this.#harbour.general, `${this.#harbour.botMention} ${text}`, options);
  }

  reply(thread: ThreadRef, text: string, options: SayOptions = {}): Promise<Said> {
    return this.#say(this.#channel(thread), text, options);
  }

  mentionIn(thread: ThreadRef, text: string, options: SayOptions = {}): Promise<Said> {
    return this.#say(this.#channel(thread), `${this.#harbour.botMention} ${text}`, options);
  }

  replyToBob = (thread: ThreadRef, text: string) =>
    this.#say(this.#channel(thread), `<@${this.#harbour.bob.id}> ${text}`, {});

  dm = (text: string) => this.#say(this.#harbour.server.world.dm(this.#harbour.ana), text, {});

  async click(
    posted: { channelId: string; messageId: string },
    buttonId: string,
    as: PersonName = "ana",
  ): Promise<Said> {
    const { server } = this.#harbour;
    const channel = required(server.world.channels.get(posted.channelId));
    const message = required(server.world.find(posted.channelId, posted.messageId));
    const clicked = server.people.click({ channel, user: this.#harbour[as] }, message, buttonId);
    return { messageId: clicked.id, isAnswered: () => clicked.response !== null, answered: clicked.answered };
  }

  async redeliver(said: Said): Promise<void> {
    const { channel, message } = required(this.#said.get(said.messageId));
    this.#harbour.server.people.redeliver(channel, message);
  }

  get noise(): readonly Noise[] {
    return noiseOf(this.#harbour, (thread) => this.#channel(thread));
  }

  personId(person: PersonName): string {
    return `discord:${this.#harbour[person].id}`;
  }

  async visible(thread: ThreadRef): Promise<readonly VisibleMessage[]> {
    const { world } = this.#harbour.server;
    const root = thread.threadId === null ? undefined : world.find(thread.channelId, thread.threadId);
    const inThread = world.channels.get(thread.threadId ?? thread.channelId)?.messages ?? [];
    const written = inThread.filter((message) => message.type === 0 || message.type === 19);
    return [...(root === undefined ? [] : [root]), ...written].map((message) => this.#shown(message));
  }

  async ephemeralsTo(person: PersonName): Promise<readonly string[]> {
    return this.#harbour.server.people.shownPrivately(this.#harbour[person]);
  }

  warnings(): number {
    return this.#harbour.log.lines.filter(({ level }) => level === "warn" || level === "error").length;
  }

  loseNextPostResponse(): void {
    this.#harbour.server.faults.loseNextResponse("post");
  }

  rateLimitNext(kind: "post" | "edit", retryAfterMs: number): void {
    this.#harbour.server.faults.rateLimitNext(kind, retryAfterMs);
  }

  failNextPost(): void {
    this.#harbour.server.faults.failNext("post", 503);
  }

  deleteThread(thread: ThreadRef): void {
    this.#harbour.server.people.deleteThread(this.#channel(thread));
  }

  withholdPermission = () => {
    this.#harbour.server.faults.withheld.add("Send Messages in Threads");
    return "Send Messages in Threads";
  };

  async dropConnection(): Promise<void> {
    const { gateway } = this.#harbour.server;
    const resumed = gateway.counts.resume;
    gateway.drop();
    await gateway.until(() => gateway.counts.resume > resumed);
  }

  openConnections(): number {
    return this.#harbour.server.gateway.openSockets;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#harbour[Symbol.asyncDispose]();
  }

  /** The thread's channel. People may open a thread from a message before the bot does. */
  #channel({ channelId, threadId }: ThreadRef): Channel {
    const { world, people } = this.#harbour.server;
    const existing = world.channels.get(threadId ?? channelId);
    return existing ?? people.openThread(required(world.channels.get(channelId)), required(threadId ?? undefined));
  }

  async #say(channel: Channel, text: string, { as = "ana", file, quoting }: SayOptions): Promise<Said> {
    const { server, [as]: user } = this.#harbour;
    const embeds = quoting === undefined ? [] : [{ type: "link", title: "a message elsewhere", description: quoting }];
    const message = server.people.say({ channel, user }, text, {
      ...(file === undefined ? {} : { files: [file] }),
      extra: { embeds },
    });
    this.#said.set(message.id, { channel, message });
    return { messageId: message.id, isAnswered: () => false, answered: NEVER };
  }

  #shown(message: Message): VisibleMessage {
    const { ana, bob, server } = this.#harbour;
    const authors = new Map<string, VisibleMessage["by"]>([
      [ana.id, "ana"],
      [bob.id, "bob"],
      [server.world.bot.id, "bot"],
    ]);
    return {
      messageId: message.id,
      by: authors.get(message.author.id) ?? "other",
      text: message.content,
      buttons: message.components.flatMap((row) =>
        row.components.map(({ custom_id, label }) => ({ id: custom_id, label })),
      ),
      files: message.files,
      pings: message.author.id === server.world.bot.id ? message.pings : [],
      previews: previewsOf(message),
      reactions: message.reactions.map(({ emoji }) => emoji),
    };
  }
}
