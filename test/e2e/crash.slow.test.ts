import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Postgres, startPostgres } from "../support/database/postgres.ts";
import { hold, type Reply, text, toolUse } from "../support/model/model-script.ts";
import { listening, type RecordedRequest, type Script } from "../support/model/model-server.ts";
import { until, untilIdle } from "../support/program/bot.ts";
import { useShared } from "../support/run/use-shared.ts";
import type { SlackServer } from "../support/slack/slack-server.ts";
import { playEach } from "../support/talk/agent-lines.ts";
import { type BothPlatforms, bothPlatforms, PLATFORMS, type PlatformName } from "../support/talk/both-platforms.ts";
import {
  answers,
  changePort,
  isFolded,
  putFile,
  type Scene,
  type SceneMessage,
  type SceneThread,
} from "../support/talk/scene.ts";
import { useStage } from "../support/talk/shared-office.ts";
import { answered, part, results } from "../support/talk/sub-agent-talk.ts";

let postgres: Postgres;
let search: Search;

beforeAll(async () => {
  [postgres, search] = await Promise.all([startPostgres(), startSearch()]);
});

afterAll(() => Promise.all([postgres.stop(), search[Symbol.asyncDispose]()]));

/** `kills`: number of kills in a row. `test/proof/replicas` covers repeated kills of replicas on DBOS. */
const engines: readonly { engine: string; kills: number; env: () => Promise<Record<string, string>> }[] = [
  { engine: "its own engine", kills: 3, env: async () => ({}) },
  {
    engine: "DBOS Transact",
    kills: 2,
    env: async () => ({ DECKHAND_ENGINE: "dbos", DATABASE_URL: await postgres.createDatabase() }),
  },
];

const ANSWER = "The port in `config.toml` is now 9090.";
const CONFIG = 'host = "localhost"\nport = 8080\n';
const CHANGED = CONFIG.replace("8080", "9090");

/**
 * Plays `changePort` slowly, so that a kill can hit each step. The next step follows from what the request shows as
 * done.
 */
function slowly(request: RecordedRequest): Reply {
  const isEdited = JSON.stringify(request.body).includes("port = 9090");
  if (isEdited) return text(ANSWER, { everyMs: 10 });
  if (request.toolResults.length > 0) {
    return toolUse("edit", { path: "config.toml", old_string: "port = 8080", new_string: "port = 9090" });
  }
  return [text("I'll read it first. ".repeat(10), { everyMs: 10 }), toolUse("read", { path: "config.toml" })];
}

/** Plays two slow sub-agents and their slow parent. */
const bothParts: Script = (request) =>
  request.toolResults.length === 0 ? [part("A"), part("B")] : text(`So: ${results(request)}`, { everyMs: 20 });
const slowPart =
  (name: string): Script =>
  ({ toolResults }) =>
    toolResults.length === 0
      ? [text("I look. ".repeat(20), { everyMs: 10 }), toolUse("glob", { pattern: "*" })]
      : text(`${name} is done.`, { chunkChars: 2, everyMs: 20 });

/** A thread, and the point at which the kill hits it. */
interface Point {
  readonly script: Script;
  /** Resolves once the thread has reached the point. */
  readonly reached: (thread: SceneThread) => Promise<unknown>;
  /** Changes outside the process: after it has died, and after the next one has started. */
  readonly killed?: () => void;
  readonly started?: () => void;
  readonly answer: string;
  /** Number of model requests in the end. */
  readonly requests: number;
  /** Whether the thread has a live message, before the kill or after it. */
  readonly isLive: boolean;
}

interface Place {
  readonly scene: Scene;
  readonly search: Search;
  readonly slack: SlackServer;
}

const points: Readonly<Record<string, { on: readonly PlatformName[]; at: (place: Place) => Point }>> = {
  "during the first model call": {
    on: PLATFORMS,
    at: () => {
      const gate = hold();
      return {
        script: (request, index) => (index === 0 ? [text("I'll"), gate.part] : changePort(request, index - 1)),
        reached: () => gate.reached,
        answer: ANSWER,
        requests: 4,
        isLive: true,
      };
    },
  },
  "between a tool's result and the next model call": {
    on: PLATFORMS,
    at: () => {
      const gate = hold();
      return {
        script: (request, index) => (index === 2 ? [gate.part, text("lost")] : changePort(request, Math.min(index, 2))),
        reached: () => gate.reached,
        answer: ANSWER,
        requests: 4,
        isLive: true,
      };
    },
  },
  "during a tool that must not run again": {
    on: PLATFORMS,
    at: () => ({
      script: (request, index) => {
        if (index === 0) return toolUse("js_exec", { code: waits(600_000) });
        const told = request.toolResults.map((result) => result.text).join();
        return text(told.includes("interrupted by a restart") ? "It was interrupted." : `unexpected: ${told}`);
      },
      reached: (thread) => showsWork(thread, "js_exec"),
      answer: "It was interrupted.",
      requests: 2,
      isLive: true,
    }),
  },
  "after the answer landed and before the reply came": {
    on: PLATFORMS,
    at: ({ scene }) => {
      const gate = hold();
      let restore = () => {};
      return {
        script: () => [gate.part, text("Hello from the answer.")],
        reached: async (thread) => {
          // The live message has landed, so the lost reply is the one to the answer's post.
          await thread.until((all) => all.some(({ buttons }) => buttons.some((id) => id.startsWith("stop:"))));
          restore = scene.loseReplies();
          gate.release();
          await thread.until((all) => answers(all).length > 0);
        },
        killed: () => restore(),
        answer: "Hello from the answer.",
        requests: 1,
        isLive: false,
      };
    },
  },
  "during a tool that may run again": {
    on: PLATFORMS,
    at: ({ search, scene }) => ({
      script: ({ toolResults }, index) => {
        if (index === 0) return toolUse("web_search", { query: scene.folder });
        return text(
          toolResults.every((result) => !result.isError)
            ? "Searched."
            : toolResults.map((result) => result.text).join(),
        );
      },
      reached: () => until(() => search.asked.includes(scene.folder), { what: () => `a search of ${scene.folder}` }),
      killed: () => {
        expect(search.asked.filter((query) => query === scene.folder)).toHaveLength(1);
        search.answers();
      },
      answer: "Searched.",
      requests: 2,
      isLive: false,
    }),
  },
  "before its post lands, which it does while the next process is at work": {
    on: ["Slack"],
    at: ({ slack: { faults } }) => {
      const landing = Promise.withResolvers<void>();
      return {
        script: () => {
          faults.add("chat.postMessage", { kind: "late", until: landing.promise });
          return text("Hello from the late answer.");
        },
        reached: () => until(() => !faults.isPending("chat.postMessage"), { what: () => "the post to be under way" }),
        started: () => landing.resolve(),
        answer: "Hello from the late answer.",
        requests: 1,
        isLive: false,
      };
    },
  },
};

/**
 * Waits until the thread shows that the tool is at work and the program knows that its live message has landed.
 * Otherwise the program may search for that message for so long that the answer is posted first.
 */
async function showsWork(thread: SceneThread, tool: string): Promise<void> {
  const shown = () => thread.messages().find((message) => message.text.includes(tool))?.text;
  await thread.until(() => shown() !== undefined);
  const first = shown();
  await thread.until(() => shown() !== first);
}

/** A search service that keeps every caller waiting, without using a processor, until a test lets it answer. */
interface Search extends AsyncDisposable {
  readonly url: string;
  readonly asked: readonly string[];
  /** Forgets earlier requests and stops answering again. */
  begins(): void;
  answers(): void;
}

async function startSearch(): Promise<Search> {
  const asked: string[] = [];
  let isAnswering = false;
  const server = createServer((request, response) => {
    asked.push(new URL(request.url ?? "/", "http://localhost").searchParams.get("q") ?? "");
    if (isAnswering) response.setHeader("content-type", "application/json").end(JSON.stringify({ results: [] }));
  });
  const listener = await listening(server);
  return {
    url: listener.origin,
    asked,
    begins() {
      asked.length = 0;
      isAnswering = false;
    },
    answers() {
      isAnswering = true;
    },
    [Symbol.asyncDispose]: () => listener.close(),
  };
}

/** Code that waits this long without using a processor. */
function waits(ms: number): string {
  return `await new Promise((done) => setTimeout(done, ${ms})); 'waited to the end'`;
}

const cases = Object.entries(points).flatMap(([name, { on }]) => on.map((platform) => ({ name, platform })));

interface Ended extends Point {
  readonly scene: Scene;
  readonly thread: SceneThread;
  readonly seen: readonly RecordedRequest[];
}

/**
 * Plays every point on every platform, kills the process once and restarts it. Keyed by the point's name and the
 * platform.
 */
async function endAll(on: BothPlatforms, search: Search): Promise<ReadonlyMap<string, Ended>> {
  const scripts: Record<string, Script> = {};
  const requestsOf = playEach(on.model, scripts);
  const begun = new Map<string, Omit<Ended, "seen">>();
  for (const [name, { on: platforms, at }] of Object.entries(points)) {
    const reached = platforms.map((platform) => {
      const scene = on.scene(platform);
      putFile(scene, "config.toml", CONFIG);
      const point = at({ scene, search, slack: on.slack.slack });
      const words = `${name} on ${platform}`;
      scripts[words] = point.script;
      const thread = scene.mention(words);
      begun.set(words, { ...point, scene, thread });
      return point.reached(thread);
    });
    await Promise.all(reached);
  }
  await on.bot.kill("SIGKILL");
  for (const { killed } of begun.values()) killed?.();
  await on.bot.start();
  for (const { started } of begun.values()) started?.();
  for (const { thread, isLive } of begun.values())
    await thread.until((all) => answers(all).length > 0 && (!isLive || isFolded(all)));
  await untilIdle(on.bot);
  return new Map([...begun].map(([words, each]) => [words, { ...each, seen: requestsOf(words) }]));
}

describe.each(engines)("killed with SIGKILL, with $engine", ({ env, kills: times }) => {
  const stage = useStage(async () => {
    search.begins();
    const webSearch = { service: "searxng", baseUrl: search.url };
    return bothPlatforms({ env: await env(), settings: { mode: "agi", webSearch } });
  });

  test.each(PLATFORMS)(
    "undisturbed on %s, a mention reads, edits and answers, as one live message and one answer",
    async (platform) => {
      const scene = stage().scene(platform);
      const file = putFile(scene, "config.toml", CONFIG);
      scene.model.script(changePort);
      const thread = scene.mention("change port to 9090 in config.toml");
      const messages = await thread.until((all) => isFolded(all) && answers(all).length > 0);
      expect(readFileSync(file, "utf8")).toBe(CHANGED);
      expect(answers(messages)).toEqual([ANSWER]);
      expect(messages.filter((message) => message.byBot)).toHaveLength(2);
      expect(messages.find((message) => message.buttons.length > 0)?.text).toMatch(/^✓ 3 turns · 2 tools · /);
      expect(scene.model.requests).toHaveLength(3);
      expect(scene.edits()).toBeGreaterThan(0);
      expect(scene.rateLimited()).toBe(0);
    },
  );

  describe("once", () => {
    const ended = useShared(() => endAll(stage(), search));

    /** Checks that the thread ended as if there had been no kill. */
    test.each(cases)("$name on $platform, it ends with one answer", ({ name, platform }) => {
      const at = ended().get(`${name} on ${platform}`);
      if (at === undefined) throw new Error("it was begun");
      const { scene, thread, answer, requests, isLive, seen } = at;
      expect(answers(thread.messages())).toEqual([answer]);
      expect(seen).toHaveLength(requests);
      expect(scene.rateLimited()).toBe(0);
      if (isLive) expect(thread.messages().filter((message) => message.buttons.length > 0)).toHaveLength(1);
      if (answer === ANSWER) {
        expect(readFileSync(`${scene.bot.sandboxRoot(scene.folder)}/config.toml`, "utf8")).toBe(CHANGED);
        expect(seen.at(-1)?.toolResults.map((result) => result.isError)).toEqual([false]);
      }
      // If work must not run again, people must read that the bot was restarted.
      const isSeen = thread.messages().some((message) => message.text.includes("I was restarted"));
      if (answer === "It was interrupted.") expect(isSeen).toBe(true);
    });
  });

  test(`${times} times in a row, it still ends with one answer, also with two sub-agents; on SIGTERM a program that must not run twice may end`, async () => {
    const { bot, model, scene, slack } = stage();
    const scenes = PLATFORMS.map((platform) => scene(platform));
    for (const each of scenes) putFile(each, "config.toml", CONFIG);
    playEach(model, {
      "change port": slowly,
      "both parts": bothParts,
      "Do part A": slowPart("A"),
      "Do part B": slowPart("B"),
      "wait for it": (request, index) => {
        // A file shows that the code runs: on a busy machine a sandbox may need longer to start than a shutdown waits.
        if (index === 0) return toolUse("js_exec", { code: `fs.writeFileSync('begun', ''); ${waits(1_500)}` });
        return text(request.toolResults.map((result) => result.text).join());
      },
    });
    const threads = scenes.map((each) => each.mention("change port to 9090 in config.toml"));
    const both = slack.talk({ text: "both parts", channel: slack.channel() });
    await model.request(2);
    for (let kills = 0; kills < times; kills++) {
      await bot.kill("SIGKILL");
      // Every second kill hits the start, the others hit resumed work, each a little later than the one before.
      if (kills % 2 === 0) bot.launch();
      else await bot.start();
      if (kills === times - 1) break;
      await new Promise((resolve) => setTimeout(resolve, kills % 2 === 0 ? 400 + kills * 60 : kills * 60));
    }
    const aside = scene("Slack");
    const waiting = aside.mention("wait for it");
    await waiting.until(() => existsSync(`${bot.sandboxRoot(aside.folder)}/begun`));
    expect(await bot.kill("SIGTERM")).toBe(0);
    await bot.start();
    const isStoppable = (all: readonly SceneMessage[]) =>
      all.some(({ buttons }) => buttons.some((id) => id.startsWith("stop:")));
    for (const [index, thread] of threads.entries()) {
      // A thread has no live message if each process was killed before it could post one.
      const messages = await thread.until((all) => !isStoppable(all) && answers(all).length > 0);
      expect(answers(messages)).toEqual([ANSWER]);
      const { folder = "" } = scenes[index] ?? {};
      expect(readFileSync(`${bot.sandboxRoot(folder)}/config.toml`, "utf8")).toBe(CHANGED);
    }
    await answered(slack, both, "So: A is done. | B is done.");
    await untilIdle(bot);
    expect(both.answers().filter((answer) => !answer.startsWith("→"))).toHaveLength(1);
    expect(both.answers().filter((answer) => answer.startsWith("→"))).toHaveLength(2);
    const waited = await waiting.until((all) => answers(all).length > 0);
    expect(answers(waited).join()).toContain("waited to the end");
  });
});
