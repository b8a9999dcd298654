import { describe, expect, test } from "vitest";
import { PlatformError } from "../../src/core/protocol/errors.ts";
import { CHANNEL, openWorld } from "./world.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ANA = { id: "slack:U1", name: "ana", roles: [] };
/** The world begins at 08:00 UTC, which is 09:00 in Paris. */
const HOURLY = { cron: "0 * * * *", prompt: "Look." };
const OFTEN = { cron: "*/10 * * * *", prompt: "Look." };

async function statuses(world: Awaited<ReturnType<typeof openWorld>>, jobId: string): Promise<string[]> {
  return (await world.occurrences(jobId)).map(({ status }) => status);
}

test("a report states its job, its next due time and how the last runs went, and has buttons", async () => {
  const world = await openWorld();
  const id = await world.add({ name: "Daily report", cron: "0 10 * * *", prompt: "Look." });
  world.play = (_event, number) => ({ takesMs: number * 2_000 });
  await world.pass(HOUR + MINUTE, 10_000);
  await world.away(24 * HOUR - 2 * MINUTE);
  await world.pass(4 * MINUTE, 10_000);
  expect(world.posts().map((post) => post.split("\n")[0])).toEqual([
    "**Daily report** · every day at 10:00 Europe/Paris",
    "**Daily report** · every day at 10:00 Europe/Paris",
  ]);
  expect(world.posts()[1]).toMatch(/All is quiet\.\n✓ .* s · \$0\.01 · [▁-▇]{2}$/u);
  expect(world.platform.requests[0]?.message?.buttons.map((button) => button.id)).toEqual([
    `job-run:${id}`,
    `job-pause:${id}`,
  ]);
  expect(await world.occurrences(id)).toMatchObject([
    { status: "succeeded", success: true, trigger: "schedule", message: "All is quiet.", error: null, costUsd: 0.01 },
    { status: "succeeded" },
  ]);
});

test.each([
  { overlap: "skip", expected: ["succeeded", "skipped", "succeeded"], runs: 2 },
  { overlap: "queue", expected: ["succeeded", "succeeded", "succeeded"], runs: 3 },
  { overlap: "cancel-previous", expected: ["cancelled", "cancelled", "succeeded"], runs: 3 },
])("with overlap $overlap, due times during a run are $expected", async ({ overlap, expected, runs }) => {
  const world = await openWorld();
  const id = await world.add({ name: "Long", ...OFTEN, overlap, timeout: "86400" });
  world.play = () => ({ takesMs: 15 * MINUTE });
  await world.pass(31 * MINUTE, 10_000);
  world.play = () => ({});
  // The job gets no more due times, but those it has are still run.
  await world.jobs.control.edit(id, { cron: "0 0 1 1 *" }, { person: ANA, thread: CHANNEL, at: 0 });
  await world.pass(HOUR, 30_000);
  expect((await statuses(world, id)).slice(0, 3)).toEqual(expected);
  expect(world.runs).toHaveLength(runs);
});

test("the log's summary shows a running run as running, not as failed", async () => {
  const world = await openWorld();
  const id = await world.add({ name: "Long", ...HOURLY, timeout: "86400" });
  world.play = () => ({ takesMs: 30 * MINUTE });
  await world.pass(HOUR + 10 * MINUTE, 10_000);
  const { text } = await world.jobs.control.act("logs", id, { person: ANA, thread: CHANNEL, at: 0 });
  expect(text.split("\n")[0]).toBe("**Long**, newest first:");
  expect(text).toContain("- ⏳ running · ");
});

describe("cancel-previous, after a kill", () => {
  type Rows = Awaited<ReturnType<Awaited<ReturnType<typeof openWorld>>["occurrences"]>>;

  test.each([
    { point: "after the next due time has its run", isSo: (rows: Rows) => rows.length === 2 },
    { point: "after the next one's run has begun", isSo: (rows: Rows) => rows[1]?.executedAt != null },
    { point: "after the one before has ended", isSo: (rows: Rows) => rows[0]?.status === "cancelled" },
    { point: "after the next one has ended", isSo: (rows: Rows) => rows[1]?.status === "succeeded" },
  ])("$point, posts one of the two reports", async ({ isSo }) => {
    const world = await openWorld();
    const id = await world.add({ name: "Long", ...HOURLY, overlap: "cancel-previous", timeout: "86400" });
    world.play = (_event, number) => ({ takesMs: number === 1 ? 70 * MINUTE : 30_000 });
    await world.pass(HOUR + MINUTE, 30_000);
    world.killWhen(async () => isSo(await world.occurrences(id)));
    await world.pass(61 * MINUTE, 30_000);
    expect(world.isKilled()).toBe(true);
    await world.startAgain();
    await world.pass(30 * MINUTE, 30_000);
    expect(await statuses(world, id)).toEqual(["cancelled", "succeeded"]);
    expect(world.posts().filter((post) => post.includes("All is quiet."))).toHaveLength(1);
  });
});

test("the report after skipped due times states how many were skipped", async () => {
  const world = await openWorld();
  await world.add({ name: "Long", ...OFTEN, timeout: "86400" });
  world.play = (_event, number) => ({ takesMs: number === 1 ? 25 * MINUTE : 1_000 });
  await world.pass(41 * MINUTE, 10_000);
  expect(world.posts()[1]).toContain("2 due times skipped before");
});

test.each([
  { catchUp: "none", awayMs: 5 * HOUR, expected: ["missed", "missed", "missed", "missed", "missed"], late: null },
  {
    catchUp: "latest",
    awayMs: 5 * HOUR + 41 * MINUTE,
    expected: ["missed", "missed", "missed", "missed", "succeeded"],
    late: "(due 14:00, ran 14:51: I was away)",
  },
  { catchUp: "none", awayMs: 50 * MINUTE + 20_000, expected: ["succeeded"], late: null },
])(
  "after a downtime of $awayMs ms, catch-up $catchUp leads to $expected",
  async ({ catchUp, awayMs, expected, late }) => {
    const world = await openWorld({ start: "2027-01-04T08:10:00Z" });
    const id = await world.add({ name: "Hourly", ...HOURLY, "catch-up": catchUp });
    // Away from 09:10 in Paris; in the first row the last due time is 10 minutes old at the return.
    await world.away(awayMs);
    await world.pass(10_000);
    expect(await statuses(world, id)).toEqual(expected);
    const posts = world.posts();
    expect(posts).toHaveLength(expected.filter((status) => status === "succeeded").length);
    if (late !== null) expect(posts[0]).toContain(late);
    else expect(posts.join()).not.toContain("away");
  },
);

test("after a long downtime a bounded number of missed due times is recorded, and the oldest mentions the others", async () => {
  const world = await openWorld();
  const id = await world.add({ name: "Often", cron: "* * * * *", prompt: "Look." });
  await world.away(24 * HOUR + 30_000);
  await world.pass(5_000);
  const rows = await world.occurrences(id);
  expect(rows).toHaveLength(500);
  expect(rows[0]?.message).toContain("earlier missed times");
  expect(rows.at(-1)?.status).toBe("succeeded");
});

test("transient failures are retried within the occurrence, and each is reported with the next attempt", async () => {
  const world = await openWorld();
  const id = await world.add({ name: "Flaky", cron: "0 10 * * *", prompt: "Look." });
  world.play = (_event, number) => (number < 3 ? { fails: "overloaded" } : {});
  await world.pass(HOUR + 10 * MINUTE, 5_000);
  expect(world.runs.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
  expect(world.posts()).toMatchObject([
    expect.stringContaining("Next try in 1 min (attempt 2 of 3)."),
    expect.stringContaining("Next try in 4 min (attempt 3 of 3)."),
    expect.stringContaining("All is quiet."),
  ]);
  expect(await world.occurrences(id)).toMatchObject([
    { status: "succeeded", attempt: 3, costUsd: expect.closeTo(0.03) },
  ]);
});

test("a retry that is pending during a restart still happens", async () => {
  const world = await openWorld();
  const id = await world.add({ name: "Flaky", cron: "0 10 * * *", prompt: "Look." });
  world.play = (_event, number) => (number === 1 ? { fails: "overloaded" } : {});
  await world.pass(HOUR + 10_000);
  expect(await statuses(world, id)).toEqual(["retrying"]);
  const run = await world.jobs.control.act("run", id, { person: ANA, thread: CHANNEL, at: world.clock.now() });
  expect(run.text).toContain("will be retried");
  await world.away(30 * MINUTE);
  await world.pass(10_000);
  expect(world.runs.map(({ attempt }) => attempt)).toEqual([1, 2]);
  expect(await world.occurrences(id)).toMatchObject([{ status: "succeeded", attempt: 2 }]);
});

test("the last attempt's failure counts for the occurrence, and repeated failures pause the job", async () => {
  const world = await openWorld();
  const id = await world.add({ name: "Down", ...HOURLY, "pause-after": "2" });
  world.play = () => ({ fails: "auth" });
  await world.pass(5 * HOUR, 20_000);
  expect(await statuses(world, id)).toEqual(["failed", "failed"]);
  expect(world.posts()[0]).toContain("Next try Mon 4 Jan 2027 11:00.");
  expect(world.posts()[1]).toContain("⏸ Paused after 2 failures in a row");
  expect(await world.store.jobs.get(id)).toMatchObject({
    enabled: false,
    pausedBecause: { by: "failures", count: 2 },
  });
});

test.each([
  { refused: 0, when: "at its second", withinMs: 43_000 },
  { refused: 1, when: "soon after, where the database was away at that moment", withinMs: 51_000 },
])("a run that exceeds its time limit is stopped $when", async ({ refused, withinMs }) => {
  const world = await openWorld();
  const id = await world.add({ name: "Slow", cron: "0 10 * * *", prompt: "Look.", timeout: "42" });
  world.play = () => ({ takesMs: 10 * MINUTE });
  await world.pass(HOUR + 41_000);
  world.refuseTransactions(refused);
  await world.pass(5 * MINUTE);
  const [row] = await world.occurrences(id);
  expect(row).toMatchObject({ status: "timed_out", success: false, error: expect.stringContaining("42 s") });
  expect((row?.endedAt ?? 0) - (row?.executedAt ?? 0)).toBeLessThanOrEqual(withinMs);
  expect(world.posts()).toEqual([expect.stringContaining("timed out, stopped by its time limit of 42 s")]);
});

test("with silent, a report equal to the previous one is stored but not posted", async () => {
  const world = await openWorld();
  const id = await world.add({ name: "Watch", ...HOURLY, silent: "yes" });
  world.play = (_event, number) => ({ says: number < 3 ? "Same  as\never." : "Something new." });
  await world.pass(3 * HOUR + MINUTE, 10_000);
  expect(await statuses(world, id)).toEqual(["succeeded", "succeeded", "succeeded"]);
  expect(world.posts()).toMatchObject([expect.stringContaining("Same"), expect.stringContaining("Something new.")]);
});

test("silent does not suppress reports of manual runs and of the run after a failure", async () => {
  const world = await openWorld();
  const id = await world.add({ name: "Watch", ...HOURLY, silent: "yes" });
  world.play = (_event, number) => (number === 3 ? { fails: "auth" } : { says: "Same." });
  await world.pass(2 * HOUR + MINUTE, 10_000);
  expect(world.posts()).toHaveLength(1);
  await world.pass(2 * HOUR, 10_000);
  const said = world.posts().map((post) => (post.startsWith("✗") ? "failed" : post.split("\n").at(2)));
  expect(said).toEqual(["Same.", "failed", "Same."]);
  await world.jobs.control.act("run", id, { person: ANA, thread: CHANNEL, at: world.clock.now() });
  await world.pass(MINUTE, 10_000);
  expect(world.posts()).toHaveLength(4);
  expect(world.runs[0]?.prompt).toContain("leave out what changes on its own, such as the time");
});

test.each(["thread_gone", "missing_scope"] as const)(
  "if the channel cannot be posted to (%s), the job is paused and its owner gets the report",
  async (code) => {
    const world = await openWorld();
    const id = await world.add({ name: "Lost", cron: "0 10 * * *", prompt: "Look." });
    world.platform.failNext("post", new PlatformError(code, code, { detail: { platform: "Slack" } }));
    await world.pass(HOUR + MINUTE, 10_000);
    const [ephemeral] = world.platform.requests;
    expect(ephemeral).toMatchObject({
      kind: "postEphemeral",
      where: "slack:U1",
      text: expect.stringContaining("I paused **Lost**"),
    });
    expect(world.platform.requests.map(({ text }) => text).join()).toContain("All is quiet.");
    expect(await world.store.jobs.get(id)).toMatchObject({ enabled: false });
    expect(await statuses(world, id)).toEqual(["failed"]);
  },
);

test("a long report has its beginning in the channel and the rest in its thread", async () => {
  const world = await openWorld();
  await world.add({ name: "Long", cron: "0 10 * * *", prompt: "Look." });
  world.play = () => ({ says: "A line of the report.\n\n".repeat(30) });
  await world.pass(HOUR + MINUTE, 10_000);
  const posts = world.platform.requests.filter(({ kind }) => kind === "post");
  expect(posts.length).toBeGreaterThan(1);
  expect(posts.map(({ message }) => message?.buttons.length)).toEqual([2, ...posts.slice(1).map(() => 0)]);
});

test("jitter spreads the starts, with the same delay for each due time", async () => {
  const world = await openWorld();
  const ids: string[] = [];
  for (const name of ["a", "b", "c", "d"])
    ids.push(await world.add({ name, cron: "0 10 * * *", prompt: "Look.", jitter: "300" }));
  await world.pass(HOUR + 10 * MINUTE);
  const begun: number[] = [];
  for (const id of ids)
    for (const { executedAt, scheduledFor } of await world.occurrences(id))
      begun.push((executedAt ?? 0) - scheduledFor);
  expect(begun).toHaveLength(4);
  expect(new Set(begun).size).toBe(4);
  expect(begun.every((ms) => ms >= 0 && ms <= 301_000)).toBe(true);
});

test("jitter longer than the interval neither loses due times nor marks any as missed", async () => {
  const world = await openWorld();
  const id = await world.add({ name: "Often", cron: "*/2 * * * *", prompt: "Look.", jitter: "3600" });
  await world.pass(HOUR, 2_000);
  const rows = await world.occurrences(id);
  expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(["succeeded"]));
  const first = Date.parse("2027-01-04T08:02:00Z");
  expect(rows.map(({ scheduledFor }) => scheduledFor)).toEqual(rows.map((_row, index) => first + index * 2 * MINUTE));
  expect(rows.length).toBeGreaterThanOrEqual(29);
});

test("a due time whose first transaction fails is run within a minute", async () => {
  const world = await openWorld();
  const id = await world.add({ name: "Watch", ...HOURLY });
  await world.pass(HOUR - MINUTE, 10_000);
  world.refuseTransactions(2);
  await world.pass(3 * MINUTE);
  expect(await statuses(world, id)).toEqual(["succeeded"]);
  await world.pass(HOUR, 10_000);
  expect(await statuses(world, id)).toEqual(["succeeded", "succeeded"]);
});

test("a reminder runs once and is then finished", async () => {
  const world = await openWorld();
  const id = await world.add({ name: "Call Ben", at: "2027-01-04 10:30", prompt: "Remind me." });
  await world.pass(3 * HOUR, 30_000);
  expect(world.posts()).toHaveLength(1);
  expect(await world.store.jobs.get(id)).toMatchObject({ enabled: false, pausedBecause: { by: "due_once" } });
});

test("the log is kept for the configured time", async () => {
  const world = await openWorld({ logDays: 1 });
  const id = await world.add({ name: "Daily", cron: "0 10 * * *", prompt: "Look." });
  for (let day = 0; day < 2; day += 1) {
    await world.pass(2 * HOUR, 30_000);
    await world.away(22 * HOUR);
  }
  await world.pass(2 * HOUR, 30_000);
  expect((await world.occurrences(id)).map(({ scheduledFor }) => new Date(scheduledFor).toISOString())).toEqual([
    "2027-01-06T09:00:00.000Z",
  ]);
});
