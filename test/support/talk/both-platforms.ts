import { beforeEach } from "vitest";
import type { Channel, Guild } from "../discord/world.ts";
import type { ModelServer, Script } from "../model/model-server.ts";
import type { Bot } from "../program/bot.ts";
import type { SlackServer } from "../slack/slack-server.ts";
import { type DiscordOffice, officeInDiscord, openHarbour } from "./discord-office.ts";
import { type Scene, sceneInDiscord, sceneInSlack } from "./scene.ts";
import { useStage } from "./shared-office.ts";
import { type SlackOffice, type SlackOfficeOptions, slackOffice } from "./slack-talk.ts";

export const PLATFORMS = ["Slack", "Discord"] as const;
export type PlatformName = (typeof PLATFORMS)[number];

/** One program on both Slack and Discord. */
export interface BothPlatforms extends AsyncDisposable {
  readonly bot: Bot;
  readonly model: ModelServer;
  readonly slack: SlackOffice;
  readonly discord: DiscordOffice;
  /**
   * A platform from a person's point of view, with the same interface for each, in a channel that no other scene starts
   * in.
   */
  readonly scene: (platform: PlatformName) => Scene;
  /** Uses the channel of this number, if given. */
  readonly slackScene: (channel?: number) => Scene & { readonly slack: SlackServer };
}

export interface BothPlatformsOptions extends Omit<SlackOfficeOptions, "settings"> {
  /** Contents of deckhand.config.json; by default, scenes require no approvals. */
  readonly settings?: object | ((guild: Guild) => object);
  /** Origin of Discord for the program, if it is not where it listens. */
  readonly discordOrigin?: string;
}

export async function bothPlatforms({
  settings = { mode: "agi" },
  env = {},
  discordOrigin,
  ...at
}: BothPlatformsOptions = {}): Promise<BothPlatforms> {
  const harbour = await openHarbour(discordOrigin === undefined ? {} : { origin: discordOrigin });
  const slack = await slackOffice({
    ...at,
    settings: typeof settings === "function" ? settings(harbour.guild) : settings,
    env: { DISCORD_TOKEN: harbour.discord.token, DISCORD_API_URL: harbour.discord.apiUrl, ...env },
  });
  const { bot, model } = slack;
  const close = async () => {
    await slack[Symbol.asyncDispose]();
    await harbour.discord[Symbol.asyncDispose]();
  };
  const ground = { bot, model, [Symbol.asyncDispose]: close };
  const channels = new Map<number, Channel>();
  let scenes = 0;
  const next = () => {
    scenes += 1;
    return scenes;
  };
  const slackScene = (channel = next()) => sceneInSlack({ ...ground, slack: slack.slack }, channel);
  return {
    ...ground,
    slack,
    discord: officeInDiscord({ ...ground, ...harbour }),
    slackScene,
    scene: (platform) =>
      platform === "Slack" ? slackScene() : sceneInDiscord({ ...ground, ...harbour, channels }, next()),
  };
}

export interface SharedPlatforms {
  /** The office in Slack, whose model plays the script from then on. */
  readonly slack: (script?: Script) => SlackOffice;
  readonly discord: () => DiscordOffice;
  readonly scene: BothPlatforms["scene"];
  readonly slackScene: BothPlatforms["slackScene"];
}

/** Does the same for the enclosing tests, like `useSlackOffice`. */
export function useBothPlatforms(
  options?: BothPlatformsOptions | (() => Promise<BothPlatformsOptions>),
): SharedPlatforms {
  const stage = useStage(async () => bothPlatforms(typeof options === "function" ? await options() : options));
  beforeEach(() => {
    stage().slack.slack.workspace.ephemerals.length = 0;
  });
  return {
    slack(script) {
      if (script !== undefined) stage().model.script(script);
      return stage().slack;
    },
    discord: () => stage().discord,
    scene: (platform) => stage().scene(platform),
    slackScene: (channel) => stage().slackScene(channel),
  };
}
