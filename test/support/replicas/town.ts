import { writeFileSync } from "node:fs";
import path from "node:path";
import { type Postgres, startOwnPostgres, startPostgres } from "../database/postgres.ts";
import { type DiscordServer, startDiscordServer } from "../discord/server.ts";
import { startAnthropicServer } from "../model/anthropic-server.ts";
import type { ModelServer } from "../model/model-server.ts";
import { type SlackServer, startSlackServer } from "../slack/slack-server.ts";
import { discordChannels, discordPlace } from "./discord-place.ts";
import { createFleet, type Fleet } from "./fleet.ts";
import { type PagePlace, pagePlace } from "./page-place.ts";
import type { Place } from "./place.ts";
import { SLACK_CHANNELS, slackChannel, slackPlace } from "./slack-place.ts";

/** Replicas of the whole program on one PostgreSQL, with a Slack, a Discord, a page and a model. */
export interface Town extends AsyncDisposable {
  readonly fleet: Fleet;
  readonly model: ModelServer;
  readonly slack: SlackServer;
  readonly discord: DiscordServer;
  readonly postgres: Postgres;
  /** The database's own address, however the replicas reach it. */
  readonly databaseUrl: string;
  readonly places: Readonly<Record<Place["name"], Place>> & { readonly page: PagePlace };
}

export interface TownOptions {
  readonly replicas: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Returns the address by which the replicas reach the database. */
  readonly by?: (databaseUrl: string) => Promise<string>;
  /** Fills the database before the first replica starts. */
  readonly fill?: (databaseUrl: string) => Promise<void>;
  /** Uses a server of its own, which the test may crash. */
  readonly crashesDatabase?: true;
  /** Contents of deckhand.config.json, in addition to the channels' modes. */
  readonly settings?: object;
}

/** Discord's minimum milliseconds between the starts of two sessions of a bot. */
const IDENTIFY_EVERY_MS = 5_000;

export async function openTown(options: TownOptions): Promise<Town> {
  const [model, slack, discord, postgres] = await Promise.all([
    startAnthropicServer(),
    startSlackServer(),
    startDiscordServer({ identifyEveryMs: IDENTIFY_EVERY_MS }),
    options.crashesDatabase === true ? startOwnPostgres() : startPostgres(),
  ]);
  const channels = discordChannels(discord);
  const { fill } = options;
  const databaseUrl = await (fill === undefined ? postgres.createDatabase() : postgres.createEmptyDatabase());
  await fill?.(databaseUrl);
  const env = {
    ANTHROPIC_API_KEY: "test-key",
    ANTHROPIC_BASE_URL: model.url,
    DECKHAND_MODEL: "anthropic/claude-sonnet-5-5",
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_APP_TOKEN: slack.appToken,
    SLACK_API_URL: slack.apiUrl,
    DISCORD_TOKEN: discord.token,
    DISCORD_API_URL: discord.apiUrl,
    DECKHAND_ENGINE: "dbos",
    DATABASE_URL: (await options.by?.(databaseUrl)) ?? databaseUrl,
    ...options.env,
  };
  const fleet = await createFleet({ env, replicas: options.replicas });
  const settings = { channels: unasked(channels.map(({ id }) => id)), ...options.settings };
  writeFileSync(path.join(fleet.home, "deckhand.config.json"), JSON.stringify(settings));
  const page: PagePlace = pagePlace(fleet);
  return {
    fleet,
    model,
    slack,
    discord,
    postgres,
    databaseUrl,
    places: { slack: slackPlace(slack), discord: discordPlace(discord, channels), page },
    async [Symbol.asyncDispose]() {
      await page[Symbol.asyncDispose]();
      await fleet[Symbol.asyncDispose]();
      await Promise.all([model.close(), slack[Symbol.asyncDispose](), discord[Symbol.asyncDispose](), postgres.stop()]);
    },
  };
}

/** Settings that require no approvals in every second channel. */
function unasked(discord: readonly string[]): Readonly<Record<string, object>> {
  const slack = Array.from({ length: SLACK_CHANNELS }, (_, number) => `slack:${slackChannel(number)}`);
  const keys = [...slack, ...discord.map((id) => `discord:${id}`)];
  return Object.fromEntries(keys.filter((_, index) => index % 2 === 0).map((key) => [key, { mode: "agi" }]));
}
