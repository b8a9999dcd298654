import { expect, test } from "vitest";
import { text, tokens } from "../support/model-script.ts";
import { answers, discordScene, type Scene, slackScene } from "../support/scene.ts";

/** The last word of an answer of `tokens(2000)`. */
const LAST = "word2000";
const LATEST_MS = 8_000;

test("fifty threads over ten channels get whole answers in time and within Slack's limits", async () => {
  await using scene = await slackScene({ env: { LOG_LEVEL: "warn" } });
  const ends = new Map<string, number>();
  scene.model.script((request) => {
    const id = /thread (\d+)/.exec(request.lastUserText)?.[1] ?? "?";
    const noted = request.ended.then(() => ends.set(id, Date.now()));
    noted.catch(() => {});
    return [text(`Answer ${id}. `), tokens(2_000, { everyMs: 5 })];
  });
  await scene.bot.start();
  const threads = Array.from({ length: 50 }, (_, index) => ({
    id: String(index),
    thread: scene.mention(`thread ${index}`, (index % 10) + 1),
  }));
  const arrivals = await Promise.all(
    threads.map(async ({ id, thread }) => {
      const messages = await thread.until((all) => answers(all).some((answer) => answer.includes(LAST)), 90_000);
      return { id, at: Date.now(), answer: answers(messages).join(" ") };
    }),
  );
  for (const { id, at, answer } of arrivals) {
    expect(answer.startsWith(`Answer ${id}. word1 `), `thread ${id} has its own answer`).toBe(true);
    expect(answer.match(/word\d+/g)).toHaveLength(2_000);
    expect(at - (ends.get(id) ?? 0), `delay of thread ${id}`).toBeLessThan(LATEST_MS);
  }
  expect(scene.rateLimited()).toBe(0);
  expect(scene.model.requests).toHaveLength(50);
}, 120_000);

/** About 30,000 characters of prose and fenced code. */
const LONG = Array.from(
  { length: 72 },
  (_, part) =>
    `## Part ${part}\n\n${`Sentence number ${part} says something of use. `.repeat(6)}\n\n\`\`\`ts\n${`const value${part} = compute(${part}); // line\n`.repeat(4)}\`\`\`\n`,
).join("\n");

const platforms: readonly { name: string; open: () => Promise<Scene> }[] = [
  { name: "Slack", open: () => slackScene() },
  { name: "Discord", open: () => discordScene() },
];

test.each(platforms)(
  "a 30,000-character answer with code arrives whole on $name",
  async ({ open }) => {
    await using scene = await open();
    expect(LONG.length).toBeGreaterThan(29_000);
    scene.model.script(() => text(LONG, { chunkChars: 500 }));
    await scene.bot.start();
    const thread = scene.mention("write it all down");
    const messages = await thread.until((all) => answers(all).some((answer) => answer.includes("value71")), 90_000);
    const whole = answers(messages).join("\n");
    for (let part = 0; part < 72; part++) {
      expect(whole).toContain(`Part ${part}`);
      expect(whole.match(new RegExp(`compute\\(${part}\\)`, "g")), `code of part ${part}`).toHaveLength(4);
    }
    for (const answer of answers(messages))
      expect((answer.match(/```/g) ?? []).length % 2, "fences are closed").toBe(0);
    expect(scene.rateLimited()).toBe(0);
  },
  120_000,
);

test.each(platforms)("what the model writes pings nobody on $name", async ({ open, name }) => {
  await using scene = await open();
  scene.model.script(() => text("Hello @everyone, @here, <!channel>, <!here>, <@U0ANA> and <@&1>."));
  await scene.bot.start();
  const thread = scene.mention("greet");
  await thread.until((all) => answers(all).length > 0);
  expect(scene.pings(), name).toEqual([]);
});
