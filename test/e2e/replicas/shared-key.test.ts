import { expect, onTestFinished, test } from "vitest";
import { startPostgres } from "../../support/database/postgres.ts";
import { rateLimited, text } from "../../support/model/model-script.ts";
import { createBot } from "../../support/program/bot.ts";
import { answers, type Scene, slackScene } from "../../support/talk/scene.ts";

const TAKES = 4;
const THREADS = 30;
/** Most refusals come at the beginning, when none has learned: later answers tell what was learned. */
const ROUNDS = 3;

/** The model answers so many calls at once, each for a second and a half, and refuses the others. */
function limitKey({ model }: Pick<Scene, "model">): { refusals: number } {
  const seen = { refusals: 0 };
  let going = 0;
  model.script(({ ended }, index) => {
    if (going >= TAKES) {
      seen.refusals += 1;
      return rateLimited(1);
    }
    going += 1;
    const leave = async () => {
      await ended;
      going -= 1;
    };
    leave().catch(() => undefined); // it never rejects
    return text(`Answer ${index}.`.padEnd(60, "."), { everyMs: 250 });
  });
  return seen;
}

/** A person asks in a thread of their own, and again after each answer. */
async function converse(scene: Scene, channel: number): Promise<readonly string[]> {
  const thread = scene.mention("hello", channel);
  for (let round = 1; ; round += 1) {
    await thread.until((all) => answers(all).length >= round, AbortSignal.timeout(240_000));
    if (round === ROUNDS) return answers(thread.messages());
    thread.reply("and again");
  }
}

test("three replicas share what one key of a provider takes: thirty conversations at once, and few refusals", async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  const env = { DECKHAND_ENGINE: "dbos", DATABASE_URL: await postgres.createDatabase() };
  await using scene = await slackScene({ env });
  const { home, env: given } = scene.bot;
  await using second = await createBot({ env: given, home });
  await using third = await createBot({ env: given, home });
  const bots = [scene.bot, second, third];
  await Promise.all(bots.map((bot) => bot.start()));
  const seen = limitKey(scene);
  const conversations = Array.from({ length: THREADS }, (_, index) => converse(scene, index + 1));
  const said = (await Promise.all(conversations)).flat();
  expect(said).toHaveLength(THREADS * ROUNDS);
  expect(said.filter((answer) => !/^Answer \d+\.+$/u.test(answer))).toEqual([]);
  // Where each learns for itself it is 54 times.
  expect(seen.refusals).toBeLessThan(30);
  for (const bot of bots) expect(bot.output()).not.toMatch(/model_retry|"level":(50|60)/u);
});
