import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Postgres, startPostgres } from "../support/database/postgres.ts";
import { hold, type Reply, text, toolUse } from "../support/model/model-script.ts";
import type { RecordedRequest } from "../support/model/model-server.ts";
import { until, untilIdle } from "../support/program/bot.ts";
import {
  answers,
  changePort,
  discordScene,
  isFolded,
  putFile,
  type Scene,
  type SceneThread,
  slackScene,
} from "../support/talk/scene.ts";
import { useStage } from "../support/talk/shared-office.ts";

let postgres: Postgres;

beforeAll(async () => {
  postgres = await startPostgres();
});

afterAll(() => postgres.stop());

const platforms: readonly { name: string; open: () => Promise<Scene> }[] = [
  { name: "Slack", open: () => slackScene() },
  { name: "Discord", open: () => discordScene() },
  {
    name: "Slack with DBOS Transact",
    open: async () => slackScene({ env: { DECKHAND_ENGINE: "dbos", DATABASE_URL: await postgres.createDatabase() } }),
  },
];

const ANSWER = "The port in `config.toml` is now 9090.";
const CONFIG = 'host = "localhost"\nport = 8080\n';

/** After a restart the thread ends as if nothing had happened: one answer, one folded live message. */
async function expectOneAnswer(scene: Scene, thread: SceneThread, answer = ANSWER): Promise<void> {
  await scene.bot.start();
  const messages = await thread.until((all) => isFolded(all) && answers(all).includes(answer));
  expect(answers(messages)).toEqual([answer]);
  expect(messages.filter((message) => message.buttons.length > 0)).toHaveLength(1);
  expect(scene.model.violations).toEqual([]);
  expect(scene.rateLimited()).toBe(0);
}

describe.each(platforms)("killed with SIGKILL on $name", ({ open }) => {
  const stage = useStage(open);

  test("during the first model call, the run goes on with a new call", async () => {
    const scene = stage();
    putFile(scene, "config.toml", CONFIG);
    const gate = hold();
    scene.model.script((request, index) => (index === 0 ? [text("I'll"), gate.part] : changePort(request, index - 1)));
    const thread = scene.mention("change port to 9090 in config.toml");
    await gate.reached;
    await scene.bot.kill("SIGKILL");
    await expectOneAnswer(scene, thread);
    expect(readFileSync(`${scene.bot.sandboxRoot(scene.folder)}/config.toml`, "utf8")).toContain("port = 9090");
    expect(scene.model.requests).toHaveLength(4);
  });

  test("between a tool's result and the next model call, no tool runs twice", async () => {
    const scene = stage();
    putFile(scene, "config.toml", CONFIG);
    const gate = hold();
    scene.model.script((request, index) => {
      if (index === 2) return [gate.part, text("lost")];
      return changePort(request, Math.min(index, 2));
    });
    const thread = scene.mention("change port to 9090 in config.toml");
    await gate.reached;
    await scene.bot.kill("SIGKILL");
    await expectOneAnswer(scene, thread);
    expect(scene.model.requests).toHaveLength(4);
    expect(scene.model.requests.at(-1)?.toolResults.map((result) => result.isError)).toEqual([false]);
  });

  test("during a tool that must not run again, the model is told and people see it", async () => {
    const scene = stage();
    scene.model.script((request, index) => {
      if (index === 0) return toolUse("js_exec", { code: "while (true) {}" });
      const told = request.toolResults.map((result) => result.text).join();
      return text(told.includes("interrupted by a restart") ? "It was interrupted." : `unexpected: ${told}`);
    });
    const thread = scene.mention("run it");
    await thread.until((all) => all.some((message) => message.text.includes("js_exec")));
    // Killed before it knows that its live message has landed, it may look for it for so long that the answer tells instead.
    const edits = scene.edits();
    await until(() => scene.edits() > edits, { what: () => "an edit of the live message" });
    await scene.bot.kill("SIGKILL");
    await expectOneAnswer(scene, thread, "It was interrupted.");
    expect(thread.messages().some((message) => message.text.includes("I was restarted"))).toBe(true);
  });

  test("during a tool that may run again, it runs again", async () => {
    const scene = stage();
    putFile(scene, "big.txt", "needle in hay\n".repeat(200_000));
    scene.model.script((request, index) => {
      if (index === 0) return toolUse("grep", { pattern: "(n|e)+(e|d)+l+e+", output_mode: "count" });
      return text(request.toolResults.every((result) => !result.isError) ? "Counted." : "Failed.");
    });
    const thread = scene.mention("count needles");
    await thread.until((all) => all.some((message) => message.text.includes("grep")));
    await scene.bot.kill("SIGKILL");
    await expectOneAnswer(scene, thread, "Counted.");
  });

  test("ten times in a row, it still ends with one answer", async () => {
    const scene = stage();
    putFile(scene, "config.toml", CONFIG);
    scene.model.script(slowly);
    const thread = scene.mention("change port to 9090 in config.toml");
    await scene.model.request(0);
    for (let kills = 0; kills < 10; kills++) {
      await scene.bot.kill("SIGKILL");
      scene.bot.launch();
      // Each life is a little longer than the one before, so that the kills fall into different steps.
      await new Promise((resolve) => setTimeout(resolve, 400 + kills * 60));
    }
    await scene.bot.kill("SIGKILL");
    await scene.bot.start();
    const messages = await thread.until((all) => isFolded(all) && answers(all).length > 0);
    expect(answers(messages)).toEqual([ANSWER]);
    expect(readFileSync(`${scene.bot.sandboxRoot(scene.folder)}/config.toml`, "utf8")).toBe(
      CONFIG.replace("8080", "9090"),
    );
  });

  // The last one: Discord's replies stay lost.
  test("after the answer landed and before the reply came, it is found and not posted again", async () => {
    const scene = stage();
    const gate = hold();
    scene.model.script(() => [gate.part, text("Hello from the answer.")]);
    const thread = scene.mention("hello");
    // The live message stands: the answer's reply is the one that is lost.
    await thread.until((all) => all.some(({ buttons }) => buttons.some((id) => id.startsWith("stop:"))));
    scene.loseReplies();
    gate.release();
    await thread.until((all) => answers(all).length > 0);
    await scene.bot.kill("SIGKILL");
    await scene.bot.start();
    await untilIdle(scene.bot);
    expect(answers(thread.messages())).toEqual(["Hello from the answer."]);
    expect(scene.model.requests).toHaveLength(1);
  });
});

/** The steps of `changePort` by what has been done, each with time to be killed in. */
function slowly(request: RecordedRequest): Reply {
  const isEdited = JSON.stringify(request.body).includes("port = 9090");
  if (isEdited) return text(ANSWER, { everyMs: 10 });
  if (request.toolResults.length > 0) {
    return toolUse("edit", { path: "config.toml", old_string: "port = 8080", new_string: "port = 9090" });
  }
  return [text("I'll read it first. ".repeat(10), { everyMs: 10 }), toolUse("read", { path: "config.toml" })];
}

test("killed on Slack before its post lands, which it does while the next process starts, the answer is there once", async () => {
  await using scene = await slackScene();
  scene.model.script(() => text("Hello from the answer."));
  await scene.bot.start();
  const landing = Promise.withResolvers<void>();
  scene.slack.faults.add("chat.postMessage", { kind: "late", until: landing.promise });
  const thread = scene.mention("hello");
  await until(() => !scene.slack.faults.isPending("chat.postMessage"), {
    what: () => "the post to be under way",
  });
  await scene.bot.kill("SIGKILL");
  await scene.bot.start();
  landing.resolve();
  await untilIdle(scene.bot);
  expect(answers(thread.messages())).toEqual(["Hello from the answer."]);
});

test("on SIGTERM a program that must not run twice may end, and the run goes on in the next process", async () => {
  await using scene = await slackScene();
  scene.model.script((request, index) => {
    // By the clock, so that a slow machine takes no longer than the program may.
    const code = "const end = Date.now() + 1_500; let n = 0; while (Date.now() < end) n += 1; 'counted to ' + n";
    if (index === 0) return toolUse("js_exec", { code });
    return text(request.toolResults.map((result) => result.text).join());
  });
  await scene.bot.start();
  const thread = scene.mention("count");
  await thread.until((all) => all.some((message) => message.text.includes("js_exec")));
  expect(await scene.bot.kill("SIGTERM")).toBe(0);
  await scene.bot.start();
  const messages = await thread.until((all) => answers(all).length > 0);
  expect(answers(messages).join()).toContain("counted to ");
});
