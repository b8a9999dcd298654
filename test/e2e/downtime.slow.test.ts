import { describe, expect, test } from "vitest";
import { text } from "../support/model/model-script.ts";
import type { Script } from "../support/model/model-server.ts";
import { untilIdle } from "../support/program/bot.ts";
import { useShared } from "../support/run/use-shared.ts";
import { PLATFORMS, type PlatformName, useBothPlatforms } from "../support/talk/both-platforms.ts";
import type { DiscordOffice, DiscordTalk } from "../support/talk/discord-office.ts";
import type { SlackOffice, Talk } from "../support/talk/slack-talk.ts";

/** A Discord server that the access settings allow before the bot joins it. */
const QUAY = "1190000000000000001";
const both = useBothPlatforms({
  settings: ({ id }) => ({ mode: "agi", access: { workspaces: [`discord:${id}`, `discord:${QUAY}`] } }),
});

const AWAY = /⚠ I was away from \d\d:\d\d to \d\d:\d\d\./gu;

/** One platform, as the people on it see and use it. */
interface Place {
  /** Mentions the bot in a new thread; the returned function reads the bot's texts there. */
  mention(words: string): () => string[];
  /** Replies in the first thread. */
  reply(words: string): void;
  /** Drops every event that is not delivered yet: the platform never delivers it later. */
  lose(): void;
  /** The `/status` answers for a thread without a session, which only ana sees. */
  privately(): readonly string[];
}

function slackPlace(office: SlackOffice): Place {
  let first: Talk | null = null;
  return {
    mention(words) {
      const talk = office.talk({ text: words });
      first ??= talk;
      return () => talk.seen().flatMap((message) => (message.byBot ? [message.text] : []));
    },
    reply: (words) => first?.say(words),
    lose: () => office.slack.deliveries.giveUp(),
    privately: () => office.ephemeralsTo("U0ANA").filter(isStatus),
  };
}

function discordPlace(office: DiscordOffice): Place {
  const general = office.channel("general");
  let first: DiscordTalk | null = null;
  return {
    mention(words) {
      const talk = office.mention(general, words);
      first ??= talk;
      return () => talk.byBot().map(({ content }) => content);
    },
    reply: (words) => first?.say(words),
    // A new gateway session replays no events of the one before it.
    lose: () => office.discord.gateway.forgetSessions(),
    privately: () => office.discord.people.shownPrivately(office.ana).filter(isStatus),
  };
}

function isStatus(shown: string): boolean {
  return shown.includes("no session here yet");
}

/** Answers with the last of these phrases that the user's text contains. */
const echo: Script = ({ lastUserText }) => {
  const heard = ["before", "meanwhile", "and a reply", "after"].findLast((words) => lastUserText.includes(words));
  return text(`Heard: ${heard ?? "nothing"}`);
};

function isHeard(words: string): (shown: string) => boolean {
  return (shown) => shown.includes(`Heard: ${words}`);
}

/** Where the bot has introduced itself, out of the places that it joins before the first kill. */
function greetings(slack: SlackOffice, discord: DiscordOffice): readonly string[] {
  const onSlack = slack.slack.workspace.messages.flatMap(({ byBot, threadTs, channel }) =>
    byBot && threadTs === null && ["C0042", "D0001"].includes(channel) ? [channel] : [],
  );
  const { world } = discord.discord;
  const onDiscord = [...world.channels.values()].flatMap(({ messages, guild_id }) =>
    messages.flatMap(({ author }) => (author.id === world.bot.id && guild_id === QUAY ? [QUAY] : [])),
  );
  return [...onSlack, ...onDiscord].toSorted();
}

const GREETED = [QUAY, "C0042", "D0001"].toSorted();

/** What a platform shows in the end: the bot's texts by when their thread began, and the number of private answers. */
interface Seen {
  readonly before: readonly string[];
  readonly meanwhile: readonly string[];
  readonly after: readonly string[];
  readonly statuses: number;
}

const awayLines = (shown: readonly string[]) => [...shown.join("\n").matchAll(AWAY)].length;

/** Kills the bot, lets people write while it is down, restarts it, and then kills and restarts it again. */
async function killedTwice(slack: SlackOffice, discord: DiscordOffice): Promise<ReadonlyMap<PlatformName, Seen>> {
  const { bot } = slack;
  const places = { Slack: slackPlace(slack), Discord: discordPlace(discord) };
  const mentions = (words: string) => ({ Slack: places.Slack.mention(words), Discord: places.Discord.mention(words) });
  const untilAll = (what: string, condition: (platform: PlatformName) => boolean) =>
    slack.until(what, () => PLATFORMS.every(condition));

  const before = mentions("before");
  await untilAll("the first answers", (platform) => before[platform]().some(isHeard("before")));
  // A channel's status would otherwise mention the run that has not ended yet.
  await untilIdle(bot);
  mentions("/status");
  await untilAll("the private answers", (platform) => places[platform].privately().length > 0);
  await bot.kill("SIGKILL");
  const meanwhile = mentions("meanwhile");
  for (const place of Object.values(places)) {
    place.reply("and a reply");
    place.lose();
  }
  await bot.start();
  const isLate = (platform: PlatformName) =>
    meanwhile[platform]().some(isHeard("meanwhile")) && before[platform]().some(isHeard("and a reply"));
  await untilAll("the late answers", isLate);
  await untilAll("the lines", (platform) => awayLines(meanwhile[platform]()) > 0 && awayLines(before[platform]()) > 0);
  await untilIdle(bot);

  await bot.kill("SIGKILL");
  await bot.start();
  const after = mentions("after");
  await untilAll("the next answers", (platform) => after[platform]().some(isHeard("after")));
  // The kill may have come before the last edit of a live message, which shows an answer until it has been posted.
  const heardOnce = (shown: readonly string[], words: string) => shown.filter(isHeard(words)).length === 1;
  await untilAll(
    "each answer once",
    (platform) =>
      heardOnce(meanwhile[platform](), "meanwhile") &&
      heardOnce(before[platform](), "and a reply") &&
      heardOnce(before[platform](), "before"),
  );
  const seenOn = (platform: PlatformName): Seen => ({
    before: before[platform](),
    meanwhile: meanwhile[platform](),
    after: after[platform](),
    statuses: places[platform].privately().length,
  });
  return new Map(PLATFORMS.map((platform) => [platform, seenOn(platform)]));
}

describe("killed, down for a while, and killed again", () => {
  let seen: ReadonlyMap<PlatformName, Seen>;
  let greeted: readonly string[] = [];

  useShared(async () => {
    const [slack, discord] = [both.slack(echo), both.discord()];
    slack.slack.people.invite("C0042");
    discord.discord.people.addBot("Quay", QUAY);
    await slack.talk({ text: "hello", channel: "D0001", bare: true }).answered(1);
    await slack.until("the greetings", () => greetings(slack, discord).length >= GREETED.length);
    seen = await killedTwice(slack, discord);
    await slack.slack.people.invite("C0042").answered;
    await slack.talk({ text: "hello again", channel: "D0001", bare: true }).answered(1);
    greeted = greetings(slack, discord);
  });

  test.each(PLATFORMS)(
    "messages sent during the downtime on %s are answered late, in new and old threads, with one notice each",
    (platform) => {
      const { before = [], meanwhile = [], after = [] } = seen.get(platform) ?? {};
      expect([meanwhile, before, after].map(awayLines)).toEqual([1, 1, 0]);
    },
  );

  test.each(PLATFORMS)("a command executed before on %s is not executed again", (platform) => {
    expect(seen.get(platform)?.statuses).toBe(1);
  });

  test("the introduction is posted once per channel, server and direct message", () => {
    expect(greeted).toEqual(GREETED);
  });
});
