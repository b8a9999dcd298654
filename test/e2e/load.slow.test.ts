import { expect, test } from "vitest";
import { text } from "../support/model/model-script.ts";
import { crowd } from "../support/program/crowd.ts";
import type { SlackServer } from "../support/slack/slack-server.ts";
import { PLATFORMS, useBothPlatforms } from "../support/talk/both-platforms.ts";
import { answers } from "../support/talk/scene.ts";

const both = useBothPlatforms({ env: { LOG_LEVEL: "warn" } });

/** The same number of threads per channel as in the benchmark `bench/crowd.ts`. */
const CROWD = { threads: 20, channels: 4, tokens: 1_000 };

test("twenty threads in four channels get complete answers, ahead of progress updates and within Slack's limits", async () => {
  const scene = both.slackScene();
  const all = await crowd(scene, CROWD);
  expect(all).toHaveLength(CROWD.threads);
  for (const { thread, answer } of all) {
    expect(answer.startsWith(`Answer ${thread}. word1 `), `thread ${thread} has its own answer`).toBe(true);
    expect(answer.match(/word\d+/g)).toHaveLength(CROWD.tokens);
  }
  // A channel takes one post a second. Once the model has ended, an answer may wait for other answers but not for
  // progress.
  const progress = progressPosts(scene);
  expect(progress.length).toBeGreaterThan(0);
  for (const { thread, channel, modelEndedAt, answeredAt } of all) {
    const between = progress.filter(
      (post) => post.channel === channel && post.at > modelEndedAt && post.at < answeredAt,
    );
    expect(between.length, `progress posted before the answer of thread ${thread}`).toBeLessThanOrEqual(1);
  }
  expect(scene.rateLimited()).toBe(0);
  expect(scene.model.requests).toHaveLength(CROWD.threads);
}, 300_000);

/** Channel and time of each live message: in this test only live messages have buttons, even after they have folded. */
function progressPosts({ slack }: { readonly slack: SlackServer }): { channel: number; at: number }[] {
  return slack.workspace.messages.flatMap(({ byBot, channel, ts, blocks }) => {
    const isLive = byBot && JSON.stringify(blocks).includes("action_id");
    return isLive ? [{ channel: Number(channel.slice(1)), at: Number(ts) * 1_000 }] : [];
  });
}

const LONG = Array.from(
  { length: 72 },
  (_, part) =>
    `## Part ${part}\n\n${`Sentence number ${part} says something of use. `.repeat(6)}\n\n\`\`\`ts\n${`const value${part} = compute(${part}); // line\n`.repeat(4)}\`\`\`\n`,
).join("\n");

test.each(PLATFORMS)(
  "on %s a 30,000-character answer with code arrives complete",
  async (platform) => {
    const scene = both.scene(platform);
    expect(LONG.length).toBeGreaterThan(29_000);
    scene.model.script(() => text(LONG, { chunkChars: 500 }));
    const thread = scene.mention("write it all down");
    const messages = await thread.until(
      (all) => answers(all).some((answer) => answer.includes("value71")),
      AbortSignal.timeout(240_000),
    );
    const whole = answers(messages).join("\n");
    for (let part = 0; part < 72; part++) {
      expect(whole).toContain(`Part ${part}`);
      expect(whole.match(new RegExp(`compute\\(${part}\\)`, "g")), `code of part ${part}`).toHaveLength(4);
    }
    for (const answer of answers(messages))
      expect((answer.match(/```/g) ?? []).length % 2, "fences are closed").toBe(0);
    expect(scene.rateLimited()).toBe(0);
  },
  300_000,
);

test.each(PLATFORMS)("on %s text written by the model notifies nobody", async (platform) => {
  const scene = both.scene(platform);
  scene.model.script(() => text("Hello @everyone, @here, <!channel>, <!here>, <@U0ANA> and <@&1>."));
  const thread = scene.mention("greet");
  await thread.until((all) => answers(all).length > 0);
  expect(scene.pings()).toEqual([]);
});
