import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { DefectError, PlatformError } from "../../src/core/protocol/errors.ts";
import { tempDirectory } from "../support/temp-directory.ts";
import { ANA, CHANNEL, openWorld } from "./world.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

test("the owner of a job whose channel is gone is notified once possible, and the report does not count as failed", async () => {
  const world = await openWorld();
  const id = await world.add({ name: "Watch", cron: "0 10 * * *", prompt: "Look." });
  const { platform } = world;
  const gone = new PlatformError("thread_gone", "gone", { detail: { platform: "Slack" } });
  for (let posts = 0; posts < 2; posts += 1) platform.failNext("post", gone);
  platform.failNext("postEphemeral", new PlatformError("platform_failed", "HTTP 503"));
  await world.pass(HOUR + MINUTE, 10_000);
  const told = platform.requests.filter(({ kind }) => kind === "postEphemeral");
  expect(told.map(({ where, text, message }) => [where, text, message?.tone])).toEqual([
    ["slack:U1", expect.stringContaining("I paused **Watch**. This is its report:"), "error"],
    ["slack:U1", "All is quiet.", "plain"],
  ]);
  expect(await world.store.jobs.get(id)).toMatchObject({ enabled: false });
});

test("a report sent as a file has only its beginning in the channel, with the file in the thread", async () => {
  const world = await openWorld();
  await world.add({ name: "Long", cron: "0 10 * * *", prompt: "Look." });
  world.play = () => ({ says: "x".repeat(5_000) });
  await world.pass(HOUR + MINUTE, 10_000);
  const sent = world.platform.requests.filter(({ kind }) => kind === "post");
  expect(sent.map(({ text, message }) => [text.slice(0, 8), message?.files.length])).toEqual([
    ["**Long**", 0],
    ["The full", 1],
  ]);
});

test("a report whose file is forbidden is split into messages, and the job continues", async () => {
  const world = await openWorld();
  const id = await world.add({ name: "Long", cron: "0 10 * * *", prompt: "Look." });
  world.play = () => ({ says: "z".repeat(5_000) });
  const post = world.platform.post.bind(world.platform);
  const forbidden = new PlatformError("missing_scope", "no", { detail: { platform: "Slack", scope: "files:write" } });
  const refusing: typeof post = (thread, message, key) =>
    message.files.length > 0 ? Promise.reject(forbidden) : post(thread, message, key);
  Object.assign(world.platform, { post: refusing });
  await world.pass(HOUR + MINUTE, 10_000);
  const [head, ...below] = world.platform.requests.filter(({ kind }) => kind === "post");
  expect(head?.text).toMatch(/^\*\*Long\*\*[^]*The report is long; the full text is below\.$/u);
  expect(
    below
      .map(({ text }) => text)
      .join("")
      .match(/z/gu),
  ).toHaveLength(5_000);
  expect(below.at(-1)?.message?.footer).toContain("`files:write`");
  expect(await world.store.jobs.get(id)).toMatchObject({ enabled: true });
});

test.each([
  new PlatformError("defect", "invalid_blocks", { detail: { platform: "Slack" } }),
  new DefectError("Discord answered 400, code 50035"),
])(
  "a report that the platform refuses ($message) is reported as a failure, and the next one is posted",
  async (why) => {
    const world = await openWorld();
    const id = await world.add({ name: "Odd", cron: "0 * * * *", prompt: "Look." });
    world.platform.failNext("post", why);
    await world.pass(2 * HOUR + MINUTE, 10_000);
    expect(world.posts()).toEqual([
      expect.stringMatching(/^✗ \*\*Odd\*\* · Something broke on my side\./u),
      expect.stringContaining("All is quiet."),
    ]);
    expect((await world.occurrences(id)).map(({ status }) => status)).toEqual(["failed", "succeeded"]);
  },
);

test("the log stores a failure reason without emoji, and a report unchanged", async () => {
  const world = await openWorld();
  const id = await world.add({ name: "Signs", cron: "0 * * * *", prompt: "Look." });
  world.play = (_event, number) => (number === 1 ? { fails: "auth" } : { says: "⚠ Disk 3 is nearly full." });
  await world.pass(2 * HOUR + MINUTE, 10_000);
  const [failed, reported] = await world.occurrences(id);
  expect(failed?.error).toMatch(/^The model provider does not accept the key/u);
  expect(reported?.message).toBe("⚠ Disk 3 is nearly full.");
  const { text } = await world.jobs.control.act("logs", id, { person: ANA, thread: CHANNEL, at: 0 });
  expect(text).toContain("⚠ Disk 3 is nearly full.");
  expect(world.posts()[0]).toMatch(/^✗ \*\*Signs\*\* · The model provider does not accept the key/u);
});

test("the owner of a job whose channel is gone gets the failure reason with its emoji", async () => {
  const world = await openWorld();
  await world.add({ name: "Watch", cron: "0 10 * * *", prompt: "Look." });
  world.play = () => ({ fails: "auth" });
  world.platform.failNext("post", new PlatformError("thread_gone", "gone", { detail: { platform: "Slack" } }));
  await world.pass(HOUR + MINUTE, 10_000);
  const told = world.platform.requests.filter(({ kind }) => kind === "postEphemeral");
  expect(told.map(({ text }) => text)[1]).toMatch(/^✗ The model provider does not accept the key/u);
});

test("a declared job without an owner is paused when its channel is gone, and its run ends", async () => {
  const file = path.join(tempDirectory(), "jobs.json");
  const entry = { name: "Watch", cron: "0 10 * * *", prompt: "Look.", channel: "slack:T1/C1" };
  writeFileSync(file, JSON.stringify([entry]));
  const world = await openWorld({ file });
  const { platform, store } = world;
  const gone = new PlatformError("thread_gone", "gone", { detail: { platform: "Slack" } });
  for (let tries = 0; tries < 10; tries += 1) {
    platform.failNext("post", gone);
    platform.failNext("postEphemeral", new PlatformError("platform_failed", "HTTP 503"));
  }
  await world.pass(HOUR + MINUTE, 10_000);
  expect((await store.jobs.all()).jobs).toMatchObject([{ enabled: false }]);
  expect(await store.runs.interrupted()).toEqual([]);
});
