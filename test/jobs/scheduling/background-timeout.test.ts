import { expect, test } from "vitest";
import { CHANNEL, openWorld } from "../world.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** A job that is due an hour after the world begins. */
const DAILY = { name: "Count", cron: "0 10 * * *", prompt: "Look.", timeout: "300" };
const LINE = "⏹ **Count** · stopped by its time limit of 300 s: count the tickets";
const CANCELLED = { type: "cancelled", cause: { by: "timeout", limitMs: 300_000 } };

/** Opens a world in which the job's run takes two of its five minutes and leaves a sub-agent at work. */
async function leavingWorld(lasts: { child: number; child_end: number }) {
  const world = await openWorld();
  world.play = () => ({ takesMs: 2 * MINUTE, leaves: true });
  world.lasts = lasts;
  const id = await world.add(DAILY);
  await world.pass(HOUR + 2 * MINUTE + 5_000);
  expect(await world.occurrences(id)).toMatchObject([{ status: "succeeded" }]);
  const due = (await world.occurrences(id))[0]?.scheduledFor ?? 0;
  return { world, due };
}

function lines(posts: readonly string[]): string[] {
  return posts.filter((post) => post.startsWith("⏹"));
}

test("work left by a job's run gets the rest of its time limit, and its end is reported once in the report's thread", async () => {
  const { world, due } = await leavingWorld({ child: 10 * HOUR, child_end: 0 });
  await world.pass(2 * MINUTE + 40_000);
  expect(world.background).toEqual([]);
  await world.pass(10 * MINUTE);
  expect(world.background).toMatchObject([{ kind: "child", outcome: CANCELLED }]);
  expect(Math.abs((world.background[0]?.at ?? 0) - due - 5 * MINUTE)).toBeLessThanOrEqual(12_000);
  expect(lines(world.posts())).toEqual([LINE]);
  const [report] = world.platform.messages.keys();
  expect(world.announcedIn).toEqual([{ ...CHANNEL, threadId: report }]);
});

test("after a restart background work gets the rest of its time limit, without counting the downtime", async () => {
  const { world } = await leavingWorld({ child: 10 * HOUR, child_end: 0 });
  await world.pass(MINUTE);
  await world.away(HOUR);
  await world.pass(MINUTE + 40_000);
  expect(world.background).toEqual([]);
  await world.pass(MINUTE);
  expect(world.background).toMatchObject([{ kind: "child", outcome: CANCELLED }]);
  expect(lines(world.posts())).toEqual([LINE]);
});

test("a run started by the end of a sub-agent shares the time limit, and reports its own stop", async () => {
  const { world } = await leavingWorld({ child: 4 * MINUTE, child_end: 10 * HOUR });
  await world.pass(2 * MINUTE);
  expect(world.background).toMatchObject([{ kind: "child", outcome: { type: "end_turn" } }]);
  await world.pass(2 * MINUTE);
  expect(world.background.slice(1)).toMatchObject([{ kind: "child_end", outcome: CANCELLED }]);
  expect(lines(world.posts())).toEqual([]);
});

test("background work that ends within the time limit is not affected", async () => {
  const { world } = await leavingWorld({ child: 3 * MINUTE, child_end: 30_000 });
  await world.pass(10 * MINUTE);
  expect(world.background.map(({ outcome }) => outcome.type)).toEqual(["end_turn", "end_turn"]);
  expect(lines(world.posts())).toEqual([]);
});
