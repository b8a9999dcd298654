import { setTimeout as pause } from "node:timers/promises";
import { type Reply, text, tokens, toolUse } from "../test/support/model/model-script.ts";
import { asks } from "../test/support/talk/approval-talk.ts";
import { type SlackOffice, slackOffice, type Talk } from "../test/support/talk/slack-talk.ts";
import type { Figure } from "./measure.ts";

const RUNS = 5;
const LIMIT_MS = 10_000;
/** Delay in milliseconds between a tool's line and the real start of the tool. */
const UNDER_WAY_MS = 300;

interface Stopping {
  readonly while: string;
  readonly reply: () => Reply;
  /** Resolves when the work is in progress and visible. */
  readonly begun: (office: SlackOffice, talk: Talk) => Promise<void>;
  /** Stops the run as a person does. */
  readonly stop: (talk: Talk) => void;
}

const STOPPINGS: readonly Stopping[] = [
  {
    while: "while the answer streams",
    reply: () => tokens(5_000, { everyMs: 5 }),
    begun: (_office, talk) => talk.shows(/word1 /u),
    stop: (talk) => talk.click("stop:"),
  },
  {
    while: "while a tool works",
    reply: () => toolUse("bash", { command: "while true; do :; done" }),
    async begun(_office, talk) {
      await talk.shows(/bash/u);
      await pause(UNDER_WAY_MS);
    },
    stop: (talk) => talk.click("stop:"),
  },
  {
    while: "while a card waits",
    // In every mode, writing instructions requires a person's approval.
    reply: () => [text("I'll write that down."), toolUse("write", { path: "AGENTS.md", content: "Be brief.\n" })],
    begun: asks,
    stop: (talk) => talk.mention("/stop"),
  },
];

/** Measures from the click or the command until Slack shows that the run has stopped. */
export async function benchStop(): Promise<readonly Figure[]> {
  await using office = await slackOffice({ settings: { mode: "agi" } });
  await office.bot.start();
  const figures: Figure[] = [];
  for (const stopping of STOPPINGS) {
    const samples: number[] = [];
    for (let run = 0; run < RUNS; run++) samples.push(await stopToSaid(office, stopping));
    figures.push({ name: `stop → said, ${stopping.while}`, unit: "ms", aim: 1_000, samples });
  }
  return figures;
}

async function stopToSaid(office: SlackOffice, { reply, begun, stop }: Stopping): Promise<number> {
  office.model.script(reply);
  const talk = office.talk({ text: "begin", channel: office.channel() });
  await begun(office, talk);
  const stoppedAt = Date.now();
  stop(talk);
  return (await saidAt(office, talk)) - stoppedAt;
}

/** Time at which Slack learnt of a thread's stop, in milliseconds since the epoch. */
async function saidAt({ slack, bot }: SlackOffice, { channel }: Talk): Promise<number> {
  const limit = performance.now() + LIMIT_MS;
  for (;;) {
    const said = slack.calls.find(
      ({ args, outcome }) => outcome === "ok" && args["channel"] === channel && args["text"]?.includes("⏹ Stopped by"),
    );
    if (said !== undefined) return said.at;
    if (performance.now() > limit) throw new Error(`no stop is told of:\n${bot.output()}`);
    await pause(5);
  }
}
