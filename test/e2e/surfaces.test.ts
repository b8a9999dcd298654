import { describe, expect, test } from "vitest";
import { untilIdle } from "../support/bot.ts";
import { type DiscordOffice, discordOffice } from "../support/discord-office.ts";
import { text } from "../support/model-script.ts";
import type { Script } from "../support/model-server.ts";
import { type SlackOffice, slackOffice } from "../support/slack-talk.ts";

const AWAY = /⚠ I was away from \d\d:\d\d to \d\d:\d\d\./gu;

/** What people see of a thread, from whichever platform. */
interface Place {
  /** A mention; answers the texts that the bot shows in its thread. */
  mention(words: string): () => string[];
  reply(words: string): void;
  /** Nothing that is undelivered by now is delivered later. */
  lose(): void;
}

interface Stage extends AsyncDisposable {
  readonly office: SlackOffice | DiscordOffice;
  readonly place: Place;
}

async function slackStage(): Promise<Stage> {
  const office = await slackOffice({ settings: { mode: "agi" } });
  let talk: ReturnType<typeof office.talk> | null = null;
  const place: Place = {
    mention(words) {
      const begun = office.talk({ text: words });
      talk ??= begun;
      return () => begun.seen().flatMap((message) => (message.byBot ? [message.text] : []));
    },
    reply: (words) => talk?.say(words),
    lose: () => office.slack.deliveries.giveUp(),
  };
  return { office, place, [Symbol.asyncDispose]: () => office[Symbol.asyncDispose]() };
}

async function discordStage(): Promise<Stage> {
  const office = await discordOffice({ settings: { mode: "agi" } });
  const general = office.channel("general");
  let talk: ReturnType<typeof office.mention> | null = null;
  const place: Place = {
    mention(words) {
      const begun = office.mention(general, words);
      talk ??= begun;
      return () => begun.byBot().map(({ content }) => content);
    },
    reply: (words) => talk?.say(words),
    // A new session at the gateway begins with nothing of the one before.
    lose: () => office.discord.gateway.forgetSessions(),
  };
  return { office, place, [Symbol.asyncDispose]: () => office[Symbol.asyncDispose]() };
}

const stages = [
  { name: "Slack", open: slackStage },
  { name: "Discord", open: discordStage },
];

function awayLines(shown: readonly string[]): number {
  return [...shown.join("\n").matchAll(AWAY)].length;
}

describe.each(stages)("away from $name", ({ open }) => {
  test("what was said meanwhile is answered late, in new threads and in old ones, and each thread reads so once", async () => {
    await using stage = await open();
    const { office, place } = stage;
    office.model.script(echo);
    await office.bot.start();
    const before = place.mention("before");
    await office.until("the first answer", () => before().some(isHeard("before")));
    await office.bot.kill("SIGKILL");

    const meanwhile = place.mention("meanwhile");
    place.reply("and a reply");
    place.lose();
    await office.bot.start();
    await office.until(
      "the late answers",
      () => meanwhile().some(isHeard("meanwhile")) && before().some(isHeard("and a reply")),
    );
    await office.until("the lines", () => awayLines(meanwhile()) > 0 && awayLines(before()) > 0);
    await untilIdle(office.bot);

    await office.bot.kill("SIGKILL");
    await office.bot.start();
    const after = place.mention("after");
    await office.until("the next answer", () => after().some(isHeard("after")));
    expect([meanwhile, before, after].map((shown) => awayLines(shown()))).toEqual([1, 1, 0]);
    expect(meanwhile().filter(isHeard("meanwhile"))).toHaveLength(1);
    expect(before().filter(isHeard("and a reply"))).toHaveLength(1);
    expect(before().filter(isHeard("before"))).toHaveLength(1);
  }, 60_000);

  test("a command that was carried out before is not carried out again", async () => {
    await using stage = await open();
    const { office, place } = stage;
    office.model.script(echo);
    await office.bot.start();
    place.mention("/status");
    const whispers = () => privateTexts(office).filter((shown) => shown.includes("no session here yet"));
    await office.until("the private answer", () => whispers().length > 0);
    await office.bot.kill("SIGKILL");
    const meanwhile = place.mention("meanwhile");
    place.lose();
    await office.bot.start();
    await office.until("the late answer", () => meanwhile().some(isHeard("meanwhile")));
    expect(whispers()).toHaveLength(1);
  }, 60_000);
});

/** Says which of the words it knows it was asked with last. */
const echo: Script = ({ lastUserText }) => {
  const heard = ["before", "meanwhile", "and a reply", "after"].findLast((words) => lastUserText.includes(words));
  return text(`Heard: ${heard ?? "nothing"}`);
};

function isHeard(words: string): (shown: string) => boolean {
  return (shown) => shown.includes(`Heard: ${words}`);
}

function privateTexts(office: SlackOffice | DiscordOffice): readonly string[] {
  if ("slack" in office) return office.whispersTo("U0ANA");
  return office.discord.people.shownPrivately(office.ana);
}
