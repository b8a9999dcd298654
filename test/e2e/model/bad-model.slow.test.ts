import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  earlyEof,
  httpError,
  midStreamError,
  overloaded,
  type Reply,
  rawToolUse,
  reset,
  serverError,
  silent,
  stop,
  text,
  toolUse,
  unauthorized,
} from "../../support/model/model-script.ts";
import { conversationOf, type SlackOffice, slackOffice } from "../../support/talk/slack-talk.ts";

interface ModelCase {
  readonly name: string;
  /** What the model answers to the thread's n-th call, counted from 0. */
  readonly reply: (call: number) => Reply;
  readonly answer: RegExp;
}

/** The first call returns faulty parts; the next one has received their result. */
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
    answer: /^✗ The Anthropic account has reached its spending or usage limit/u,
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
  { name: "overload", reply: overloaded, answer: /^✗ claude-sonnet-5-5 is overloaded, even after retries/u },
  { name: "a failing server", reply: serverError, answer: /^✗ Anthropic failed, even after retries/u },
  {
    name: "an error in the middle of an answer",
    reply: () => [text("Half an answer"), midStreamError("api_error", "Internal server error")],
    answer: /^✗ Anthropic failed, even after retries/u,
  },
  {
    name: "an answer without its end",
    reply: () => [text("Half an answer"), earlyEof()],
    answer: /^✗ Anthropic stopped in the middle of its answer/u,
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

/** The program gives a stream up after 45 s without a byte. In milliseconds. */
const SILENCE_MS = 45_000;

describe("whatever a model responds, its thread gets one clear line and can continue", () => {
  let office: SlackOffice;
  const replies = new Map<string, ModelCase["reply"]>();
  /** Makes a topic whose requests the model answers with this reply. */
  const aTopic = (reply: ModelCase["reply"]) => {
    const topic = `topic-${String(replies.size).padStart(3, "0")}`;
    replies.set(topic, reply);
    return topic;
  };
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

  test.concurrent.each([...failures, ...strangeCalls])("$name", async ({ reply, answer }) => {
    const topic = aTopic(reply);
    const talk = office.talk({ text: topic, channel: office.channel() });
    // The program retries for a minute if a provider does not answer.
    expect(await talk.answered(1, AbortSignal.timeout(110_000))).toMatch(answer);
    talk.say("and now?");
    expect(await talk.answered(2)).toBe("Fine again.");
    expect(talk.answers()).toHaveLength(2);
  });

  test.concurrent("an answer of 200 KB is sent completely, as a file", async () => {
    const long = `Beginning. ${"0123456789 ".repeat(18_600)} The very end.`;
    const topic = aTopic(() => text(long, { chunkChars: 5_000 }));
    const talk = office.talk({ text: topic, channel: office.channel() });
    expect(await talk.answered(1)).toMatch(/^Beginning\.[^]*The answer is long; the full text is in the file\.$/u);
    const [file] = talk.seen().flatMap(({ files }) => files);
    expect(Buffer.from(file?.data ?? []).toString()).toBe(long);
  });

  test.concurrent("a model that stalls is requested again, and the thread says so meanwhile", async () => {
    const topic = aTopic((call) => (call === 0 ? silent() : text("Here I am.")));
    const talk = office.talk({ text: topic, channel: office.channel() });
    await talk.shows(/⚠ The model went silent; trying again \(1 of 2\)\./u, AbortSignal.timeout(110_000));
    expect(await talk.answered(1)).toBe("Here I am.");
    const [first, second, ...more] = office.requestsAbout(topic).map(({ arrivedAt }) => arrivedAt);
    // On a busy machine the server records the first request a moment after the silence has begun.
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThan(SILENCE_MS * 0.9);
    expect(more).toEqual([]);
  });

  test.concurrent("mentions in answers notify nobody, and remote images are not loaded", async () => {
    const words =
      "@everyone @here @channel <!channel> <!here|here> <@U0BOB> <!subteam^S1> ![x](https://track.example/p.png?who=ana) https://track.example/l";
    const topic = aTopic((call) => (call === 0 ? [text(words), toolUse("read", { path: words })] : text(words)));
    const talk = office.talk({ text: topic, channel: office.channel() });
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
