import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  cutOff,
  hold,
  httpError,
  type Part,
  type Reply,
  text,
  toolUse,
  usage,
} from "../../support/model/model-script.ts";
import type { RecordedRequest, Script } from "../../support/model/model-server.ts";
import { untilIdle } from "../../support/program/bot.ts";
import { useShared } from "../../support/run/use-shared.ts";
import { playEach } from "../../support/talk/agent-lines.ts";
import { answers, putFile, type Scene, type SceneThread, sceneInSlack, slackScene } from "../../support/talk/scene.ts";
import { useStage } from "../../support/talk/shared-office.ts";

const bodySchema = z.object({
  tools: z.array(z.unknown()).optional(),
  messages: z.array(z.object({ role: z.string(), content: z.array(z.looseObject({ type: z.string() })) })),
});
const prefixSchema = z.object({
  tools: z.unknown(),
  system: z.array(z.object({ text: z.string(), cache_control: z.unknown().optional() })),
});
const resultSchema = z.object({ type: z.literal("tool_result"), content: z.array(z.object({ text: z.string() })) });

function bodyOf(request: RecordedRequest) {
  return bodySchema.parse(request.body);
}

function isSummaryCall(request: RecordedRequest): boolean {
  return bodyOf(request).tools === undefined;
}

/** Texts of all tool results in a request, in order. */
function resultTexts(request: RecordedRequest): string[] {
  const blocks = bodyOf(request).messages.flatMap(({ content }) => content);
  return blocks.flatMap(
    (block) =>
      resultSchema
        .safeParse(block)
        .data?.content.map((part) => part.text)
        .join("") ?? [],
  );
}

async function answer(thread: SceneThread, words: string): Promise<void> {
  await thread.until((all) => answers(all).some((said) => said.endsWith(words)));
}

function everything(thread: SceneThread): string {
  return thread
    .messages()
    .map((message) => message.text)
    .join("\n");
}

const SUMMARY = "## Primary Request and Intent\nThe code word is heron.";

const SUMMARISED = "⚠ I summarised the first 7 messages to go on; nothing is deleted (`/export`).";

/** Answers with the code word if the request still contains it. */
function recall(request: RecordedRequest): Part {
  return text(/code word is heron/.test(JSON.stringify(request.body)) ? "It is heron." : "I have forgotten it.");
}

/** The model's side of eight exchanges; the provider counts the last one as `lastTokens` tokens. */
function exchanges(lastTokens: number, recalled: (request: RecordedRequest) => Reply = recall): Script {
  return (request) => {
    if (isSummaryCall(request)) return text(SUMMARY);
    const said = /say (\d+)/.exec(request.lastUserText.split("\n").at(-2) ?? request.lastUserText)?.[1];
    if (request.lastUserText.includes("what is the code word")) return recalled(request);
    return [text(`said ${said}`), usage({ input: said === "7" ? lastTokens : 1_000 })];
  };
}

async function talk(scene: Scene): Promise<SceneThread> {
  const thread = scene.mention("the code word is heron. say 0");
  await answer(thread, "said 0");
  for (let index = 1; index <= 7; index += 1) {
    thread.reply(`say ${index}`);
    await answer(thread, `said ${index}`);
  }
  return thread;
}

/** A scene with a context window of 200,000 tokens for every model, and an operator's own instructions. */
const stage = useStage(async () => {
  const scene = await slackScene({ settings: { mode: "agi", contextWindow: 200_000 } });
  mkdirSync(path.join(scene.bot.home, ".config/agents"), { recursive: true });
  writeFileSync(path.join(scene.bot.home, ".config/agents/AGENTS.md"), "Be brief.");
  return scene;
});

/** Scenes, each in a channel that nobody has written in. */
const shared = (() => {
  let channels = 0;
  return () => {
    channels += 1;
    return sceneInSlack(stage(), channels);
  };
})();

/** The bytes of a request up to the last cache breakpoint of its system prompt. */
function prefixOf(request: RecordedRequest): string {
  const { tools, system } = prefixSchema.parse(request.body);
  const last = system.findLastIndex((part) => part.cache_control !== undefined);
  return JSON.stringify({ tools, system: system.slice(0, last + 1) });
}

/** The output of `npm run prompt`. */
async function promptOf(sessionId: string, home: string): Promise<string> {
  const script = path.resolve(import.meta.dirname, "../../../scripts/prompt.ts");
  const env = { PATH: process.env["PATH"] ?? "", HOME: home };
  const { stdout } = await promisify(execFile)(process.execPath, [script, sessionId], { cwd: home, env });
  return stdout;
}

/** Conversations that continue after one kill. */
interface Killed {
  readonly reading: readonly RecordedRequest[];
  readonly summarised: SceneThread;
  readonly recalling: readonly RecordedRequest[];
  readonly prompted: readonly RecordedRequest[];
  readonly sessionId: string;
}

/** Words of the thread's first message, which its requests still contain once its head is summarised. */
const FULL = "code word is heron";
const READING = "read all of them";
const PROMPTED = "first,second,elsewhere".split(",");

async function killed(): Promise<Killed> {
  const [prompting, reading, full] = [shared(), shared(), shared()];
  putFile(prompting, "AGENTS.md", "Say please.\n");
  for (let index = 0; index < 6; index += 1) putFile(reading, `f${index}.txt`, `${"x".repeat(99)}\n`.repeat(95));
  const gates = [hold(), hold()] as const;
  let recalls = 0;
  const looks: Script = ({ toolResults }) =>
    toolResults.length > 0 ? text("Read.") : toolUse("read", { path: "AGENTS.md" });
  const requestsOf = playEach(prompting.model, {
    ...Object.fromEntries(PROMPTED.map((words) => [`${words} prompt`, looks])),
    [READING]: (_request, index) => {
      if (index < 7) return toolUse("read", { path: `f${Math.min(index, 5)}.txt` });
      return index === 7 ? cutOff(gates[0]) : text("Read.");
    },
    [FULL]: exchanges(185_000, (request) => {
      recalls += 1;
      return recalls === 1 ? cutOff(gates[1]) : recall(request);
    }),
  });
  const [first = "", second = "", elsewhere = ""] = PROMPTED.map((words) => `${words} prompt`);
  await answer(prompting.mention(first), "Read.");
  const [sessionId = ""] = /ses_\w+/.exec(prompting.bot.output()) ?? [];
  const read = reading.mention(READING);
  const summarised = await talk(full);
  summarised.reply("what is the code word?");
  await Promise.all(gates.map(({ reached }) => reached));
  await summarised.until(() => everything(summarised).includes(SUMMARISED));
  await prompting.bot.kill("SIGKILL");
  await prompting.bot.start();
  await answer(read, "Read.");
  await answer(summarised, "It is heron.");
  await answer(prompting.mention(second), "Read.");
  await answer(shared().mention(elsewhere), "Read.");
  await untilIdle(prompting.bot);
  const prompted = [first, second, elsewhere].flatMap((words) => requestsOf(words));
  return { reading: requestsOf(READING), summarised, recalling: requestsOf(FULL), prompted, sessionId };
}

describe("after a kill and a restart", () => {
  const over = useShared(killed);

  test("of 60,000 characters of results the oldest are placeholders and the newest complete, and this does not change", () => {
    const [before = [], after = []] = over().reading.slice(7).map(resultTexts);
    expect(before[0]).toMatch(/^\[Earlier tool result from read: f0\.txt, \d+ lines?\]$/);
    expect(before.at(-1)?.length).toBeGreaterThan(9_000);
    expect(before.join("").length).toBeLessThan(50_000);
    expect(after).toEqual(before);
  });

  test("at 90 % of the window the head is summarised once, visibly, and an early fact is kept", async () => {
    const { summarised, recalling } = over();
    await summarised.until(() => everything(summarised).includes(SUMMARISED));
    expect(recalling.filter(isSummaryCall)).toHaveLength(1);
    const last = JSON.stringify(recalling.at(-1)?.body);
    expect(last).toContain("Summary of the conversation so far");
    expect(last).not.toContain("say 0");
    expect(last).toContain("say 7");
  });

  test("the prompt before the cache boundary is byte-identical across turns, restarts and sessions of a channel", async () => {
    const prefixes = over().prompted.map(prefixOf);
    expect(new Set(prefixes.slice(0, 4)).size).toBe(1);
    expect(prefixes[0]).toContain("Be brief.\\n\\n---\\n\\nSay please.");
    expect(prefixes[4]).toContain("Be brief.");
    expect(prefixes[4]).not.toContain("Say please.");

    const printed = await promptOf(over().sessionId, stage().bot.home);
    expect(printed).toMatch(/^layer .*\.config\/agents\/AGENTS\.md: 9 characters, about 3 tokens$/m);
    expect(printed).toMatch(/^=== system, up to a cache breakpoint: \d+ characters, about \d+ tokens ===$/m);
    expect(printed).toContain("=== 4 messages: ");
  });
});

test("at 80 % of the window people are warned, and nothing is omitted", async () => {
  const scene = shared();
  scene.model.script(exchanges(165_000));
  const thread = await talk(scene);
  thread.reply("what is the code word?");
  await answer(thread, "It is heron.");
  await thread.until(() => /⚠ This thread fills 8\d % of the model's memory\./u.test(everything(thread)));
  expect(scene.model.requests.filter(isSummaryCall)).toHaveLength(0);
});

test("a request that is too long for the model is shortened and sent once more", async () => {
  const scene = shared();
  let calls = 0;
  scene.model.script(
    exchanges(1_000, (request) => {
      calls += 1;
      if (calls > 1) return recall(request);
      return httpError(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum");
    }),
  );
  const thread = await talk(scene);
  thread.reply("what is the code word?");
  await answer(thread, "It is heron.");
  await thread.until(() => everything(thread).includes("⚠ I summarised the first 7 messages to go on"));
});

test("/compact summarises on demand, and /status states how full the context is", async () => {
  const scene = shared();
  scene.model.script(exchanges(40_000));
  const thread = await talk(scene);
  const told = (pattern: RegExp) => () => pattern.test(JSON.stringify(scene.slack.workspace.ephemerals));
  thread.reply("/status");
  await thread.until(told(/Context: 20 % \(40,\d{3} of 200,000 tokens\)\./));
  await untilIdle(scene.bot);
  thread.reply("/compact");
  await answer(thread, "⚠ I summarised the first 6 messages to go on; nothing is deleted (`/export`).");
  expect(scene.model.requests.filter(isSummaryCall)).toHaveLength(1);
  thread.reply("what is the code word?");
  await answer(thread, "It is heron.");
  const last = JSON.stringify(scene.model.requests.at(-1)?.body);
  expect(last).not.toContain("say 0");

  await untilIdle(scene.bot);
  thread.reply("/compact");
  await answer(thread, "I summarised the first 8 messages to go on; nothing is deleted (`/export`).");
});
