import { expect, test } from "vitest";
import { z } from "zod";
import {
  hold,
  overloaded,
  type Reply,
  rateLimited,
  serverError,
  stop,
  text,
  thinking,
  toolUse,
} from "../../support/model/model-script.ts";
import type { RecordedRequest } from "../../support/model/model-server.ts";
import { playEach } from "../../support/talk/agent-lines.ts";
import { answers, isFolded, putFile, type SceneThread, sceneInSlack, slackScene } from "../../support/talk/scene.ts";
import { useStage } from "../../support/talk/shared-office.ts";

const RESUME = /^Output token limit hit\. Resume directly — no apology, no recap of what you were doing\./;

const bodySchema = z.object({ model: z.string(), messages: z.array(z.unknown()) });

function modelOf(request: RecordedRequest): string {
  return bodySchema.parse(request.body).model;
}

function cut(words: string): Reply {
  return [text(words), stop("max_tokens")];
}

async function ending(thread: SceneThread): Promise<readonly string[]> {
  const messages = await thread.until((all) => answers(all).length > 0);
  return answers(messages);
}

/** What the live message reads. */
function progress(thread: SceneThread): string {
  return thread
    .messages()
    .filter(({ byBot, buttons }) => byBot && buttons.length > 0)
    .map((message) => message.text)
    .join("\n");
}

/** Channels whose model has another one to take over. */
const [FALLING, FALLEN] = [901, 902];
const withAnother = Object.fromEntries(
  [FALLING, FALLEN].map((number) => [`slack:C0${number}`, { fallbackModel: "anthropic/claude-haiku-5-5" }]),
);
const stage = useStage(() => slackScene({ settings: { mode: "agi", channels: withAnother } }));
const usual = (channel = 1) => sceneInSlack(stage(), channel);

test("after a kill an answer cut off three times is one reply, and the model that has taken over goes on without the first one's thoughts", async () => {
  const [counting, falling] = [usual(), usual(FALLING)];
  const gates = { counting: hold(), falling: hold() };
  const pieces = [cut("one, tw"), cut("o, thr"), [gates.counting.part, text("lost")], cut("ee, fo"), text("ur.")];
  putFile(falling, "a.txt", "alpha");
  let killed = false;
  const requestsOf = playEach(counting.model, {
    count: (_request, index) => pieces[index] ?? text("too much"),
    "what does a.txt say?": (request, index) => {
      if (index === 0) return [thinking("I should read it."), toolUse("read", { path: "a.txt" })];
      if (modelOf(request).includes("sonnet")) return overloaded();
      return killed ? text("It says alpha.") : [gates.falling.part, text("lost")];
    },
  });
  const count = counting.mention("count");
  const thread = falling.mention("what does a.txt say?");
  await Promise.all([gates.counting.reached, gates.falling.reached]);
  await thread.until(() => progress(thread).includes("going on with claude-haiku-5-5"));
  killed = true;
  await counting.bot.kill("SIGKILL");
  await counting.bot.start();

  expect(await ending(count)).toEqual(["one, two, three, four."]);
  const counted = requestsOf("count");
  expect(counted).toHaveLength(5);
  expect(counted.slice(1).map(({ lastUserText }) => RESUME.test(lastUserText))).not.toContain(false);

  expect(await ending(thread)).toEqual(["It says alpha."]);
  const asked = requestsOf("what does a.txt say?");
  const models = asked.map(modelOf).map((model) => (model.includes("sonnet") ? "first" : "second"));
  expect(models).toEqual(["first", "first", "first", "first", "second", "second"]);
  expect(JSON.stringify(asked[1]?.body)).toContain("I should read it.");
  expect(JSON.stringify(asked.at(-1)?.body)).not.toContain("I should read it.");
  await thread.until(isFolded);
  expect(progress(thread)).toMatch(/going on with claude-haiku-5-5\.\n✓ 2 turns · 1 tool/);
});

test("an answer cut off four times ends with what there is, and says so; the thread goes on", async () => {
  const scene = usual();
  scene.model.script(({ lastUserText }, index) =>
    lastUserText.includes("again") ? text("Fine.") : cut(`piece ${index}, `),
  );
  const thread = scene.mention("count");
  const [answer] = await ending(thread);
  expect(answer).toMatch(/^piece 0, piece 1, piece 2, piece 3,\s+⚠ The answer was longer than the model may write/);
  expect(scene.model.requests).toHaveLength(4);

  thread.reply("again");
  await thread.until((all) => answers(all).includes("Fine."));
  expect(scene.model.violations).toEqual([]);
});

test("a turn with tools between cuts begins the count anew, and a call that was cut is never run", async () => {
  const scene = usual();
  putFile(scene, "a.txt", "alpha");
  const write = toolUse("write", { path: "never.txt", content: "x" });
  const replies: Reply[] = [
    cut("a"),
    cut("b"),
    [write, stop("max_tokens")],
    toolUse("read", { path: "a.txt" }),
    cut("c"),
    cut("d"),
    cut("e"),
    text("f"),
  ];
  scene.model.script((_request, index) => replies[index] ?? text("too much"));
  const thread = scene.mention("go");
  expect(await ending(thread)).toEqual(["ab\n\ncdef"]);
  const skipped = scene.model.requests[3]?.toolResults;
  expect(skipped).toMatchObject([{ text: "Not run: the output token limit cut the response off.", isError: true }]);
  expect(scene.model.requests[4]?.toolResults).toMatchObject([{ isError: false }]);
  expect(progress(thread)).not.toContain("never.txt");
  expect(scene.model.violations).toEqual([]);
});

test("when the other model is overloaded, too, the thread reads so within 20 s", async () => {
  const scene = usual(FALLEN);
  scene.model.script(() => overloaded());
  const thread = scene.mention("hello");
  const [answer] = await ending(thread);
  expect(answer).toMatch(/^✗ Both models are overloaded\. I tried for (?:1?\d|20) s\..* Nothing was changed\.$/);
  expect(scene.model.requests).toHaveLength(6);
});

test("a rate limit is waited for as long as it asks", async () => {
  const scene = usual();
  scene.model.script((_request, index) => (index === 0 ? rateLimited(3) : text("Hello.")));
  const thread = scene.mention("hello");
  expect(await ending(thread)).toEqual(["Hello."]);
  const [first, second] = scene.model.requests.map(({ arrivedAt }) => arrivedAt);
  expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(3_000);
  const said = "Anthropic takes no more requests for now; trying again in 3 s (1 of 4).";
  await thread.until(() => progress(thread).includes(said));
});

test("server errors in a row do not end a run: the thread reads that it goes on trying, and a stop ends that at once", async () => {
  const scene = usual();
  scene.model.script((_request, index) => (index < 3 ? serverError() : text("Hello.")));
  const thread = scene.mention("hello");
  await thread.until(() => /Anthropic does not answer \(500\); trying again in \d+ s\./.test(progress(thread)));
  expect(await ending(thread)).toEqual(["Hello."]);
  expect(scene.model.requests).toHaveLength(4);

  scene.model.script(() => serverError());
  const other = scene.mention("hello again");
  await other.until(() => progress(other).includes("does not answer (500)"));
  other.reply("/stop");
  await other.until(() => /⏹ Stopped/u.test(progress(other)));
});
