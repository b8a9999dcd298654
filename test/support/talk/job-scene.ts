import { until } from "../program/bot.ts";
import { readableText } from "../slack/slack-blocks.ts";
import type { SlackMessage } from "../slack/slack-model.ts";
import { isAbout } from "../slack/slack-private.ts";
import type { SeenMessage } from "../slack/slack-server.ts";
import { slackScene } from "./scene.ts";
import { useStage } from "./shared-office.ts";

export type SlackScene = Awaited<ReturnType<typeof slackScene>> & {
  /** Where its jobs are; the first one by default. */
  readonly channel?: string;
};

export const JOB_CHANNEL = "C0001";

/** One running program for the jobs of all tests around, each in a channel of its own. */
export function useJobScene(): () => SlackScene {
  const stage = useStage(() => slackScene());
  let channels = 1;
  return () => {
    const scene = stage();
    channels += 1;
    const own = channels;
    const channel = `C${String(own).padStart(4, "0")}`;
    const mention: SlackScene["mention"] = (words, number = own) => scene.mention(words, number);
    return { ...scene, channel, folder: `slack-${channel}`, mention };
  };
}

/** The bot's posts in the channel itself, which are reports and what is said in their place. */
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

/** What the bot has posted in the thread below a message, oldest first. */
export function below({ slack }: SlackScene, { channel, ts }: SlackMessage): SeenMessage[] {
  return slack.thread(channel, ts).filter((message) => message.byBot && message.ts !== ts);
}

/** Waits until the bot has said something in the thread of a message. */
export async function saidBelow(scene: SlackScene, message: SlackMessage, words: string): Promise<void> {
  await until(() => below(scene, message).some(({ text }) => text.includes(words)), {
    what: () => `“${words}” below the report; there is ${JSON.stringify(below(scene, message))}\n${scene.bot.output()}`,
  });
}

/** Who writes where nobody is named. */
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

/** A report is posted a moment before the log has its end. */
export async function askUntil(scene: SlackScene, words: string, wanted: string): Promise<void> {
  await until(async () => (await ask(scene, words)).includes(wanted), {
    what: () => `${words} to say ${wanted}`,
  });
}
