import { setTimeout as pause } from "node:timers/promises";
import { hold, text, toolUse } from "../test/support/model/model-script.ts";
import { answers, putFile, slackScene } from "../test/support/talk/scene.ts";
import type { Figure } from "./measure.ts";
import { childrenOf, rssOf, rssOfTree, startTimed } from "./program.ts";

/** Mentions that warm the process up: the SDK is loaded, people and channels are known. */
const WARM = 20;
const RUNS = 40;
const FIRST_RUNS = 5;
/** A person who has just seen the bot come up. Milliseconds. */
const AFTER_READY_MS = 2_000;
/** Slack takes eight posts of a channel at once, then one a second. */
const CHANNELS = 10;
/** The model thinks, the thread rests. Milliseconds. */
const REST_MS = 30;

type SlackScene = Awaited<ReturnType<typeof slackScene>>;

/** A mention that opens a thread, answered without a tool: our share of the time until the answer stands there. */
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

/** People and channels are not known yet, so that Slack is asked for them on the way. */
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

/** When the first post after `earlier` calls arrived at Slack. Milliseconds since the epoch. */
async function nextPost({ slack, bot }: SlackScene, earlier: number): Promise<number> {
  const limit = performance.now() + 10_000;
  for (;;) {
    const post = slack.calls.slice(earlier).find(({ method }) => method === "chat.postMessage");
    if (post !== undefined) return post.at;
    if (performance.now() > limit) throw new Error(`no answer is posted:\n${bot.output()}`);
    await pause(1);
  }
}

/** The process that runs guests is a child of the program: its memory comes on top while tools run, and a minute longer. */
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
