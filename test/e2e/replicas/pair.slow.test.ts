import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import path from "node:path";
import type { Browser } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { openSocket, socketPath } from "../../../src/adapters/terminal/socket.ts";
import { TerminalClient } from "../../adapters/terminal/terminal-client.ts";
import { PageClient } from "../../adapters/web/page-client.ts";
import { complaintsAbout, picture } from "../../features/console/console-world.ts";
import { hold, text } from "../../support/model/model-script.ts";
import { type Bot, createBot, untilIdle } from "../../support/program/bot.ts";
import { closeWindows, sharedBrowser } from "../../support/program/browser.ts";
import { runCli } from "../../support/program/cli.ts";
import { visitAddress } from "../../support/program/page-visit.ts";
import { pageLink, type Replicas, startReplicas } from "../../support/program/replicas.ts";
import { useShared } from "../../support/run/use-shared.ts";
import { tempDirectory } from "../../support/temp-directory.ts";

/**
 * Two programs on one database, with a page at each: each shows what happens at the other, either does work exactly
 * once, and an operator can look after both.
 */

let browser: Browser;
let at: Replicas;

useShared(
  async () => {
    [browser, at] = await Promise.all([sharedBrowser(), startReplicas()]);
  },
  async () => {
    await at[Symbol.asyncDispose]();
    await closeWindows(browser);
  },
);

/** Starts a replica again that a test has ended. */
beforeEach(async () => {
  for (const bot of [at.one, at.other]) if (!bot.isAlive()) await bot.start();
  const count = async () => JSON.parse((await at.one.probe("readyz")).text).replicas;
  await expect.poll(count).toBe(2);
});

async function pages(): Promise<readonly [PageClient, PageClient]> {
  const [here, there] = await Promise.all([PageClient.open(pageLink(at.one)), PageClient.open(pageLink(at.other))]);
  await Promise.all([here.hello(), there.hello()]);
  return [here, there];
}

/** Messages that a page has received, in order. */
function told(page: PageClient) {
  return page.frames.flatMap((frame) => (frame.type === "message" ? [frame.message] : []));
}

const heard = (page: PageClient, words: string) =>
  page.next("message", ({ message }) => message.body.markdown.includes(words));

const listSchema = z.object({ sessions: z.array(z.object({ id: z.string(), title: z.string(), state: z.string() })) });
const sessionSchema = z.object({ state: z.string(), entries: z.array(z.object({ markdown: z.string().optional() })) });

/** The answer as a page assembles it from the parts that it receives. */
function written(page: PageClient): string {
  let all = "";
  for (const frame of page.frames)
    if (frame.type === "sessions" && frame.news?.type === "text") all = all.slice(0, frame.news.at) + frame.news.text;
  return all;
}

function roles(bot: Bot): string[] {
  return [...bot.output().matchAll(/"role":"([^"]+)","event":"role_taken"/gu)].map(([, role = ""]) => role).toSorted();
}

test("when the replica with the terminal socket and the singleton roles is killed, the other takes them over, and its page misses nothing", async () => {
  at.model.script(() => text("It is there."));
  const socket = socketPath(path.join(at.one.home, "data"), true);
  const wanted = ["memory:work", "retention:deletions", `terminal:${socket}`];
  const ours = (bot: Bot) => roles(bot).filter((role) => wanted.includes(role));
  await expect.poll(() => [...ours(at.one), ...ours(at.other)].toSorted()).toEqual(wanted);
  const [holder, heir] = ours(at.one).includes(`terminal:${socket}`) ? [at.one, at.other] : [at.other, at.one];

  const terminal = await TerminalClient.open(socket);
  const threadId = randomUUID();
  terminal.say({ type: "send", clientId: threadId, threadId: null, text: "hello", fileIds: [] });
  await terminal.next("message", ({ message }) => message.body.markdown === "It is there.");
  const [here, there] = await Promise.all([holder, heir].map((bot) => PageClient.open(pageLink(bot))));
  if (here === undefined || there === undefined) throw new Error("two pages");
  await Promise.all([here.hello(), there.hello()]);
  const onPage = await here.send("before");
  const { message } = await heard(here, "It is there.");

  at.model.script(() => text("It is there again."));
  await holder.kill("SIGKILL");
  await there.send("meanwhile", onPage);
  await heard(there, "It is there again.");
  const again = await PageClient.open(pageLink(heir));
  const missed = (await again.hello(message.seq)).changes?.map(({ body }) => body.markdown);
  expect(missed).toEqual(expect.arrayContaining(["meanwhile", "It is there again."]));

  await expect.poll(() => ours(heir)).toEqual(wanted);
  await expect.poll(async () => (await openSocket(socket))?.destroy() !== undefined).toBe(true);
  const returned = await TerminalClient.open(socket);
  returned.say({ type: "send", clientId: randomUUID(), threadId, text: "and again", fileIds: [] });
  await returned.next("message", (frame) => frame.message.body.markdown === "It is there again.");
  returned.drop();
  expect(heir.output()).not.toMatch(/"level":(50|60)/u);
  await Promise.all([again.drop(), there.drop()]);
});

test("pages at two replicas receive all messages of both, in sequence", async () => {
  at.model.script(() => text("The first answer."));
  const [here, there] = await pages();
  const threadId = await here.send("one");
  await heard(there, "The first answer.");
  const opened = there.frames.find((frame) => frame.type === "message" && frame.thread !== null);
  expect(opened).toMatchObject({ thread: { id: threadId, title: "one" } });
  at.model.script(() => text("The second answer."));
  await there.send("two", threadId);
  await heard(here, "The second answer.");
  // Both write many messages at once: the page would never read a sequence number that it has skipped.
  const many = Array.from({ length: 10 }, (_, index) => index);
  await Promise.all(many.flatMap((index) => [here.send(`/help here ${index}`), there.send(`/help there ${index}`)]));
  const { seq } = await here.hello();
  for (const page of [here, there]) {
    await page.next("message", ({ message }) => message.seq >= seq);
    const numbers = told(page).map((message) => message.seq);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    const said = new Set(told(page).map(({ body }) => body.markdown));
    for (const index of many) for (const by of ["here", "there"]) expect(said).toContain(`/help ${by} ${index}`);
  }
  await Promise.all([here.drop(), there.drop()]);
});

test("a run can be stopped from a page of another replica, which shows its progress", async () => {
  const gate = hold();
  at.model.script(() => [text("The first half, "), gate.part, text("the second half.")]);
  const [here, there] = await pages();
  await here.send("a long story");
  await gate.reached;
  await Promise.all([heard(here, "The first half"), heard(there, "The first half")]);
  const live = told(there).findLast(({ body }) => body.buttons.some(({ id }) => id.startsWith("stop:")));
  const clickId = randomUUID();
  const action = live?.body.buttons.find(({ id }) => id.startsWith("stop:"))?.id ?? "";
  there.say({ type: "click", clickId, messageId: live?.id ?? "", action });
  await there.next("clicked", (frame) => frame.clickId === clickId);
  await Promise.all([heard(here, "Stopped by"), heard(there, "Stopped by")]);
  gate.release();
  await Promise.all([here.drop(), there.drop()]);
});

test("an answer is streamed at both replicas from its beginning, and its end is shown at once", async () => {
  const long = "A long beginning. ".repeat(200);
  const [first, second] = [hold(), hold()];
  at.model.script(() => [text(long), first.part, text("The middle. "), second.part, text("The end.")]);
  const pages = await Promise.all([at.one, at.other].map((bot) => PageClient.open(pageLink(bot))));
  const [here = await PageClient.open(pageLink(at.one))] = pages;
  await here.send("tell me");
  await first.reached;
  const { sessions } = listSchema.parse(await (await here.fetch("/sessions")).json());
  const id = sessions.find(({ title }) => title === "tell me")?.id ?? "";
  for (const page of pages) page.say({ type: "watch", watched: { kind: "session", id } });
  for (const page of pages) await expect.poll(() => written(page)).toBe(long);
  first.release();
  await second.reached;
  for (const page of pages) await expect.poll(() => written(page)).toBe(`${long}The middle. `);

  const told = pages.map(({ frames }) => frames.length);
  second.release();
  for (const [index, page] of pages.entries()) {
    const look = async () => sessionSchema.parse(await (await page.fetch(`/sessions/${id}`)).json());
    await expect.poll(async () => (await look()).state).toBe("done");
    await page.next("sessions", ({ news }) => news?.type === "changed" && news.sessionIds.includes(id), told[index]);
    expect((await look()).entries.some(({ markdown = "" }) => markdown.includes("The end."))).toBe(true);
  }
  await Promise.all(pages.map((page) => page.drop()));
});

test("session lists at both replicas show runs that start and end at either", async () => {
  at.model.script(() => text("It is."));
  const pages = await Promise.all([at.one, at.other].map((bot) => PageClient.open(pageLink(bot))));
  for (const page of pages) page.say({ type: "watch", watched: { kind: "list" } });
  const [here, there] = pages;
  for (const page of pages) await page.hello();
  await here?.send("the first");
  await there?.send("the second");
  for (const page of pages) {
    const ended = async () => listSchema.parse(await (await page.fetch("/sessions?state=done")).json()).sessions;
    await expect
      .poll(async () => (await ended()).map(({ title }) => title))
      .toEqual(expect.arrayContaining(["the first", "the second"]));
    for (const { id, title } of await ended())
      if (title.startsWith("the "))
        await page.next("sessions", ({ news }) => news?.type === "changed" && news.sessionIds.includes(id));
  }
  await Promise.all(pages.map((page) => page.drop()));
});

function named(pid: number): RegExp {
  return new RegExp(`:${pid}$`, "u");
}

test("doctor lists the processes, and what prevents another one from joining", async () => {
  const { one, other } = at;
  const env = { ...one.env, DECKHAND_HOME: one.home, PORT: "0" };
  const { out } = await runCli(["doctor"], {
    env: { ...env, DECKHAND_SECRET_KEY: Buffer.alloc(32, 7).toString("base64") },
  });
  for (const bot of [one, other])
    expect(out).toMatch(new RegExp(`✓ processes on the database: .*:${bot.pid()}\\b`, "u"));
  expect(out).toMatch(/✗ DECKHAND_SECRET_KEY must be the same as in the process \d+ on /u);
  const doctor = async (given: Readonly<Record<string, string>>) =>
    (await runCli(["doctor"], { cwd: one.home, env: { ...one.env, PORT: "0", ...given } })).out;
  const elsewhere = tempDirectory();
  expect(await doctor({ DECKHAND_SANDBOX: elsewhere })).toContain(
    `✗ DECKHAND_SANDBOX: ${elsewhere} is not one of the directories of replica `,
  );
  const nowhere = path.join(elsewhere, "nowhere");
  expect(await doctor({ DECKHAND_SANDBOX: nowhere })).toContain(`✗ DECKHAND_SANDBOX: ${nowhere} does not exist. Mount`);
  expect(existsSync(nowhere)).toBe(false);
  expect(await doctor({})).toMatch(/^✓ the directories are the same as those of replica \S+:\d+$/mu);
});

test("a process with another secret key is refused, one with other settings is warned, and probes report the number of replicas", async () => {
  const { one } = at;
  expect(JSON.parse((await one.probe("readyz")).text)).toMatchObject({ ready: true, replicas: 2 });
  const metrics = (await one.probe("metrics")).text;
  expect(metrics.match(/deckhand_replica_runs\{replica="[^"]+",state="running"\} 0/gu)).toHaveLength(2);

  const key = Buffer.alloc(32, 7).toString("base64");
  await using sealed = await createBot({ env: { ...one.env, DECKHAND_SECRET_KEY: key }, home: one.home });
  await expect(sealed.start()).rejects.toThrow(/DECKHAND_SECRET_KEY must be the same as in the process \d+ on /u);

  await using bold = await createBot({
    env: { ...one.env, DECKHAND_MODEL: "anthropic/claude-opus-5-5" },
    home: one.home,
  });
  await bold.start();
  const differs =
    /Settings differ from those of the process \d+ on \S+: DECKHAND_MODEL \("anthropic\/claude-opus-5-5" here, "anthropic\/claude-sonnet-5-5" there\)\. Use the same settings everywhere/u;
  expect(bold.output()).toMatch(differs);
  const probed = JSON.parse((await bold.probe("readyz")).text);
  expect(probed).toMatchObject({ ready: true, replicas: 3, otherSettings: ["DECKHAND_MODEL"] });
  expect((await bold.probe("metrics")).text).toContain("deckhand_other_settings 1");
  await using page = await visitAddress(pageLink(bold), browser);
  await page.page.goto(`${new URL(page.page.url()).origin}/#/settings`);
  await page.page.getByText(differs).first().waitFor();
});

test("the page lists the processes, and a drained one hands its run over and ends", async () => {
  const { one, other, model } = at;
  const gate = hold();
  model.forget();
  model.script((_request, index) => (index === 0 ? [text("I am"), gate.part] : text("Handed over.")));
  await using there = await visitAddress(pageLink(other), browser);
  await there.say("look after the harbour");
  await gate.reached;

  await using here = await visitAddress(pageLink(one), browser);
  await here.page.goto(`${new URL(here.page.url()).origin}/#/replicas`);
  const rows = here.page.getByRole("table", { name: "Processes" }).locator("tbody tr");
  await expect.poll(() => rows.count()).toBe(2);
  const row = rows.filter({ hasText: `:${other.pid()}` });
  await expect.poll(() => row.innerText()).toContain("running");
  await picture(here.page, "replicas");
  expect(await complaintsAbout(here.page)).toEqual([]);
  await row.getByRole("button", { name: "Drain" }).click();
  await here.page.getByRole("dialog").getByRole("button", { name: "Drain", exact: true }).click();

  await expect.poll(() => rows.count(), { timeout: 90_000 }).toBe(1);
  expect(await other.ended()).toBe(0);
  expect(other.output()).toContain("Asked to hand over");
  await untilIdle(one);
  await here.page.goto(`${new URL(here.page.url()).origin}/`);
  await here.page.getByText("look after the harbour").first().click();
  await here.messages.getByText("Handed over.").waitFor();
  expect(here.complaints).toEqual([]);
});

test("deckhand drain lists the processes, drains one, and refuses the last", async () => {
  const { one, other } = at;
  const env = { ...one.env, DECKHAND_HOME: one.home };
  const listed = await runCli(["drain"], { env });
  for (const bot of [one, other]) expect(listed.out).toContain(`:${bot.pid()} · version`);
  expect((await runCli(["drain", "nowhere:1"], { env })).error).toContain("✗ There is no process nowhere:1.");
  const name = listed.out.split(/\s+/u).find((word) => named(other.pid()).test(word)) ?? "";
  expect(await runCli(["drain", name], { env })).toMatchObject({
    out: expect.stringContaining("✓ It has exited."),
    failed: false,
  });
  expect(await other.ended()).toBe(0);
  const [last = ""] = (await runCli(["drain"], { env })).out.trim().split(" ");
  const refused = await runCli(["drain", last], { env });
  expect(refused).toMatchObject({ error: expect.stringContaining("the only process"), failed: true });
  expect((await one.probe("readyz")).status).toBe(200);
});
