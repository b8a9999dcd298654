import { randomUUID } from "node:crypto";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { openSocket, socketPath } from "../../../src/adapters/terminal/socket.ts";
import { TerminalClient } from "../../adapters/terminal/terminal-client.ts";
import { PageClient } from "../../adapters/web/page-client.ts";
import { hold, text } from "../../support/model/model-script.ts";
import type { Bot } from "../../support/program/bot.ts";
import { pageLink, type Replicas, startReplicas } from "../../support/program/replicas.ts";

/** Two programs on one database, pages at each: what one does, the other shows, and either does what is done once. */

let at: Replicas;

beforeAll(async () => {
  at = await startReplicas();
});

afterAll(() => at[Symbol.asyncDispose]());

async function pages(): Promise<readonly [PageClient, PageClient]> {
  const [here, there] = await Promise.all([PageClient.open(pageLink(at.one)), PageClient.open(pageLink(at.other))]);
  await Promise.all([here.hello(), there.hello()]);
  return [here, there];
}

/** What a page has been told, message by message. */
function told(page: PageClient) {
  return page.frames.flatMap((frame) => (frame.type === "message" ? [frame.message] : []));
}

const heard = (page: PageClient, words: string) =>
  page.next("message", ({ message }) => message.body.markdown.includes(words));

const listSchema = z.object({ sessions: z.array(z.object({ id: z.string(), title: z.string(), state: z.string() })) });
const sessionSchema = z.object({ state: z.string(), entries: z.array(z.object({ markdown: z.string().optional() })) });

/** An answer as a page puts it together from what it is told. */
function written(page: PageClient): string {
  let all = "";
  for (const frame of page.frames)
    if (frame.type === "sessions" && frame.news?.type === "text") all = all.slice(0, frame.news.at) + frame.news.text;
  return all;
}

function roles(bot: Bot): string[] {
  return [...bot.output().matchAll(/"role":"([^"]+)","event":"role_taken"/gu)].map(([, role = ""]) => role).toSorted();
}

test("one of two has the terminals' socket and what is done once, and the other has it all when that one is killed", async () => {
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

  await holder.kill("SIGKILL");
  await expect.poll(() => ours(heir)).toEqual(wanted);
  await expect.poll(async () => (await openSocket(socket))?.destroy() !== undefined).toBe(true);
  at.model.script(() => text("It is there again."));
  const again = await TerminalClient.open(socket);
  again.say({ type: "send", clientId: randomUUID(), threadId, text: "and again", fileIds: [] });
  await again.next("message", ({ message }) => message.body.markdown === "It is there again.");
  again.drop();
  expect(heir.output()).not.toMatch(/"level":(50|60)/u);
  await holder.start();
});

test("pages at two replicas are told all that either writes, in the order of its numbers", async () => {
  at.model.script(() => text("The first answer."));
  const [here, there] = await pages();
  const threadId = await here.send("one");
  await heard(there, "The first answer.");
  const opened = there.frames.find((frame) => frame.type === "message" && frame.thread !== null);
  expect(opened).toMatchObject({ thread: { id: threadId, title: "one" } });
  at.model.script(() => text("The second answer."));
  await there.send("two", threadId);
  await heard(here, "The second answer.");
  // Many at once, by both: a number that was passed over would never be read.
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

test("a run is stopped from the page of another replica, which is told of it as it goes on", async () => {
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

test("an answer is read at both replicas while it is written, from its beginning, and its end is told at once", async () => {
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

test("lists of both replicas are told of a run that begins and ends at either", async () => {
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

test("a page whose replica is killed comes back at another one and has missed nothing", async () => {
  at.model.script(() => text("It was so."));
  const [here, there] = await pages();
  const threadId = await here.send("before");
  const { message } = await heard(here, "It was so.");
  at.model.script(() => text("It is so."));
  await at.one.kill("SIGKILL");
  await there.send("meanwhile", threadId);
  await heard(there, "It is so.");
  const again = await PageClient.open(pageLink(at.other));
  const { changes } = await again.hello(message.seq);
  const missed = changes?.map(({ body }) => body.markdown);
  expect(missed).toEqual(expect.arrayContaining(["meanwhile", "It is so."]));
  await Promise.all([again.drop(), there.drop()]);
});
