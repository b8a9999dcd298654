import { writeFileSync } from "node:fs";
import path from "node:path";
import type { Saying } from "../discord/people.ts";
import { type DiscordServer, type DiscordServerOptions, startDiscordServer } from "../discord/server.ts";
import { type Channel, type Guild, isThread, type Message, type User } from "../discord/world.ts";
import { startAnthropicServer } from "../model/anthropic-server.ts";
import type { ModelServer } from "../model/model-server.ts";
import { type Bot, createBot, until } from "../program/bot.ts";

/** The whole program on a local Discord with a scripted model, for conversations of several people. */
export interface DiscordOffice extends AsyncDisposable {
  readonly bot: Bot;
  readonly model: ModelServer;
  readonly discord: DiscordServer;
  readonly guild: Guild;
  readonly ana: User;
  readonly bob: User;
  /** Creates a channel on the server. */
  channel(name: string): Channel;
  /** Says something to the bot in a channel, and follows the resulting thread. */
  mention(channel: Channel, words: string, saying?: Saying & { readonly by?: User }): DiscordTalk;
  /** Follows a thread or a direct message. */
  in(channelId: string): DiscordTalk;
  /** Polls a condition that has no event. */
  until(what: string, condition: () => boolean | Promise<boolean>): Promise<void>;
}

export interface DiscordTalk {
  /** Undefined until it is opened. */
  place(): Channel | undefined;
  byBot(): readonly Message[];
  /** The bot's messages other than progress, oldest first. */
  answers(): string[];
  answered(count: number): Promise<string>;
  say(words: string, by?: User, saying?: Saying): Message;
}

export interface DiscordOfficeOptions {
  /** Contents of deckhand.config.json. */
  readonly settings?: object | ((guild: Guild) => object);
}

export async function discordOffice({ settings }: DiscordOfficeOptions = {}): Promise<DiscordOffice> {
  const [model, harbour] = await Promise.all([startAnthropicServer({ key: "test-key" }), openHarbour()]);
  const { discord, guild } = harbour;
  const bot = await createBot({
    env: {
      ANTHROPIC_API_KEY: "test-key",
      DECKHAND_MODEL: "anthropic/claude-sonnet-5-5",
      ANTHROPIC_BASE_URL: model.url,
      DISCORD_TOKEN: discord.token,
      DISCORD_API_URL: discord.apiUrl,
    },
  });
  if (settings !== undefined)
    writeFileSync(
      path.join(bot.home, "deckhand.config.json"),
      JSON.stringify(typeof settings === "function" ? settings(guild) : settings),
    );
  return officeInDiscord({
    bot,
    model,
    ...harbour,
    async [Symbol.asyncDispose]() {
      await bot[Symbol.asyncDispose]();
      await Promise.all([model.close(), discord[Symbol.asyncDispose]()]);
    },
  });
}

/** A local Discord with a server of two people. */
export interface Harbour {
  readonly discord: DiscordServer;
  readonly guild: Guild;
  readonly ana: User;
  readonly bob: User;
}

export async function openHarbour(options: Pick<DiscordServerOptions, "origin"> = {}): Promise<Harbour> {
  const discord = await startDiscordServer(options);
  const { world } = discord;
  const guild = world.guild("Harbour");
  const [ana, bob] = ["Ana", "Bob"].map((name) => world.user(name.toLowerCase(), { globalName: name }));
  if (ana === undefined || bob === undefined) throw new Error("two people");
  for (const user of [ana, bob]) world.join(guild, user);
  return { discord, guild, ana, bob };
}

/** An office on an existing program. */
export function officeInDiscord(
  ground: Harbour & Pick<DiscordOffice, "bot" | "model" | typeof Symbol.asyncDispose>,
): DiscordOffice {
  const { discord, guild, ana } = ground;
  const { world, people } = discord;
  const wait: DiscordOffice["until"] = (what, condition) => until(condition, { what: () => what });
  const follow = (channelId: string): DiscordTalk => {
    const place = () => world.channels.get(channelId);
    const byBot = () => place()?.messages.filter(({ author }) => author.id === world.bot.id) ?? [];
    const talk: DiscordTalk = {
      place,
      byBot,
      answers: () =>
        byBot().flatMap(({ components, content }) =>
          components.length === 0 ? [content.replace(/[\u200b\u200c]{48}$/u, "")] : [],
        ),
      async answered(count) {
        await wait(`answer ${count} on Discord`, () => talk.answers().length >= count);
        return talk.answers()[count - 1] ?? "";
      },
      say(words, by = ana, saying = {}) {
        const channel = place();
        if (channel === undefined) throw new Error("there is no thread yet");
        return people.say({ channel, user: by }, words, saying);
      },
    };
    return talk;
  };
  return {
    ...ground,
    channel: (name) => world.channel(guild, name),
    mention(channel, words, { by = ana, ...saying } = {}) {
      const said = people.say({ channel, user: by }, `<@${world.bot.id}> ${words}`, saying);
      return follow(isThread(channel) ? channel.id : said.id);
    },
    in: follow,
    until: wait,
  };
}
