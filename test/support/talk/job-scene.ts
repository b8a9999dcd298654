import { until } from "../program/bot.ts";
import { readableText } from "../slack/slack-blocks.ts";
import type { SlackMessage } from "../slack/slack-model.ts";
import { isAbout } from "../slack/slack-private.ts";
import type { SeenMessage, SlackServer } from "../slack/slack-server.ts";
import { type SharedPlatforms, useBothPlatforms } from "./both-platforms.ts";
import type { Scene } from "./scene.ts";

export type SlackScene = Scene & {
  readonly slack: SlackServer;
  /** Channel of its jobs; by default the first one. */
  readonly channel?: string;
};

export const JOB_CHANNEL = "C0001";

interface JobScenes extends Pick<SharedPlatforms, "slack" | "discord"> {
  /** A scene on Slack in the channel of this number, or in one of its own. */
  readonly scene: (channel?: number) => SlackScene;
}

/** One running program on both platforms, for the jobs of all enclosing tests. */
export function useJobScene(settings: object = { mode: "agi" }): JobScenes {
  const { slackScene, slack, discord } = useBothPlatforms({ settings });
  return {
    slack,
    discord,
    scene(number) {
      const scene = slackScene(number);
      return { ...scene, channel: scene.folder.slice("slack-".length) };
    },
  };
}

/** The bot's posts in the channel itself: reports, and what is posted in their place. */
export function reports(scene: SlackScene, channel = scene.channel ?? JOB_CHANNEL): SlackMessage[] {
  return scene.slack.workspace.messages.filter(
    (message) => message.byBot && message.channel === channel && message.threadTs === null,
  );
}

/** The message as its channel's members read it. */
export function shown({ slack }: SlackScene, { channel, ts }: SlackMessage): string {
  return slack.thread(channel, ts)[0]?.text ?? "";
}

export async function reportsUntil(
  scene: SlackScene,
  count: number,
  channel = scene.channel ?? JOB_CHANNEL,
): Promise<SlackMessage[]> {
  await until(() => reports(scene, channel).length >= count, {
    what: () => `${count} reports; there are ${reports(scene, channel).length}; the bot said:\n${scene.bot.output()}`,
  });
  return reports(scene, channel);
}

/** The first report. */
export async function reportOf(scene: SlackScene, channel = scene.channel ?? JOB_CHANNEL): Promise<SlackMessage> {
  const [report] = await reportsUntil(scene, 1, channel);
  if (report === undefined) throw new Error("no report");
  return report;
}

export async function addJob(scene: SlackScene, flags: string, channel = scene.channel ?? JOB_CHANNEL): Promise<void> {
  const receipt = scene.slack.people.command("/jobs", `add ${flags}`, { channel });
  await receipt.answered;
}

/** The bot's posts in the thread below a message, oldest first. */
export function below({ slack }: SlackScene, { channel, ts }: SlackMessage): SeenMessage[] {
  return slack.thread(channel, ts).filter((message) => message.byBot && message.ts !== ts);
}

/** Waits until the bot has said something in the thread of a message. */
export async function saidBelow(scene: SlackScene, message: SlackMessage, words: string): Promise<void> {
  await until(() => below(scene, message).some(({ text }) => text.includes(words)), {
    what: () => `“${words}” below the report; there is ${JSON.stringify(below(scene, message))}\n${scene.bot.output()}`,
  });
}

/** The person who writes if none is named. */
const ASKER = "U0ANA";

/** Says something to the bot and resolves with its private answer. */
export async function ask(scene: SlackScene, words: string): Promise<string> {
  const channel = scene.channel ?? JOB_CHANNEL;
  const { ts } = scene.slack.people.mention({ text: words, channel });
  const { ephemerals } = scene.slack.workspace;
  const known = ephemerals.length;
  const answer = () =>
    ephemerals.slice(known).find((shown) => shown.user === ASKER && isAbout(shown, { channel, rootTs: ts }));
  await until(() => answer() !== undefined, {
    what: () => `an answer to ${words}:\n${scene.bot.output()}`,
  });
  const shown = answer();
  return shown === undefined ? "" : readableText(shown);
}

/** Repeats a command until its answer contains the words: a report is posted shortly before the log shows its end. */
export async function askUntil(scene: SlackScene, words: string, wanted: string): Promise<void> {
  await until(async () => (await ask(scene, words)).includes(wanted), {
    what: () => `${words} to say ${wanted}`,
  });
}
