import { existsSync } from "node:fs";
import path from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { complaintsAbout, picture } from "../../features/console/console-world.ts";
import { hold, text } from "../../support/model/model-script.ts";
import { type Bot, createBot, untilIdle } from "../../support/program/bot.ts";
import { openBrowser } from "../../support/program/browser.ts";
import { runCli } from "../../support/program/cli.ts";
import { visitAddress } from "../../support/program/page-visit.ts";
import { pageLink, type Replicas, startReplicas } from "../../support/program/replicas.ts";
import { tempDirectory } from "../../support/temp-directory.ts";

let browser: Browser;
let replicas: Replicas;

beforeAll(async () => {
  [browser, replicas] = await Promise.all([openBrowser(), startReplicas()]);
});

/** A test may have ended one of the two. */
beforeEach(async () => {
  const { one, other } = replicas;
  const isThere = (bot: Bot) =>
    bot.probe("healthz").then(
      () => true,
      () => false,
    );
  for (const bot of [one, other]) if (!(await isThere(bot))) await bot.start();
  const count = async () => JSON.parse((await one.probe("readyz")).text).replicas;
  await expect.poll(count).toBe(2);
});

afterAll(async () => {
  await replicas[Symbol.asyncDispose]();
  await browser.close();
});

function named(pid: number): RegExp {
  return new RegExp(`:${pid}$`, "u");
}

test("doctor names the processes, and what keeps another one from joining them", async () => {
  const { one, other } = replicas;
  const env = { ...one.env, DECKHAND_HOME: one.home, PORT: "0" };
  const { out } = await runCli(["doctor"], {
    env: { ...env, DECKHAND_SECRET_KEY: Buffer.alloc(32, 7).toString("base64") },
  });
  for (const bot of [one, other])
    expect(out).toMatch(new RegExp(`✓ processes on the database: .*:${bot.pid()}\\b`, "u"));
  expect(out).toMatch(/✗ DECKHAND_SECRET_KEY must be that of the process \d+ on /u);
  const doctor = async (given: Readonly<Record<string, string>>) =>
    (await runCli(["doctor"], { cwd: one.home, env: { ...one.env, PORT: "0", ...given } })).out;
  const elsewhere = tempDirectory();
  expect(await doctor({ DECKHAND_SANDBOX: elsewhere })).toContain(
    `✗ DECKHAND_SANDBOX: ${elsewhere} is none of the directories of replica `,
  );
  const nowhere = path.join(elsewhere, "nowhere");
  expect(await doctor({ DECKHAND_SANDBOX: nowhere })).toContain(`✗ DECKHAND_SANDBOX: ${nowhere} is not there: mount`);
  expect(existsSync(nowhere)).toBe(false);
  expect(await doctor({})).toMatch(/^✓ the directories are those of replica \S+:\d+$/mu);
});

test("a process with another secret key is refused, one with other settings is told, and the probes know how many run", async () => {
  const { one } = replicas;
  expect(JSON.parse((await one.probe("readyz")).text)).toMatchObject({ ready: true, replicas: 2 });
  const metrics = (await one.probe("metrics")).text;
  expect(metrics.match(/deckhand_replica_runs\{replica="[^"]+",state="running"\} 0/gu)).toHaveLength(2);

  const key = Buffer.alloc(32, 7).toString("base64");
  await using sealed = await createBot({ env: { ...one.env, DECKHAND_SECRET_KEY: key }, home: one.home });
  await expect(sealed.start()).rejects.toThrow(/DECKHAND_SECRET_KEY must be that of the process \d+ on /u);

  await using bold = await createBot({
    env: { ...one.env, DECKHAND_MODEL: "anthropic/claude-opus-5-5" },
    home: one.home,
  });
  await bold.start();
  expect(bold.output()).toMatch(/⚠ Settings differ from those of the process \d+ on \S+: query\. Give all the same\./u);
});

test("the page lists the processes, and one that is drained hands its run over and ends", async () => {
  const { one, other, model } = replicas;
  const gate = hold();
  model.script((_request, index) => (index === 0 ? [text("I am"), gate.part] : text("Handed over.")));
  await using there = await visitAddress(pageLink(other), browser);
  await there.say("hello");
  await gate.reached;

  await using here = await visitAddress(pageLink(one), browser);
  await here.page.goto(`${new URL(here.page.url()).origin}/#/replicas`);
  const rows = here.page.getByRole("table", { name: "Processes" }).locator("tbody tr");
  await expect.poll(() => rows.count()).toBe(2);
  const row = rows.filter({ hasText: `:${other.pid()}` });
  await expect.poll(() => row.innerText()).toContain("at work");
  await picture(here.page, "replicas");
  expect(await complaintsAbout(here.page)).toEqual([]);
  await row.getByRole("button", { name: "Drain" }).click();
  await here.page.getByRole("dialog").getByRole("button", { name: "Drain", exact: true }).click();

  await expect.poll(() => rows.count(), { timeout: 90_000 }).toBe(1);
  expect(await other.kill("SIGKILL")).toBe(0);
  expect(other.output()).toContain("Asked to hand over");
  await untilIdle(one);
  await here.page.goto(`${new URL(here.page.url()).origin}/`);
  await here.page.getByText("hello").first().click();
  await here.messages.getByText("Handed over.").waitFor();
  expect(here.complaints).toEqual([]);
});

test("deckhand drain says which processes there are, ends one, and leaves the last", async () => {
  const { one, other } = replicas;
  const env = { ...one.env, DECKHAND_HOME: one.home };
  const listed = await runCli(["drain"], { env });
  for (const bot of [one, other]) expect(listed.out).toContain(`:${bot.pid()} · version`);
  expect((await runCli(["drain", "nowhere:1"], { env })).error).toContain("✗ There is no process nowhere:1.");
  const name = listed.out.split(/\s+/u).find((word) => named(other.pid()).test(word)) ?? "";
  expect(await runCli(["drain", name], { env })).toMatchObject({
    out: expect.stringContaining("✓ It has ended."),
    failed: false,
  });
  expect(await other.kill("SIGKILL")).toBe(0);
  const [last = ""] = (await runCli(["drain"], { env })).out.trim().split(" ");
  const refused = await runCli(["drain", last], { env });
  expect(refused).toMatchObject({ error: expect.stringContaining("the only one"), failed: true });
  expect((await one.probe("readyz")).status).toBe(200);
});
