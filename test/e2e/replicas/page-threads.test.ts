import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PageClient } from "../../adapters/web/page-client.ts";
import { hold, text } from "../../support/model/model-script.ts";
import { pageLink, type Replicas, startReplicas } from "../../support/program/replicas.ts";

/** Two pages, each at another replica: what one does, the other shows. */

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

test("pages at two replicas are told all that either writes, in the order of its numbers", async () => {
  at.model.script((_request, index) => text(`Answer ${index}.`));
  const [here, there] = await pages();
  const threadId = await here.send("one");
  await heard(there, "Answer 0.");
  const opened = there.frames.find((frame) => frame.type === "message" && frame.thread !== null);
  expect(opened).toMatchObject({ thread: { id: threadId, title: "one" } });
  await there.send("two", threadId);
  await heard(here, "Answer 1.");
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
