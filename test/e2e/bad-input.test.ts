import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { previewsOf } from "../support/discord/world.ts";
import { type DiscordOffice, discordOffice } from "../support/discord-office.ts";
import {
  earlyEof,
  hold,
  httpError,
  midStreamError,
  overloaded,
  type Reply,
  rawToolUse,
  reset,
  serverError,
  stop,
  text,
  toolUse,
  unauthorized,
} from "../support/model-script.ts";
import { conversationOf, type SlackOffice, slackOffice } from "../support/slack-talk.ts";

interface ModelCase {
  readonly name: string;
  /** What the model answers to the thread's n-th call, counted from 0. */
  readonly reply: (call: number) => Reply;
  readonly answer: RegExp;
}

/** The first call goes wrong, the next one is told of its result. */
function calls(...parts: Extract<Reply, readonly unknown[]>): ModelCase["reply"] {
  return (call) => (call === 0 ? parts : text("The model was told."));
}

const failures: readonly ModelCase[] = [
  {
    name: "a wrong key",
    reply: unauthorized,
    answer: /^✗ Anthropic does not accept the key\. An operator must check `ANTHROPIC_API_KEY`/u,
  },
  {
    name: "an empty account",
    reply: () => httpError(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
    answer: /^✗ The Anthropic account has reached its spending limit/u,
  },
  {
    name: "an unknown model",
    reply: () => httpError(404, "not_found_error", "model: claude-sonnet-5-5"),
    answer: /^✗ Anthropic does not know the model `claude-sonnet-5-5`/u,
  },
  {
    name: "too long a thread",
    reply: () => httpError(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
    answer: /^✗ This thread is longer than claude-sonnet-5-5 can read at once/u,
  },
  { name: "overload", reply: overloaded, answer: /^✗ claude-sonnet-5-5 is overloaded, also after trying again/u },
  { name: "a failing server", reply: serverError, answer: /^✗ Anthropic failed, also after trying again/u },
  {
    name: "an error in the middle of an answer",
    reply: () => [text("Half an answer"), midStreamError("api_error", "Internal server error")],
    answer: /^✗ Anthropic failed, also after trying again/u,
  },
  {
    name: "an answer without its end",
    reply: () => [text("Half an answer"), earlyEof()],
    answer: /^✗ Anthropic broke off in the middle of its answer/u,
  },
  { name: "a cut connection", reply: () => [text("Half an answer"), reset()], answer: /^✗ I cannot reach Anthropic/u },
  { name: "no content at all", reply: () => [], answer: /^✗ claude-sonnet-5-5 returned nothing, twice/u },
  { name: "nothing but blanks", reply: () => text("  \n "), answer: /^✗ claude-sonnet-5-5 returned nothing, twice/u },
  {
    name: "a refusal",
    reply: () => [text("I"), stop("refusal")],
    answer: /^✗ claude-sonnet-5-5 declined to answer/u,
  },
  {
    name: "an answer that is cut off",
    reply: () => [text("I was going to"), stop("max_tokens")],
    answer: /^I was going to[^]*⚠ The answer was longer than the model may write in one go/u,
  },
];

const strangeCalls: readonly ModelCase[] = [
  { name: "broken JSON", reply: calls(rawToolUse("read", '{"path": "a.t')), answer: /told/u },
  { name: "a list for arguments", reply: calls(rawToolUse("read", '["a"]')), answer: /told/u },
  { name: "wrong types", reply: calls(toolUse("read", { path: { a: 1 }, offset: "x" })), answer: /told/u },
  { name: "no such tool", reply: calls(toolUse("rm -rf / 😀".repeat(40), { a: 1 })), answer: /told/u },
  {
    name: "huge and impossible strings",
    reply: calls(
      toolUse("read", { path: "x".repeat(300_000) }),
      toolUse("grep", { pattern: "(".repeat(50_000) }),
      toolUse("glob", { pattern: "a\u0000b\ud800" }),
    ),
    answer: /told/u,
  },
  {
    name: "a hundred calls at once",
    reply: calls(...Array.from({ length: 100 }, (_, index) => toolUse("glob", { pattern: `*${index}` }))),
    answer: /told/u,
  },
  {
    name: "the same id again and again",
    reply: (call) =>
      call < 2
        ? [toolUse("glob", { pattern: "*" }, "same"), toolUse("glob", { pattern: "*.x" }, "same")]
        : text("The model was told."),
    answer: /told/u,
  },
];

describe("whatever a model does, its thread reads one clear line and goes on", () => {
  let office: SlackOffice;
  const replies = new Map<string, ModelCase["reply"]>();
  beforeAll(async () => {
    office = await slackOffice();
    const seen = new Map<string, number>();
    office.model.script(({ body, lastUserText }) => {
      if (lastUserText.includes("and now?")) return text("Fine again.");
      const topic = /topic-\w+/u.exec(conversationOf(body))?.[0] ?? "";
      const call = seen.get(topic) ?? 0;
      seen.set(topic, call + 1);
      return replies.get(topic)?.(call) ?? text("Nobody asked for this.");
    });
    await office.bot.start();
  });
  afterAll(() => office[Symbol.asyncDispose]());

  test.concurrent.each([...failures, ...strangeCalls])("$name", async ({ name, reply, answer }) => {
    const topic = `topic-${name.replaceAll(/\W/gu, "_")}`;
    replies.set(topic, reply);
    const talk = office.talk({ text: topic, channel: office.channel() });
    expect(await talk.answered(1)).toMatch(answer);
    talk.say("and now?");
    expect(await talk.answered(2)).toBe("Fine again.");
    expect(talk.answers()).toHaveLength(2);
  });

  test.concurrent("an answer of 200 KB comes whole, as a file", async () => {
    const long = `Beginning. ${"0123456789 ".repeat(18_600)} The very end.`;
    replies.set("topic-long", () => text(long, { chunkChars: 5_000 }));
    const talk = office.talk({ text: "topic-long", channel: office.channel() });
    expect(await talk.answered(1)).toMatch(/^Beginning\.[^]*The answer is long: the whole of it is in the file\.$/u);
    const [file] = talk.seen().flatMap(({ files }) => files);
    expect(Buffer.from(file?.data ?? []).toString()).toBe(long);
  });

  test.concurrent("words that ping and pictures that track do neither", async () => {
    const words =
      "@everyone @here @channel <!channel> <!here|here> <@U0BOB> <!subteam^S1> ![x](https://track.example/p.png?who=ana) https://track.example/l";
    replies.set("topic-ping", (call) => (call === 0 ? [text(words), toolUse("read", { path: words })] : text(words)));
    const talk = office.talk({ text: "topic-ping", channel: office.channel() });
    await talk.answered(1);
    const shown = talk.seen().filter(({ byBot }) => byBot);
    expect(shown.flatMap(({ pings, previews }) => [...pings, ...previews])).toEqual([]);
    expect(talk.answers()[0]).toContain("[x](https://track.example/p.png?who=ana)");
  });

  afterAll(() => {
    expect(office.model.violations).toEqual([]);
    expect(office.slack.rateLimited()).toBe(0);
  });
});

describe("whatever Slack does, the person concerned learns of it", () => {
  let office: SlackOffice;
  beforeAll(async () => {
    office = await slackOffice();
    await office.bot.start();
  });
  afterEach(() => {
    for (const scope of TAKEN_AWAY) office.slack.scopes.add(scope);
    expect(office.model.violations).toEqual([]);
  });
  afterAll(() => office[Symbol.asyncDispose]());
  const TAKEN_AWAY = ["chat:write", "files:read", "files:write", "channels:history", "reactions:write", "users:read"];
  const answer = (words: string) => office.model.script(() => text(words));
  const says = (words: string) => office.talk({ text: words, channel: office.channel() });

  test("malformed and unknown events are taken off Slack's hands and change nothing", async () => {
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

  test("without files:read Slack sends its login page: the scope is named, the model knows", async () => {
    answer("I could not see it.");
    office.slack.scopes.delete("files:read");
    const file = { name: "a.txt", mediaType: "text/plain", data: Buffer.from("the words inside") };
    const talk = office.talk({ text: "look at this", channel: office.channel(), file });
    await talk.answered(1);
    await talk.shows(/^✗ Slack does not let me read files \(`files:read`\)/mu);
    expect(office.requestsAbout("a.txt (text/plain) was attached but could not be read")).toHaveLength(1);
    expect(office.requestsAbout("Sign in")).toEqual([]);
  });

  test("an attachment that is too large is named, with the limit", async () => {
    answer("Too large.");
    const file = { name: "big.bin", mediaType: "application/octet-stream", data: Buffer.alloc(26 * 1024 * 1024 + 1) };
    const talk = office.talk({ text: "look at this", channel: office.channel(), file });
    await talk.answered(1);
    await talk.shows(/^⚠ big\.bin is too large \(27\.3 MB; at most 26\.2 MB\)/mu);
    expect(
      office.requestsAbout("big.bin (application/octet-stream, 27.3 MB) was attached but is too large"),
    ).toHaveLength(1);
  });

  test("without channels:history the scope is named, and the question is answered without the thread", async () => {
    answer("Answered blindly.");
    office.slack.scopes.delete("channels:history");
    const channel = office.channel();
    const root = office.slack.people.say({ text: "people talk", channel, user: "U0BOB" });
    const talk = office.talk({ text: "help us", channel, threadTs: root.ts });
    expect(await talk.answered(1)).toBe("Answered blindly.");
    await talk.shows(/I could not read the earlier messages of this thread\. .*`channels:history`/u);
  });

  test("without reactions:write a sign is missing and nothing else; the log names the scope", async () => {
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

  test("without users:read nobody is taken for a member: the scope is named, and the answer comes once it is back", async () => {
    answer("Now I know you.");
    office.slack.workspace.users.set("U0CY", { id: "U0CY", name: "cy" });
    office.slack.scopes.delete("users:read");
    const talk = office.talk({ text: "who am I?", channel: office.channel(), user: "U0CY" });
    await office.until("the private line", () => office.whispersTo("U0CY").length > 0);
    expect(office.whispersTo("U0CY")).toEqual([expect.stringMatching(/^✗ Slack does not let me .* \(`users:read`\)/u)]);
    office.slack.scopes.add("users:read");
    expect(await talk.answered(1)).toBe("Now I know you.");
  });

  test("without files:write a long answer comes in messages, and the scope is named", async () => {
    const long = Array.from({ length: 10 }, (_, index) => `${index} ${"word ".repeat(1_900)}`.trim()).join("\n\n");
    office.model.script(() => text(long, { chunkChars: 5_000 }));
    office.slack.scopes.delete("files:write");
    const talk = says("a long one");
    const last = await talk.answered(10);
    expect(last).toContain("`files:write`");
    expect(talk.answers().join("\n\n")).toContain(long);
  });

  test("without chat:write the answer waits until the scope is back", async () => {
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
  ])("when the $what is deleted during a run, whoever asked reads the answer alone, $place", async ({ what }) => {
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
        ? workspace.whispers.filter(({ channel, threadTs }) => channel === talk.channel && threadTs === null)
        : workspace.messages.filter(({ channel, byBot }) => byBot && channel === "D0001");
    await office.until("the answer", () => alone().some(({ text: said }) => said.includes(`the deleted ${what}.`)));
    expect(alone().at(-2)?.text).toMatch(/^✗ The thread on Slack is gone, or I was removed from its channel\./u);
  });

  test("when the token expires during a run, /readyz says so and the answer comes once it is good again", async () => {
    const gate = hold();
    office.model.script(() => [text("Late, but here."), gate.part]);
    const talk = says("be patient");
    await gate.reached;
    office.slack.faults.add("chat.postMessage", { kind: "error", error: "token_expired" });
    gate.release();
    await office.until("/readyz to say so", async () => (await office.bot.probe("readyz")).status === 503);
    expect((await office.bot.probe("readyz")).text).toMatch(/no longer accepts the bot token.*SLACK_BOT_TOKEN/u);
    answer("At once.");
    talk.say("and now?");
    expect([await talk.answered(1), await talk.answered(2)]).toEqual(["Late, but here.", "At once."]);
    expect(office.requestsAbout("be patient")).toHaveLength(2);
    expect((await office.bot.probe("readyz")).status).toBe(200);
  });
});

describe("whatever Discord does, the person concerned learns of it", () => {
  let office: DiscordOffice;
  beforeAll(async () => {
    office = await discordOffice();
    await office.bot.start();
  });
  afterAll(() => office[Symbol.asyncDispose]());
  const privately = () => office.discord.people.shownPrivately(office.ana).join("\n");

  test("a deleted thread's answer is told alone", async () => {
    const gate = hold();
    office.model.script(() => [text("The answer for the deleted thread."), gate.part]);
    const talk = office.mention(office.channel("doomed"), "delete this");
    await gate.reached;
    await office.until("the thread", () => talk.place() !== undefined);
    const thread = talk.place();
    if (thread !== undefined) office.discord.people.deleteThread(thread);
    gate.release();
    await office.until("the direct message", () => privately().includes("The answer for the deleted thread."));
    expect(privately()).toContain("✗ The thread on Discord is gone");
  });

  test("a missing permission is named, and the thread works again once it is there", async () => {
    const gate = hold();
    office.model.script(() => [text("For your eyes."), gate.part]);
    const talk = office.mention(office.channel("closed"), "write it down");
    await gate.reached;
    await office.until("the live message", () => talk.byBot().length > 0);
    office.discord.faults.withheld.add("Send Messages in Threads");
    gate.release();
    await office.until("the direct message", () => privately().includes("For your eyes."));
    expect(privately()).toMatch(/✗ Discord does not let me .*\(`Send Messages in Threads`\)/u);
    office.discord.faults.withheld.clear();
    office.model.script(() => text("Here again."));
    talk.say("and now?");
    expect(await talk.answered(1)).toBe("Here again.");
  });

  test("a file that comes as a web page is named, and the model knows", async () => {
    office.model.script(() => text("I could not see it."));
    office.discord.faults.htmlInsteadOfFiles = true;
    const files = [{ name: "a.txt", mediaType: "text/plain", data: Buffer.from("the words inside") }];
    const talk = office.mention(office.channel("files"), "look at this", { files });
    await talk.answered(1);
    expect(
      talk
        .byBot()
        .map(({ content }) => content)
        .join("\n"),
    ).toContain("✗ I could not read `a.txt`.");
    expect(conversationOf(office.model.requests.at(-1)?.body)).toContain("was attached but could not be read");
    expect(conversationOf(office.model.requests.at(-1)?.body)).not.toContain("Sign in");
  });

  test("words that ping do not", async () => {
    office.model.script(() => text(`@everyone @here <@&1> <@${office.bob.id}> https://track.example/l`));
    const talk = office.mention(office.channel("loud"), "say it");
    await talk.answered(1);
    expect(talk.byBot().flatMap(({ pings }) => pings)).toEqual([]);
    expect(talk.byBot().flatMap((message) => previewsOf(message))).toEqual([]);
  });
});
