import { readFileSync } from "node:fs";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { hold, silent, text } from "../support/model/model-script.ts";
import { untilIdle } from "../support/program/bot.ts";
import { useBothPlatforms } from "../support/talk/both-platforms.ts";
import { PIXEL } from "../support/talk/conversation.ts";
import type { DiscordOffice } from "../support/talk/discord-office.ts";
import { conversationOf, overheard, type SlackOffice } from "../support/talk/slack-talk.ts";

const PICTURE = Buffer.from(PIXEL, "base64");

const both = useBothPlatforms({ settings: { mode: "agi", channels: { "slack:C9000": { requireMention: true } } } });

afterAll(() => expect(both.slack().slack.rateLimited()).toBe(0));

describe("on Slack", () => {
  let office: SlackOffice;
  beforeEach(() => {
    office = both.slack();
    const people = [
      { id: "U0CY", name: "cy" },
      { id: "U0GUS", name: "gus", isRestricted: true },
      { id: "U0STU", name: "stu", isStranger: true, teamId: "T0002" },
      { id: "U0ROB", name: "rob", isBot: true },
    ];
    for (const person of people) office.slack.workspace.users.set(person.id, person);
  });

  const answer = (words = "Answered.") => office.model.script(() => text(words));
  const newest = () => conversationOf(office.model.requests.at(-1)?.body);
  const says = (words: string) => office.talk({ text: words, channel: office.channel() });

  /** Number of model requests. Events that start no run are checked once a message sent after them has its answer. */
  const askedSoFar = () => office.model.requests.length;

  /**
   * Makes Slack refuse the answer in these ways, but only after its live message has landed: on a slow machine the live
   * message would otherwise be what Slack refuses.
   */
  const refused = async (...methods: readonly string[]) => {
    const gate = hold();
    office.model.script(({ lastUserText }) =>
      lastUserText.includes("still there") ? text("Yes.") : [gate.part, text("A table.")],
    );
    const talk = says("compare them");
    await office.until("the live message", () => talk.live().length > 0);
    for (const method of methods) office.slack.faults.add(method, { kind: "error", error: "invalid_blocks" });
    gate.release();
    return talk;
  };

  test("an answer that Slack refuses is sent as a file, and later messages are answered", async () => {
    const talk = await refused("chat.postMessage");
    expect(await talk.answered(1)).toContain("I couldn't post my answer as a message. It is in the file.");
    talk.mention("are you still there?");
    expect(await talk.answered(2)).toBe("Yes.");
    expect(office.slack.faults.isPending("chat.postMessage")).toBe(false);
  });

  test("if files are refused as well, the thread gets a notice", async () => {
    const talk = await refused("chat.postMessage", "files.completeUploadExternal");
    expect(await talk.answered(1)).toMatch(/^✗ I couldn't post my answer as a message\. Something broke/u);
  });

  test("a mention in a thread of people includes its root and 20 newest messages, with authors, as context", async () => {
    answer();
    const channel = office.channel();
    const root = office.slack.people.say({ text: "the build is red", channel, user: "U0BOB" });
    for (let index = 0; index < 30; index += 1)
      office.slack.people.say({ text: `remark ${index}`, channel, user: "U0CY", threadTs: root.ts });
    const talk = office.talk({ text: "what is wrong here?", channel, threadTs: root.ts });
    await talk.answered(1);
    expect(newest()).toContain(overheard("bob", "the build is red"));
    expect(newest()).toContain(overheard("cy", "remark 29"));
    expect(newest().match(/remark \d+/gu)).toHaveLength(19);
    expect(newest()).toContain('"ana: what is wrong here?"');
  });

  test("a person who addressed the bot in a thread continues without mentions; messages of others are only context", async () => {
    answer();
    const talk = says("begin");
    await talk.answered(1);
    const before = askedSoFar();
    await talk.say("I think it is the cache", { user: "U0BOB" }).answered;
    await talk.say("<@U0BOB> can you look?").answered;
    talk.say("and the logs?");
    await talk.answered(2);
    expect(askedSoFar() - before).toBe(1);
    expect(newest()).toContain(overheard("bob", "I think it is the cache"));
    expect(newest()).toContain(overheard("ana", "@bob can you look?"));
    expect(newest()).toContain('"ana: and the logs?"');
  });

  test("a mention in the middle of somebody else's sentence addresses the bot", async () => {
    answer();
    const talk = says("begin");
    await talk.answered(1);
    talk.say("<@U0ANA> let us ask <@U0BOT> about it", { user: "U0BOB" });
    await talk.answered(2);
    talk.say("and me again", { user: "U0BOB" });
    await talk.answered(3);
    expect(newest()).toContain('"bob: and me again"');
  });

  test("a note to remember starts no run, and is available later", async () => {
    answer();
    const talk = says("begin");
    await talk.answered(1);
    const before = askedSoFar();
    talk.mention("/remember we deploy on Thursdays");
    await office.until("that it is kept", () =>
      office.ephemeralsTo("U0ANA").some((told) => told.includes("keep it in mind")),
    );
    talk.say("when do we deploy?");
    await talk.answered(2);
    expect(askedSoFar() - before).toBe(1);
    expect(newest()).toContain("[Keep in mind] we deploy on Thursdays");
  });

  test("if the configuration requires mentions, only they are answered; other messages are context", async () => {
    answer();
    const talk = office.talk({ text: "begin", channel: "C9000" });
    await talk.answered(1);
    const before = askedSoFar();
    await talk.say("no mention").answered;
    talk.mention("a mention");
    await talk.answered(2);
    expect(askedSoFar() - before).toBe(1);
    expect(newest()).toContain(overheard("ana", "no mention"));
  });

  test("each top-level direct message starts a session, continued in its thread", async () => {
    answer();
    const first = office.talk({ text: "first words", channel: "D0001", bare: true });
    await first.answered(1);
    const second = office.talk({ text: "second words", channel: "D0001", bare: true });
    await second.answered(1);
    expect(newest()).not.toContain("first words");
    second.say("more words");
    await second.answered(2);
    expect(newest()).toContain("second words");
  });

  test("images, texts, other files and quotes reach the model, and files the sandbox", async () => {
    answer();
    const png = { name: "shot.png", mediaType: "image/png", data: PICTURE };
    const talk = office.talk({ text: "look", channel: office.channel(), file: png, quoting: "quoted words" });
    await talk.answered(1);
    expect(newest()).toContain("bob wrote:\\nquoted words\\n</quoted_conversation>");
    expect(newest()).toContain('"media_type":"image/png"');
    talk.say("", { file: { name: "../notes.txt", mediaType: "text/plain", data: Buffer.from("noted words") } });
    await talk.answered(2);
    expect(newest()).toContain('{"type":"text","media_type":"text/plain","data":"noted words"}');
    talk.say("this", { file: { name: "a.zip", mediaType: "application/zip", data: Buffer.from([80, 75, 0, 255]) } });
    await talk.answered(3);
    expect(newest()).toContain("Attached: a.zip (application/zip, 4 bytes). It is saved as attachments/a.zip.");
    const root = office.bot.sandboxRoot(`slack-${talk.channel}`);
    expect(readFileSync(`${root}/attachments/shot.png`)).toEqual(PICTURE);
    expect(readFileSync(`${root}/attachments/notes.txt`, "utf8")).toBe("noted words");
  });

  test("guests and external people are refused privately; in a thread of others they are ignored", async () => {
    answer();
    const before = askedSoFar();
    const channel = office.channel();
    const guest = office.talk({ text: "may I?", channel, user: "U0GUS" });
    const stranger = office.talk({ text: "and I?", channel, user: "U0STU" });
    await office.until(
      "two refusals",
      () => [...office.ephemeralsTo("U0GUS"), ...office.ephemeralsTo("U0STU")].length > 1,
    );
    expect(office.ephemeralsTo("U0GUS")).toEqual([expect.stringContaining("I don't answer guests.")]);
    expect(office.ephemeralsTo("U0STU")).toEqual([
      expect.stringContaining("I only answer people from this workspace."),
    ]);
    const talk = says("begin");
    await talk.answered(1);
    await talk.say("a guest's words", { user: "U0GUS" }).answered;
    talk.say("go on");
    await talk.answered(2);
    expect(newest()).not.toContain("a guest's words");
    expect(askedSoFar() - before).toBe(2);
    expect([...guest.seen(), ...stranger.seen()].filter(({ byBot }) => byBot)).toEqual([]);
  });

  test("other bots, edits, joins and the bot's own messages are ignored", async () => {
    answer();
    const before = askedSoFar();
    const talk = says("begin");
    await talk.answered(1);
    const { people, workspace } = office.slack;
    const at = { channel: talk.channel, thread_ts: talk.rootTs, user: "U0ANA" };
    const mention = "<@U0BOT> do it again";
    const ignored = [
      people.mention({ text: "do it again", channel: talk.channel, threadTs: talk.rootTs, user: "U0ROB" }),
      people.event({ type: "message", ...at, ts: workspace.nextTs(), bot_id: "B0002", text: mention }),
      people.event({ type: "message", ...at, ts: workspace.nextTs(), subtype: "channel_join", text: mention }),
      people.event({
        type: "message",
        subtype: "message_changed",
        hidden: true,
        channel: talk.channel,
        ts: workspace.nextTs(),
        message: { type: "message", ...at, ts: talk.rootTs, text: mention },
      }),
    ];
    await Promise.all(ignored.map(({ answered }) => answered));
    talk.say("go on");
    await talk.answered(2);
    expect(askedSoFar() - before).toBe(2);
    expect(newest()).not.toContain("do it again");
  });

  test("commands are answered privately; an unknown one gets a suggestion", async () => {
    answer();
    const talk = office.talk({ text: "begin", channel: office.channel(), user: "U0CY" });
    await talk.answered(1);
    const before = askedSoFar();
    await untilIdle(office.bot);
    const replies = async (command: string, mentioned: boolean) => {
      const known = office.ephemeralsTo("U0CY").length;
      if (mentioned) talk.mention(command, { user: "U0CY" });
      else talk.say(command, { user: "U0CY" });
      await office.until(`the answer to ${command}`, () => office.ephemeralsTo("U0CY").length > known);
      return office.ephemeralsTo("U0CY").at(-1);
    };
    expect(await replies("/statsu", true)).toBe("I don't know `/statsu`. Did you mean `/status`?");
    expect(await replies("/frobnicate", true)).toBe("I don't know `/frobnicate`. `/help` lists all commands.");
    expect(await replies("/status", false)).toMatch(
      /^✓ Nothing is running\. Agent \*\*build\*\*, mode agi, `anthropic\/claude-sonnet-5-5`, 2 messages in this session\. Context: \d+ % \([\d,]+ of 1,000,000 tokens\)\.$/,
    );
    expect(await replies("/stop", true)).toBe("Nothing is running in this thread.");
    expect(await replies("/help", true)).toContain("`/new` · start a new session here");
    expect(await replies("", true)).toContain("Mention me and say what you want done");
    expect(office.ephemeralsTo("U0CY")).toHaveLength(6);
    expect(talk.answers()).toHaveLength(1);
    expect(askedSoFar()).toBe(before);
  });

  test("/new starts without the history, and the person need not mention the bot again", async () => {
    answer();
    const talk = says("the old subject");
    await talk.answered(1);
    const known = office.ephemeralsTo("U0ANA").length;
    await untilIdle(office.bot);
    talk.mention("/new");
    await office.until("the answer", () => office.ephemeralsTo("U0ANA").length > known);
    expect(office.ephemeralsTo("U0ANA").slice(known)).toEqual([
      "✓ A new session starts here, without the conversation so far.",
    ]);
    talk.say("the new subject");
    await talk.answered(2);
    expect(newest()).toContain("the new subject");
    expect(newest()).not.toContain("the old subject");
  });
});

describe("on Discord", () => {
  let office: DiscordOffice;
  beforeEach(() => {
    office = both.discord();
    office.model.script(() => text("Answered."));
  });
  const newest = () => conversationOf(office.model.requests.at(-1)?.body);

  test("direct messages are one rolling session, until /new", async () => {
    const { people, world } = office.discord;
    people.dm(office.ana, "first words");
    const talk = office.in(world.dm(office.ana).id);
    await talk.answered(1);
    talk.say("second words");
    await talk.answered(2);
    expect(newest()).toContain("first words");
    await untilIdle(office.bot);
    talk.say("/new");
    expect(await talk.answered(3)).toContain("A new session starts here");
    talk.say("third words");
    await talk.answered(4);
    expect(newest()).not.toContain("second words");
  });

  test("a mention in a thread of people includes their messages; its author continues without mentions", async () => {
    const { people, world } = office.discord;
    const channel = office.channel("talk");
    const root = people.say({ channel, user: office.bob }, "the build is red");
    const thread = people.openThread(channel, root.id);
    people.say({ channel: thread, user: office.bob }, "a remark");
    const talk = office.in(thread.id);
    talk.say(`<@${world.bot.id}> what now?`);
    await talk.answered(1);
    expect(newest()).toContain(overheard("Bob", "the build is red"));
    expect(newest()).toContain(overheard("Bob", "a remark"));
    const before = office.model.requests.length;
    talk.say("it is the cache", office.bob);
    talk.say(`<@${office.bob.id}> look`);
    talk.say("and the logs?");
    await talk.answered(2);
    expect(office.model.requests.length - before).toBe(1);
    expect(newest()).toContain(overheard("Bob", "it is the cache"));
    expect(newest()).toContain(overheard("Ana", "@Bob look"));
  });

  test("a person who has not passed the server's membership screening is refused by direct message", async () => {
    const { people, world } = office.discord;
    const gus = world.user("gus");
    world.join(office.guild, gus, { pending: true });
    const talk = office.mention(office.channel("gate"), "may I?", { by: gus });
    await office.until("the refusal", () => people.shownPrivately(gus).length > 0);
    expect(people.shownPrivately(gus)[0]).toContain("I don't answer guests.");
    expect(talk.place()).toBeUndefined();
  });

  test("a forwarded message and a file reach the model, the file also the sandbox", async () => {
    const channel = office.channel("files");
    const talk = office.mention(channel, "look", {
      files: [{ name: "notes.txt", mediaType: "text/plain", data: Buffer.from("noted words") }],
      repliesTo: office.discord.people.say({ channel, user: office.bob }, "quoted words"),
      type: 19,
    });
    await talk.answered(1);
    expect(newest()).toContain("quoted words");
    expect(newest()).toContain("noted words");
    const root = office.bot.sandboxRoot(`discord-${channel.id}`);
    expect(readFileSync(`${root}/attachments/notes.txt`, "utf8")).toBe("noted words");
  });

  test("a click on Stop stops the model; a second click is answered", async () => {
    const { people } = office.discord;
    office.model.script(() => silent());
    const before = office.model.requests.length;
    const talk = office.mention(office.channel("stop"), "wait for it");
    const request = await office.model.request(before);
    await office.until("the Stop button", () => talk.byBot().some(({ components }) => components.length > 0));
    const channel = talk.place();
    const live = talk.byBot()[0];
    const stop = live?.components[0]?.components[0]?.custom_id;
    if (channel === undefined || live === undefined || stop === undefined) throw new Error("there is no Stop button");
    const clicks = [office.ana, office.bob].map((user) => people.click({ channel, user }, live, stop));
    expect(await request.ended).toBe("aborted");
    await Promise.all(clicks.map(({ answered }) => answered));
    expect(clicks.flatMap(({ shown }) => shown.map(({ content }) => content))).toEqual([
      expect.stringContaining("Already stopped by "),
    ]);
    await office.until("the line", () => /^⏹ Stopped by @Ana|^⏹ Stopped by @Bob/u.test(live.content));
  });

  test("a server that adds the bot later gets one message and no model call", async () => {
    office.model.script(() => text("Here."));
    const home = office.mention(office.channel("home"), "are you there?");
    await home.answered(1);

    const { world, people } = office.discord;
    const told = () => [...world.channels.values()].flatMap(({ messages }) => messages.map(({ content }) => content));
    const greetings = () => told().filter((each) => each.includes("I'm Deckhand")).length;
    const requests = office.model.requests.length;
    const greeted = greetings();
    const far = people.addBot("Quay");
    const quay = world.guildOf(far);
    if (quay === undefined) throw new Error("there is a server");
    world.join(quay, office.bob);
    office.mention(far, "and here?", { by: office.bob });
    await office.until("the line", () => told().some((each) => each.includes(`discord:${quay.id}`)));
    expect(office.model.requests).toHaveLength(requests);
    expect(greetings(), "no greeting there").toBe(greeted);
  });
});
