import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { z } from "zod";
import {
  hold,
  overloaded,
  type Reply,
  rateLimited,
  redactedThinking,
  serverError,
  stop,
  text,
  thinking,
  toolUse,
} from "../../support/model/model-script.ts";
import { asks, cards, rootOf } from "../../support/talk/approval-talk.ts";
import { answers, putFile, type SceneThread, sceneInSlack } from "../../support/talk/scene.ts";
import { useSlackOffice } from "../../support/talk/shared-office.ts";
import type { SlackOffice, Talk } from "../../support/talk/slack-talk.ts";

/** Channels with their own settings. */
const [THINKING, STYLED, ASKING] = ["C9001", "C9002", "C9003"];
/** Number of the channel whose model has a fallback. */
const FALLEN = 902;
const playing = useSlackOffice({
  settings: {
    mode: "agi",
    channels: {
      [`slack:${THINKING}`]: { effortLevel: "high" },
      [`slack:${STYLED}`]: {
        effortLevel: "max",
        outputStyle: "formal",
        outputStylePrompt: "Answer in verse.",
        appendSystemPrompt: "The port is always 9090.",
      },
      [`slack:${ASKING}`]: { mode: "write" },
      [`slack:C0${FALLEN}`]: { fallbackModel: "anthropic/claude-haiku-5-5" },
    },
  },
});

const timeSchema = z.string().transform((at) => Date.parse(at));
const callsSchema = z.array(z.object({ name: z.string(), beganAt: timeSchema, endedAt: timeSchema }));

/** Start and end of each call in the only turn with tools of a channel, in the order in which the model made them. */
function timesOf(home: string, channel: string) {
  const database = new Database(path.join(home, "data/deckhand.db"), { readonly: true });
  try {
    const runs = "SELECT Run.id FROM Run JOIN Session ON Session.id = sessionId WHERE channelId LIKE '%' || ?";
    const sql = `SELECT name, beganAt, endedAt FROM ToolCall WHERE runId IN (${runs}) ORDER BY position`;
    const rows = database.prepare(sql).all(channel);
    return callsSchema.parse(rows);
  } finally {
    database.close();
  }
}

test("two reads of a turn run concurrently, bash runs alone, and results keep the order of the calls", async () => {
  const office = playing();
  const channel = office.channel();
  writeFileSync(path.join(rootOf(office, channel), "a.txt"), "alpha");
  writeFileSync(path.join(rootOf(office, channel), "b.txt"), "beta");
  office.model.script(({ toolResults }) =>
    toolResults.length > 0
      ? text("All four.")
      : [
          toolUse("read", { path: "a.txt" }),
          toolUse("read", { path: "b.txt" }),
          toolUse("bash", { command: "cat b.txt a.txt > c.txt; cat c.txt" }),
          toolUse("read", { path: "c.txt" }),
        ],
  );
  const talk = office.talk({ text: "read both, join them, and read that", channel });
  expect(await talk.answered(1)).toBe("All four.");
  const results = office.model.requests[1]?.toolResults ?? [];
  expect(results.map(({ isError }) => isError)).toEqual([false, false, false, false]);
  expect(results.map(({ text: result }) => /alpha|beta/u.exec(result)?.[0])).toEqual(["alpha", "beta", "beta", "beta"]);

  const [first, second, bash, last] = timesOf(office.bot.home, channel);
  if (first === undefined || second === undefined || bash === undefined || last === undefined) throw new Error("four");
  expect(second.beganAt).toBeLessThan(first.endedAt);
  expect(bash.beganAt).toBeGreaterThanOrEqual(Math.max(first.endedAt, second.endedAt));
  expect(last.beganAt).toBeGreaterThanOrEqual(bash.endedAt);
});

test("a stop during an answer ends the stream, and its text stays marked as stopped", async () => {
  const gate = hold();
  const office = playing(() => [text("One, two, "), gate.part, text("three.")]);
  const talk = office.talk({ text: "count", channel: office.channel() });
  await gate.reached;
  await talk.shows(/One, two,/u);
  talk.click("stop:");
  expect(await office.model.requests[0]?.ended).toBe("aborted");
  await talk.shows(/⏹ Stopped by @ana\. Nothing was changed\./u);
  gate.release();
  expect(talk.answers()).toEqual([]);
});

test("a stop during an approval ends the run and closes the card, and nothing is run", async () => {
  const office = playing(() => toolUse("write", { path: "a.txt", content: "x" }));
  const talk = office.talk({ text: "write it", channel: ASKING });
  await asks(office, talk);
  talk.mention("/stop");
  await office.until("the end of the card", () => cards(talk).length === 0);
  // A run that parks before its live message is due posts a message of its own.
  const shown = () => [...talk.answers(), ...talk.live().map((message) => message.text)];
  await office.until("the stop", () => shown().some((words) => /⏹ Stopped by @ana(?!; not run)/u.test(words)));
  expect(talk.answers()[0]).toMatch(/^⏹ Stopped by @ana; not run/u);
  expect(office.model.requests).toHaveLength(1);
  expect(existsSync(path.join(rootOf(office, talk.channel), "a.txt"))).toBe(false);
});

const THOUGHTS = /walrus|opaque-heron/u;

/** Everything that people may have seen: messages, private answers and files. */
function shownIn({ slack: { workspace } }: SlackOffice, talk: Talk): string {
  const files = [...workspace.files.values()].map(({ data }) => new TextDecoder().decode(data));
  return JSON.stringify([talk.seen().map(({ text: shown }) => shown), workspace.ephemerals, files]);
}

test("thinking is sent back to its model with its signature unchanged, and never shown", async () => {
  const office = playing();
  office.model.script((_request, index) =>
    index === 0
      ? [thinking("the walrus"), redactedThinking("opaque-heron"), toolUse("glob", { pattern: "*" })]
      : [thinking("the second walrus"), text("Nothing there.")],
  );
  const talk = office.talk({ text: "what files are there?", channel: THINKING });
  expect(await talk.answered(1)).toBe("Nothing there.");
  talk.mention("and now?");
  await talk.answered(2);
  const [first, second, third] = office.model.requests.map(({ body }) => JSON.stringify(body));
  expect(first).not.toMatch(THOUGHTS);
  expect(second).toContain('"thinking":"the walrus","signature":"signature-of-the-thought"');
  expect(second).toContain('"data":"opaque-heron"');
  expect(third).toContain("the second walrus");

  await office.until("the fold", () =>
    talk.live().some(({ buttons }) => buttons.some(({ id }) => id.startsWith("details:"))),
  );
  talk.click("details:");
  await office.until("the details", () => office.ephemeralsTo("U0ANA").some((told) => told.includes("glob")));
  talk.mention("/export");
  // The heading that the export gives to the model's messages.
  await office.until("the export", () => shownIn(office, talk).includes("## agent ·"));
  expect(shownIn(office, talk)).not.toMatch(THOUGHTS);
});

const bodySchema = z.object({
  system: z.array(z.object({ text: z.string(), cache_control: z.unknown().optional() })),
  output_config: z.object({ effort: z.string() }),
  thinking: z.object({ type: z.string() }),
});

test("effort, style and added instructions reach the model, the texts before the cache boundary", async () => {
  const office = playing(() => text("Aye."));
  await office.talk({ text: "hello", channel: STYLED }).answered(1);
  const { system, output_config, thinking: asked } = bodySchema.parse(office.model.requests[0]?.body);
  expect([output_config, asked]).toEqual([{ effort: "max" }, { type: "adaptive" }]);
  const boundary = system.findIndex((part) => part.cache_control !== undefined);
  const above = system.slice(0, boundary + 1).map((part) => part.text);
  expect(above.join("")).toContain("Answer in verse.");
  expect(above.join("")).toContain("The port is always 9090.");
});

// Tests of models that fail or are cut off.

const usual = (channel = 1) => sceneInSlack(playing(), channel);

function cut(words: string): Reply {
  return [text(words), stop("max_tokens")];
}

async function ending(thread: SceneThread): Promise<readonly string[]> {
  const messages = await thread.until((all) => answers(all).length > 0);
  return answers(messages);
}

/** Text of the live message. */
function progress(thread: SceneThread): string {
  return thread
    .messages()
    .filter(({ byBot, buttons }) => byBot && buttons.length > 0)
    .map((message) => message.text)
    .join("\n");
}

test("an answer cut off four times ends with the text so far and a notice, and the thread can continue", async () => {
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

test("a turn with tool calls resets the count of cuts, and a call that was cut is never run", async () => {
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

test("if the fallback model is overloaded as well, the thread says so within 20 s", async () => {
  const scene = usual(FALLEN);
  scene.model.script(() => overloaded());
  const thread = scene.mention("hello");
  const [answer] = await ending(thread);
  expect(answer).toMatch(/^✗ Both models are overloaded\. I tried for (?:1?\d|20) s\..* Nothing was changed\.$/);
  expect(scene.model.requests).toHaveLength(6);
});

test("a rate limit is waited out for the requested time", async () => {
  const scene = usual();
  scene.model.script((_request, index) => (index === 0 ? rateLimited(3) : text("Hello.")));
  const thread = scene.mention("hello");
  expect(await ending(thread)).toEqual(["Hello."]);
  const [first, second] = scene.model.requests.map(({ arrivedAt }) => arrivedAt);
  expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(3_000);
  const said = "Anthropic is limiting my requests right now; trying again in 3 s (1 of 4).";
  await thread.until(() => progress(thread).includes(said));
});

test("repeated server errors do not end a run: the thread says that it is retrying, and a stop ends it at once", async () => {
  const scene = usual();
  scene.model.script((_request, index) => (index < 3 ? serverError() : text("Hello.")));
  const thread = scene.mention("hello");
  await thread.until(() => /Anthropic is not responding \(500\); trying again in \d+ s\./.test(progress(thread)));
  expect(await ending(thread)).toEqual(["Hello."]);
  expect(scene.model.requests).toHaveLength(4);

  scene.model.script(() => serverError());
  const other = scene.mention("hello again");
  await other.until(() => progress(other).includes("is not responding (500)"));
  other.reply("/stop");
  await other.until(() => /⏹ Stopped/u.test(progress(other)));
});
