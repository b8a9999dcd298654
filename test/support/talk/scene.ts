import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type DiscordServer, startDiscordServer } from "../discord/server.ts";
import type { Channel, Guild, Message, User } from "../discord/world.ts";
import { startAnthropicServer } from "../model/anthropic-server.ts";
import { text, toolUse } from "../model/model-script.ts";
import type { ModelServer, Script } from "../model/model-server.ts";
import { type Bot, createBot, until } from "../program/bot.ts";
import { readableText } from "../slack/slack-blocks.ts";
import { isAbout } from "../slack/slack-private.ts";
import { type SlackServer, type SlackServerOptions, startSlackServer } from "../slack/slack-server.ts";
import { isAnswer, isFold } from "./bot-message.ts";

/** A platform, a model and the bot between them, from a person's point of view. */
export interface Scene extends AsyncDisposable {
  readonly bot: Bot;
  readonly model: ModelServer;
  /** Sandbox folder of the first channel. */
  readonly folder: string;
  /** Mentions the bot in a channel; returns the thread that begins. */
  mention(words: string, channel?: number): SceneThread;
  /**
   * From now on posts take effect but their responses are lost; calling the returned function ends that, if more than
   * one is to be lost.
   */
  loseReplies(): () => void;
  /** How often the bot exceeded a rate limit of the platform. */
  rateLimited(): number;
  /** People whom the bot's messages have notified. */
  pings(): readonly string[];
  /** Number of the bot's edits of messages. */
  edits(): number;
}

export interface SceneMessage {
  readonly byBot: boolean;
  readonly text: string;
  readonly buttons: readonly string[];
}

export interface SceneThread {
  messages(): readonly SceneMessage[];
  /** What only its person was shown, oldest first. */
  ephemerals(): readonly string[];
  reply(words: string): void;
  /** Deletes the person's message with these words. */
  delete(words: string): void;
  click(buttonId: string): void;
  /** Waits until a condition on its messages holds. */
  until(
    condition: (messages: readonly SceneMessage[]) => boolean,
    limit?: AbortSignal,
  ): Promise<readonly SceneMessage[]>;
}

/** What a scene runs on; several scenes may share a program and its model. */
export interface Ground extends AsyncDisposable {
  readonly bot: Bot;
  readonly model: ModelServer;
}

const MODEL = { ANTHROPIC_API_KEY: "test-key", DECKHAND_MODEL: "anthropic/claude-sonnet-5-5" };

/** Settings without approvals, for scenes about something else. */
const UNASKED = { mode: "agi" };

export interface SceneOptions {
  readonly env?: Record<string, string>;
  /** Contents of deckhand.config.json. */
  readonly settings?: object;
}

function settle(bot: Bot, { settings = UNASKED }: SceneOptions): void {
  writeFileSync(path.join(bot.home, "deckhand.config.json"), JSON.stringify(settings));
}

export async function slackScene(
  options: SlackServerOptions & SceneOptions = {},
): Promise<Scene & { slack: SlackServer }> {
  const [model, slack] = await Promise.all([startAnthropicServer(), startSlackServer(options)]);
  const bot = await createBot({
    env: {
      ...MODEL,
      ANTHROPIC_BASE_URL: model.url,
      SLACK_BOT_TOKEN: slack.botToken,
      SLACK_APP_TOKEN: slack.appToken,
      SLACK_API_URL: slack.apiUrl,
      ...options.env,
    },
  });
  settle(bot, options);
  return sceneInSlack({
    bot,
    model,
    slack,
    async [Symbol.asyncDispose]() {
      await bot[Symbol.asyncDispose]();
      await Promise.all([model.close(), slack[Symbol.asyncDispose]()]);
    },
  });
}

/** A scene on Slack; its first channel has this number. */
export function sceneInSlack(
  ground: Ground & { readonly slack: SlackServer },
  first = 1,
): Scene & { slack: SlackServer } {
  const { slack } = ground;
  const nameOf = (channel: number) => `C${String(channel).padStart(4, "0")}`;
  return {
    ...ground,
    folder: `slack-${nameOf(first)}`,
    loseReplies: () => {
      slack.faults.add("chat.postMessage", { kind: "slow", until: new Promise(() => {}) });
      return () => {};
    },
    rateLimited: () => slack.rateLimited(),
    pings: () =>
      slack.workspace.messages
        .filter(({ byBot }) => byBot)
        .flatMap(({ channel, threadTs, ts }) => slack.thread(channel, threadTs ?? ts))
        .filter(({ byBot }) => byBot)
        .flatMap(({ pings }) => pings),
    edits: () => slack.calls.filter(({ method, outcome }) => method === "chat.update" && outcome === "ok").length,
    mention(words, channelNumber = first) {
      const channel = nameOf(channelNumber);
      const root = slack.people.mention({ text: words, channel });
      const messages = () =>
        slack.thread(channel, root.ts).map(({ byBot, text: shown, buttons }) => ({
          byBot,
          text: shown,
          buttons: buttons.map(({ id }) => id),
        }));
      return thread(messages, {
        ephemerals: () =>
          slack.workspace.ephemerals
            .filter((shown) => shown.user === "U0ANA" && isAbout(shown, { channel, rootTs: root.ts }))
            .map(readableText),
        reply: (said) => slack.people.say({ text: said, channel, threadTs: root.ts }),
        delete: (said) => {
          const isMeant = ({ byBot, text: words }: { byBot: boolean; text: string }) => !byBot && words.includes(said);
          const message = slack.workspace.thread(channel, root.ts).find(isMeant);
          if (message === undefined) throw new Error(`nobody has said ${said}`);
          slack.people.delete(message);
        },
        click: (button) => {
          const holder = slack.thread(channel, root.ts).find(({ buttons }) => buttons.some(({ id }) => id === button));
          if (holder === undefined) throw new Error(`no message has the button ${button}`);
          slack.people.click(channel, holder.ts, { actionId: button });
        },
      });
    },
  };
}

export async function discordScene(options: SceneOptions = {}): Promise<Scene & { discord: DiscordServer }> {
  const [model, discord] = await Promise.all([startAnthropicServer(), startDiscordServer()]);
  const { world } = discord;
  const guild = world.guild("Harbour");
  const ana = world.user("ana", { globalName: "Ana" });
  world.join(guild, ana);
  const channels = new Map([[1, world.channel(guild, "general-1")]]);
  const bot = await createBot({
    env: {
      ...MODEL,
      ANTHROPIC_BASE_URL: model.url,
      DISCORD_TOKEN: discord.token,
      DISCORD_API_URL: discord.apiUrl,
      ...options.env,
    },
  });
  settle(bot, options);
  return sceneInDiscord({
    bot,
    model,
    discord,
    guild,
    ana,
    channels,
    async [Symbol.asyncDispose]() {
      await bot[Symbol.asyncDispose]();
      await Promise.all([model.close(), discord[Symbol.asyncDispose]()]);
    },
  });
}

interface DiscordGround extends Ground {
  readonly discord: DiscordServer;
  readonly guild: Guild;
  readonly ana: User;
  /** Existing channels by number; others are created on use. */
  readonly channels: Map<number, Channel>;
}

/** A scene on Discord; its first channel has this number. */
export function sceneInDiscord(
  { guild, ana, channels, ...ground }: DiscordGround,
  first = 1,
): Scene & { discord: DiscordServer } {
  const { discord } = ground;
  const { world, people } = discord;
  const channelOf = (number: number): Channel => {
    const channel = channels.get(number) ?? world.channel(guild, `general-${number}`);
    channels.set(number, channel);
    return channel;
  };
  return {
    ...ground,
    folder: `discord-${channelOf(first).id}`,
    loseReplies: () => discord.faults.holdResponses("post"),
    rateLimited: () => discord.tooManyRequests,
    pings: () =>
      [...world.channels.values()]
        .flatMap(({ messages }) => messages)
        .filter(({ author }) => author.id === world.bot.id)
        .flatMap(({ pings }) => pings),
    edits: () => discord.requests.filter(({ kind, status }) => kind === "edit" && status === 200).length,
    mention(words, channelNumber = first) {
      const parent = channelOf(channelNumber);
      const root = people.say({ channel: parent, user: ana }, `<@${world.bot.id}> ${words}`);
      return discordThread({ discord, ana, parent, root });
    },
  };
}

interface DiscordPlace {
  readonly discord: Awaited<ReturnType<typeof startDiscordServer>>;
  readonly ana: User;
  readonly parent: Channel;
  readonly root: Message;
}

function discordThread({ discord, ana, parent, root }: DiscordPlace): SceneThread {
  const { world, people } = discord;
  const { id: rootId } = root;
  const channel = () => world.channels.get(rootId);
  const stored = () => channel()?.messages ?? [];
  const messages = () =>
    stored().map((message) => ({
      byBot: message.author.id === world.bot.id,
      text: message.content.replace(/[\u200b\u200c]{48}$/, ""),
      buttons: message.components.flatMap((row) => row.components.map((button) => button.custom_id)),
    }));
  const at = () => {
    const found = channel();
    if (found === undefined) throw new Error("there is no thread yet");
    return { channel: found, user: ana };
  };
  return thread(messages, {
    ephemerals: () => people.shownPrivately(ana).filter((shown) => shown.includes(`<#${rootId}>`)),
    reply: (said) => people.say(at(), said),
    delete: (said) => {
      if (root.content.includes(said)) return people.delete(parent, root);
      const message = stored().find(({ author, content }) => author.id === ana.id && content.includes(said));
      if (message === undefined) throw new Error(`nobody has said ${said}`);
      return people.delete(at().channel, message);
    },
    click: (button) => {
      const holder = stored().find((message) =>
        message.components.some((row) => row.components.some((each) => each.custom_id === button)),
      );
      if (holder === undefined) throw new Error(`no message has the button ${button}`);
      people.click(at(), holder, button);
    },
  });
}

function thread(
  messages: () => readonly SceneMessage[],
  {
    ephemerals,
    ...acts
  }: Pick<SceneThread, "ephemerals" | "delete"> & {
    reply: (words: string) => unknown;
    click: (button: string) => unknown;
  },
): SceneThread {
  return {
    messages,
    ephemerals,
    reply: (words) => {
      acts.reply(words);
    },
    delete: acts.delete,
    click: (button) => {
      acts.click(button);
    },
    async until(condition, limit) {
      await until(() => condition(messages()), {
        ...(limit === undefined ? {} : { limit }),
        what: () => `the thread; it reads:\n${JSON.stringify(messages(), null, 2)}`,
      });
      return messages();
    },
  };
}

/** The bot's messages that are answers, without progress and waiting cards. */
export function answers(messages: readonly SceneMessage[]): readonly string[] {
  return messages.filter((message) => message.byBot && isAnswer(message)).map((message) => message.text);
}

/** True once the live message has folded into its summary line. */
export function isFolded(messages: readonly SceneMessage[]): boolean {
  return messages.some((message) => message.byBot && isFold(message));
}

/** Puts a file into a sandbox root of the bot. */
export function putFile(
  { bot, folder }: { readonly bot: Pick<Bot, "sandboxRoot">; readonly folder: string },
  name: string,
  content: string,
): string {
  const file = path.join(bot.sandboxRoot(folder), name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

/** Reads config.toml, changes its port from 8080 to 9090, and reports it, in three model calls. */
export const changePort: Script = (_request, index) => {
  if (index === 0) return [text("I'll read it first."), toolUse("read", { path: "config.toml" })];
  if (index === 1)
    return toolUse("edit", { path: "config.toml", old_string: "port = 8080", new_string: "port = 9090" });
  return text("The port in `config.toml` is now 9090.");
};
