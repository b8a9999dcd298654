import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { previewsOf } from "../support/discord/world.ts";
import { hold, text, toolUse } from "../support/model/model-script.ts";
import { untilIdle } from "../support/program/bot.ts";
import { useBothPlatforms } from "../support/talk/both-platforms.ts";
import type { DiscordOffice } from "../support/talk/discord-office.ts";
import { conversationOf, type SlackOffice } from "../support/talk/slack-talk.ts";

const both = useBothPlatforms({ settings: { mode: "write" } });

describe("failures of Slack are reported to the person concerned", () => {
  let office: SlackOffice;
  beforeEach(() => {
    office = both.slack();
  });
  afterEach(() => {
    for (const scope of TAKEN_AWAY) office.slack.scopes.add(scope);
  });
  const TAKEN_AWAY = ["chat:write", "files:read", "files:write", "channels:history", "reactions:write", "users:read"];
  const answer = (words: string) => office.model.script(() => text(words));
  const says = (words: string) => office.talk({ text: words, channel: office.channel() });

  test("malformed and unknown events are acknowledged and ignored", async () => {
    answer("Still here.");
    const { deliveries, people } = office.slack;
    for (const raw of ["not json", "{}", '{"type":"events_api","payload":{}}']) deliveries.raw(raw);
    const odd = [
      { type: "message", channel: 7 },
      { type: "team_join", user: {} },
      { type: "message", subtype: "never_seen", channel: "C0001", ts: "1700000000.000100" },
      { type: "message", subtype: "message_changed", channel: "C0001", message: 4 },
      {
        type: "message",
        subtype: "channel_join",
        channel: "C0001",
        ts: "1700000000.000200",
        user: "U0ANA",
        text: "joined",
      },
      { type: "app_mention", channel: "C0001", user: "U0ANA", text: "<@U0BOT> hi", ts: "not-a-ts" },
    ].map((event) => people.event(event));
    await Promise.all(odd.map(({ answered }) => answered));
    expect(await says("are you there?").answered(1)).toBe("Still here.");
    expect(office.model.requests).toHaveLength(1);
  });

  test("without files:read, Slack's login page is recognised, and the missing scope is reported to people and model", async () => {
    answer("I could not see it.");
    office.slack.scopes.delete("files:read");
    const file = { name: "a.txt", mediaType: "text/plain", data: Buffer.from("the words inside") };
    const talk = office.talk({ text: "look at this", channel: office.channel(), file });
    await talk.answered(1);
    await talk.shows(/^✗ Slack does not let me read files \(`files:read`\)/mu);
    expect(office.requestsAbout("a.txt (text/plain) was attached but could not be read")).toHaveLength(1);
    expect(office.requestsAbout("Sign in")).toEqual([]);
  });

  test("an oversized attachment is reported with the limit", async () => {
    answer("Too large.");
    const file = { name: "big.bin", mediaType: "application/octet-stream", data: Buffer.alloc(26 * 1024 * 1024 + 1) };
    const talk = office.talk({ text: "look at this", channel: office.channel(), file });
    await talk.answered(1);
    await talk.shows(/^⚠ big\.bin is too large \(27\.3 MB; at most 26\.2 MB\)/mu);
    expect(
      office.requestsAbout("big.bin (application/octet-stream, 27.3 MB) was attached but is too large"),
    ).toHaveLength(1);
  });

  test("a file deleted before it is read is reported, and the text is answered", async () => {
    answer("I have your words.");
    const { people, workspace } = office.slack;
    const {
      ts,
      channel,
      user,
      text: words,
    } = workspace.add({
      channel: office.channel(),
      user: "U0ANA",
      text: "<@U0BOT> see the file",
    });
    const files = [{ id: "F9999", name: "gone.txt", mimetype: "text/plain" }];
    people.event({
      type: "message",
      subtype: "file_share",
      channel,
      channel_type: "channel",
      user,
      text: words,
      ts,
      files,
    });
    const shown = () => office.slack.thread(channel, ts).map((message) => message.text);
    await office.until("the answer", () => shown().includes("I have your words."));
    await office.until("the name", () => shown().join("\n").includes("✗ I could not read `gone.txt`."));
  });

  test("without channels:history the scope is reported, and the question is answered without the thread", async () => {
    answer("Answered blindly.");
    office.slack.scopes.delete("channels:history");
    const channel = office.channel();
    const root = office.slack.people.say({ text: "people talk", channel, user: "U0BOB" });
    const talk = office.talk({ text: "help us", channel, threadTs: root.ts });
    expect(await talk.answered(1)).toBe("Answered blindly.");
    await talk.shows(/I couldn't read the earlier messages in this thread\. .*`channels:history`/u);
  });

  test("without reactions:write only the reaction is missing, and the scope is logged", async () => {
    office.slack.scopes.delete("reactions:write");
    const gate = hold();
    office.model.script(({ toolResults }) =>
      toolResults.length === 0 ? [gate.part, toolUse("glob", { pattern: "*" })] : text("Both done."),
    );
    const talk = says("do this");
    await gate.reached;
    await talk.say("and that").answered;
    gate.release();
    expect(await talk.answered(1)).toBe("Both done.");
    await office.until("the log line", () => /reactions:write.*reaction_failed/u.test(office.bot.output()));
  });

  test("without users:read nobody counts as a member; the scope is reported, and the answer follows once it is granted", async () => {
    answer("Now I know you.");
    office.slack.workspace.users.set("U0CY", { id: "U0CY", name: "cy" });
    office.slack.scopes.delete("users:read");
    const talk = office.talk({ text: "who am I?", channel: office.channel(), user: "U0CY" });
    await office.until("the private line", () => office.ephemeralsTo("U0CY").length > 0);
    expect(office.ephemeralsTo("U0CY")).toEqual([
      expect.stringMatching(/^✗ Slack does not let me .* \(`users:read`\)/u),
    ]);
    office.slack.scopes.add("users:read");
    expect(await talk.answered(1)).toBe("Now I know you.");
  });

  test("without files:write a long answer is split into messages, and the scope is reported", async () => {
    const long = Array.from({ length: 10 }, (_, index) => `${index} ${"word ".repeat(1_900)}`.trim()).join("\n\n");
    office.model.script(() => text(long, { chunkChars: 5_000 }));
    office.slack.scopes.delete("files:write");
    const talk = says("a long one");
    const last = await talk.answered(10);
    expect(last).toContain("`files:write`");
    expect(talk.answers().join("\n\n")).toContain(long);
  });

  test("without chat:write the answer waits until the scope is granted", async () => {
    const gate = hold();
    office.model.script(() => [text("Kept."), gate.part]);
    const talk = says("write it down");
    await gate.reached;
    office.slack.scopes.delete("chat:write");
    gate.release();
    await office.until("the log line", () => /chat:write.*answer_undeliverable_privately/su.test(office.bot.output()));
    office.slack.scopes.add("chat:write");
    expect(await talk.answered(1)).toBe("Kept.");
    expect(office.requestsAbout("write it down")).toHaveLength(1);
  });

  test.each([
    { what: "thread", place: "in the channel" },
    { what: "channel", place: "directly" },
  ])(
    "when the $what is deleted during a run, the answer is sent privately to the requester, $place",
    async ({ what }) => {
      const gate = hold();
      office.model.script(() => [text(`The answer for the deleted ${what}.`), gate.part]);
      const talk = says(`delete this ${what}`);
      await gate.reached;
      const { workspace } = office.slack;
      if (what === "channel") workspace.channel(talk.channel).gone = true;
      else workspace.messages.splice(0);
      gate.release();
      const alone = () =>
        what === "thread"
          ? workspace.ephemerals.filter(({ channel, threadTs }) => channel === talk.channel && threadTs === null)
          : workspace.messages.filter(({ channel, byBot }) => byBot && channel === "D0001");
      await office.until("the answer", () => alone().some(({ text: said }) => said.includes(`the deleted ${what}.`)));
      expect(alone().at(-2)?.text).toMatch(/^✗ The thread on Slack is gone, or I was removed from its channel\./u);
    },
  );

  test("when the token expires during a run, /readyz reports it and the answer follows once a token is valid", async () => {
    const gate = hold();
    office.model.script(() => [text("Late, but here."), gate.part]);
    const talk = says("be patient");
    await gate.reached;
    office.slack.faults.isTokenExpired = true;
    gate.release();
    await office.until("/readyz to say so", async () => {
      const { status, text: said } = await office.bot.probe("readyz");
      return status === 503 && /no longer accepts the bot token.*SLACK_BOT_TOKEN/u.test(said);
    });
    await untilIdle(office.bot);
    office.slack.faults.isTokenExpired = false;
    answer("At once.");
    talk.say("and now?");
    expect([await talk.answered(1), await talk.answered(2)]).toEqual(["Late, but here.", "At once."]);
    expect(office.requestsAbout("be patient")).toHaveLength(2);
    expect((await office.bot.probe("readyz")).status).toBe(200);
  });
});

describe("failures of Discord are reported to the person concerned", () => {
  let office: DiscordOffice;
  beforeEach(() => {
    office = both.discord();
  });
  const privately = () => office.discord.people.shownPrivately(office.ana).join("\n");

  test("the answer for a deleted thread is sent privately", async () => {
    const gate = hold();
    office.model.script(() => [text("The answer for the deleted thread."), gate.part]);
    const channel = office.channel("doomed");
    const talk = office.mention(channel, "delete this");
    await gate.reached;
    await office.until("the thread", () => talk.place() !== undefined);
    const thread = talk.place();
    if (thread !== undefined) office.discord.people.deleteThread(thread);
    gate.release();
    await office.until("the direct message", () => privately().includes("The answer for the deleted thread."));
    expect(privately()).toContain("✗ The thread on Discord is gone");
    expect(privately()).toContain(`About your message in <#${channel.id}>`);
  });

  test("a missing permission is reported, and the thread works again once it is granted", async () => {
    const gate = hold();
    office.model.script(() => [text("For your eyes."), gate.part]);
    const talk = office.mention(office.channel("closed"), "write it down");
    await gate.reached;
    await office.until("the live message", () => talk.byBot().length > 0);
    office.discord.faults.withheld.add("Send Messages in Threads");
    gate.release();
    await office.until("the direct message", () => privately().includes("For your eyes."));
    expect(privately()).toMatch(/✗ Discord does not let me .*\(Send Messages in Threads\)/u);
    office.discord.faults.withheld.clear();
    office.model.script(() => text("Here again."));
    talk.say("and now?");
    expect(await talk.answered(1)).toBe("Here again.");
  });

  test("a web page in place of a file is reported to people and model", async () => {
    office.model.script(() => text("I could not see it."));
    office.discord.faults.htmlInsteadOfFiles = true;
    const files = [{ name: "a.txt", mediaType: "text/plain", data: Buffer.from("the words inside") }];
    const talk = office.mention(office.channel("files"), "look at this", { files });
    await talk.answered(1);
    await office.until("the name", () =>
      talk.byBot().some(({ content }) => content.includes("✗ I could not read `a.txt`.")),
    );
    expect(conversationOf(office.model.requests.at(-1)?.body)).toContain("was attached but could not be read");
    expect(conversationOf(office.model.requests.at(-1)?.body)).not.toContain("Sign in");
  });

  test("mentions in an answer notify nobody", async () => {
    office.model.script(() => text(`@everyone @here <@&1> <@${office.bob.id}> https://track.example/l`));
    const talk = office.mention(office.channel("loud"), "say it");
    await talk.answered(1);
    expect(talk.byBot().flatMap(({ pings }) => pings)).toEqual([]);
    expect(talk.byBot().flatMap((message) => previewsOf(message))).toEqual([]);
  });
});
