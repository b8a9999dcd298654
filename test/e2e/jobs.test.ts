import { describe, expect, test } from "vitest";
import { until } from "../support/bot.ts";
import { hold, text } from "../support/model-script.ts";
import { slackScene } from "../support/scene.ts";
import type { SlackMessage } from "../support/slack/slack-model.ts";

type SlackScene = Awaited<ReturnType<typeof slackScene>>;

const CHANNEL = "C0001";

/** The bot's posts in the channel itself, which are reports and what is said in their place. */
function reports({ slack }: SlackScene): SlackMessage[] {
  return slack.workspace.messages.filter(
    ({ byBot, channel, threadTs }) => byBot && channel === CHANNEL && threadTs === null,
  );
}

function shown(scene: SlackScene, message: SlackMessage): string {
  const [root] = scene.slack.thread(CHANNEL, message.ts);
  return root?.text ?? "";
}

async function reportsUntil(scene: SlackScene, count: number): Promise<SlackMessage[]> {
  await until(() => reports(scene).length >= count, {
    limit: AbortSignal.timeout(30_000),
    what: () => `${count} reports; there are ${reports(scene).length}; the bot said:\n${scene.bot.output()}`,
  });
  return reports(scene);
}

async function addJob(scene: SlackScene, flags: string): Promise<void> {
  const receipt = scene.slack.people.command("/jobs", `add ${flags}`);
  await receipt.answered;
}

test("a report comes to the channel when it is due, and a reply in its thread goes on with its session", async () => {
  await using scene = await slackScene();
  scene.model.script((_request, index) => text(index === 0 ? "All is quiet." : "As I said, all is quiet."));
  await scene.bot.start();
  await addJob(scene, '--name "Night watch" --at "in 1 s" --timezone Europe/Paris --prompt "Look around."');
  const [report] = await reportsUntil(scene, 1);
  if (report === undefined) throw new Error("no report");
  const said = shown(scene, report);
  expect(said).toContain("**Night watch** · once, on ");
  expect(said).toContain("All is quiet.");
  scene.slack.people.say({ text: "Really?", threadTs: report.ts });
  const thread = () => scene.slack.thread(CHANNEL, report.ts).filter(({ byBot }) => byBot);
  await until(() => thread().some((message) => message.text.includes("As I said")), {
    limit: AbortSignal.timeout(20_000),
    what: () => JSON.stringify(thread()),
  });
  const asked = JSON.stringify(scene.model.requests[1]?.body);
  expect(asked).toContain("All is quiet.");
  expect(asked).toContain("Really?");
});
