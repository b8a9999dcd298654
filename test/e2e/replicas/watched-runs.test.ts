import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { PageClient } from "../../adapters/web/page-client.ts";
import { hold, text } from "../../support/model/model-script.ts";
import { pageLink, type Replicas, startReplicas } from "../../support/program/replicas.ts";

/** Whichever replica has a run, the pages of each show what goes on in it. */

let at: Replicas;

beforeAll(async () => {
  at = await startReplicas();
});

afterAll(() => at[Symbol.asyncDispose]());

const listSchema = z.object({ sessions: z.array(z.object({ id: z.string(), title: z.string(), state: z.string() })) });
const sessionSchema = z.object({ state: z.string(), entries: z.array(z.object({ markdown: z.string().optional() })) });

/** An answer as a page puts it together from what it is told. */
function written(page: PageClient): string {
  let all = "";
  for (const frame of page.frames)
    if (frame.type === "sessions" && frame.news?.type === "text") all = all.slice(0, frame.news.at) + frame.news.text;
  return all;
}

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
  await here?.send("one");
  await there?.send("two");
  for (const page of pages) {
    const ended = async () => listSchema.parse(await (await page.fetch("/sessions?state=done")).json()).sessions;
    await expect
      .poll(async () => (await ended()).map(({ title }) => title))
      .toEqual(expect.arrayContaining(["one", "two"]));
    for (const { id, title } of await ended())
      if (title !== "tell me")
        await page.next("sessions", ({ news }) => news?.type === "changed" && news.sessionIds.includes(id));
  }
  await Promise.all(pages.map((page) => page.drop()));
});
