import { setTimeout as pause } from "node:timers/promises";
import { hold, text, toolUse } from "../test/support/model/model-script.ts";
import { answers, putFile, slackScene } from "../test/support/talk/scene.ts";
import type { Figure } from "./measure.ts";
import { childrenOf, rssOf, rssOfTree, startTimed } from "./program.ts";

/** Number of mentions that warm the process up, so that the SDK is loaded and people and channels are known. */
const WARM = 20;
const RUNS = 40;
const FIRST_RUNS = 5;
/** Delay after readiness, as of a person who has just seen the bot come up, in milliseconds. */
const AFTER_READY_MS = 2_000;
/** Number of channels to spread posts over, since Slack accepts a burst of eight per channel, then one a second. */
const CHANNELS = 10;
/** Pause between answers, in milliseconds. */
const REST_MS = 30;

type SlackScene = Awaited<ReturnType<typeof slackScene>>;

/** Measures the bot's share of the time to answer a mention that opens a thread, without tools. */
export async function benchAnswer(): Promise<readonly Figure[]> {
  const first: number[] = [];
  for (let run = 0; run < FIRST_RUNS; run++) first.push(await firstMention());
  await using scene = await slackScene();
  await startTimed(scene.bot);
  const toModel: number[] = [];
  const toPost: number[] = [];
  for (let run = 0; run < WARM + RUNS; run++) {
    const { requestMs, postMs } = await oneAnswer(scene, run);
    if (run < WARM) continue;
    toModel.push(requestMs);
    toPost.push(postMs);
  }
  const warmMb = rssOf(scene.bot.pid());
  const sandboxMb = await sandboxMemory(scene);
  return [
    { name: "mention → model request", unit: "ms", aim: 25, samples: toModel },
    { name: "mention → model request, the first of a process", unit: "ms", aim: null, samples: first },
    { name: "model's last token → final post", unit: "ms", aim: 50, samples: toPost },
    { name: `RSS after ${WARM + RUNS} answers`, unit: "MB", aim: null, samples: [warmMb] },
    { name: "RSS of the sandbox child, while in use", unit: "MB", aim: null, samples: [sandboxMb] },
  ];
}

/** Measures a mention while people and channels are still unknown, so that Slack is asked for them on the way. */
async function firstMention(): Promise<number> {
  await using scene = await slackScene();
  await startTimed(scene.bot);
  await pause(AFTER_READY_MS);
  const { requestMs } = await oneAnswer(scene, 0);
  return requestMs;
}

async function oneAnswer(scene: SlackScene, run: number): Promise<{ requestMs: number; postMs: number }> {
  const { slack, model } = scene;
  const gate = hold();
  model.script(() => [text("Let me think. "), gate.part, text("Done.")]);
  await pause(REST_MS);
  const earlier = slack.calls.length;
  const mentionedAt = Date.now();
  scene.mention("how are you?", (run % CHANNELS) + 1);
  const { arrivedAt } = await model.request(run);
  await gate.reached;
  await pause(REST_MS);
  const endedAt = Date.now();
  gate.release();
  const postedAt = await nextPost(scene, earlier);
  return { requestMs: arrivedAt - mentionedAt, postMs: postedAt - endedAt };
}

/** Time at which the first post after `earlier` calls reached Slack, in milliseconds since the epoch. */
async function nextPost({ slack, bot }: SlackScene, earlier: number): Promise<number> {
  const limit = performance.now() + 10_000;
  for (;;) {
    const post = slack.calls.slice(earlier).find(({ method }) => method === "chat.postMessage");
    if (post !== undefined) return post.at;
    if (performance.now() > limit) throw new Error(`no answer is posted:\n${bot.output()}`);
    await pause(1);
  }
}

/** Memory of the child process that runs guests, which is added while tools run and for a minute longer. */
async function sandboxMemory(scene: SlackScene): Promise<number> {
  putFile(scene, "notes.txt", "remember the milk\n");
  const before = scene.model.requests.length;
  scene.model.script((_request, index) =>
    index === before ? toolUse("read", { path: "notes.txt" }) : text("It says to remember the milk."),
  );
  const thread = scene.mention("what do the notes say?");
  await thread.until((messages) => answers(messages).length > 0);
  const [child] = childrenOf(scene.bot.pid());
  if (child === undefined) throw new Error("the program has started no sandbox");
  return rssOfTree(child);
}
