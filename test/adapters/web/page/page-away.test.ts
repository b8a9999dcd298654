import { expect, test } from "vitest";
import type { ThreadRef } from "../../../../src/core/platform/thread.ts";
import { plainMessage } from "../../../contracts/platform-steps.ts";
import { usePage } from "./page-under-test.ts";

/** Tests of what a page makes up for that was disconnected for a while. */

let tellErased: (threadId: string, isWhole: boolean) => void;

const at = usePage(() => ({
  onThreadErased: (tell) => {
    tellErased = tell;
  },
}));
const { messages, say } = at;

/** Does something while the page is disconnected. */
async function whileAway(change: () => unknown): Promise<void> {
  await at.platform.stop();
  await at.page.getByText(/Connection lost/u).waitFor();
  await change();
  await at.restart();
  await at.page.getByText(/Connection lost/u).waitFor({ state: "detached" });
}

/** More messages than the page loads at once. */
const MORE = 220;

/** Posts more than the page loads at once, by default twice over. */
async function fill({ threadId }: ThreadRef, from = 0, to = 420): Promise<void> {
  for (let index = from; index < to; index += 1) {
    const body = JSON.stringify({ by: "deckhand", markdown: `line ${index}`, tone: "plain", buttons: [], files: [] });
    const id = `m${index}`;
    await at.store.insert({ id, threadId: threadId ?? "", key: id, fromPerson: false, at: Date.now(), body }, null);
  }
}

const shown = async () => (await messages().locator(".markdown").allTextContents()).map((text) => text.trim());

test("what was deleted of a thread goes, what was changed and added comes, and the rest stays", async () => {
  const other = await say("an auk");
  await at.platform.post(other, plainMessage("puffin"), "puffin");
  await messages().getByText("puffin").waitFor();
  await at.page.getByRole("button", { name: "New thread" }).click();
  const thread = await say("a heron");
  for (const word of ["grebe", "crane", "egret"]) await at.platform.post(thread, plainMessage(word), word);
  await messages().getByText("egret").waitFor();
  await whileAway(async () => {
    for (const key of ["puffin", "grebe", "egret"])
      at.store.deleteMessage((await at.store.messageByKey(key))?.id ?? "");
    await at.platform.edit(await at.platform.post(thread, plainMessage("ibis"), "ibis"), plainMessage("stork"));
  });
  await expect.poll(shown).toEqual(["a heron", "crane", "stork"]);
  await at.page.getByRole("link", { name: "an auk" }).click();
  await expect.poll(shown).toEqual(["an auk"]);
});

test("an earlier message that is changed before it is loaded leaves no gap behind it", async () => {
  const thread = await say("go");
  const card = await at.platform.post(thread, plainMessage("a card"), "card");
  await whileAway(() => fill(thread));
  await at.page.reload();
  const earlier = at.page.getByRole("button", { name: "Show earlier messages" });
  await earlier.waitFor({ state: "attached" });
  await whileAway(() => at.platform.edit(card, plainMessage("decided")));
  await at.platform.edit(card, plainMessage("decided again"));
  await at.platform.edit({ ...card, messageId: "m419" }, plainMessage("the end"));
  await messages().getByText("the end").waitFor();
  expect(await shown()).toHaveLength(200);
  for (const words of ["line 219", "decided again"]) {
    await earlier.click();
    await messages().getByText(words, { exact: true }).waitFor({ state: "attached" });
  }
  expect(await shown()).toHaveLength(422);
});

test("a thread with an early message that was changed shows its newest messages when it is opened", async () => {
  const thread = await say("go");
  const card = await at.platform.post(thread, plainMessage("a card"), "card");
  await at.page.getByRole("button", { name: "New thread" }).click();
  await whileAway(() => fill(thread, 0, MORE));
  await at.platform.edit(card, plainMessage("decided"));
  await at.page.getByRole("link", { name: "go" }).click();
  await messages().getByText("line 219").waitFor();
  await at.platform.edit({ ...card, messageId: "m219" }, plainMessage("the end"));
  await messages().getByText("the end").waitFor();
  expect(await shown()).toHaveLength(200);
});

test("a reader keeps the place while messages of the thread are deleted", async () => {
  const thread = await say("go");
  await whileAway(() => fill(thread));
  await messages().getByText("line 419").waitFor();
  const scroller = at.page.locator(".scroller");
  await scroller.hover();
  await at.page.mouse.wheel(0, -3_000);
  const seen = messages().getByText("line 380");
  const top = async () => Math.round((await seen.boundingBox())?.y ?? -1);
  await seen.scrollIntoViewIfNeeded();
  const before = await top();
  for (const id of ["m400", "m410"]) at.store.deleteMessage(id);
  tellErased(thread.threadId ?? "", false);
  await messages().getByText("line 410").waitFor({ state: "detached" });
  expect(await shown()).toContain("line 419");
  expect(await top()).toBe(before);
});

test("earlier messages that the reader has loaded stay, except those that were deleted", async () => {
  const thread = await say("go");
  await whileAway(() => fill(thread));
  await at.page.reload();
  const earlier = at.page.getByRole("button", { name: "Show earlier messages" });
  for (const words of ["line 219", "go"]) {
    await earlier.click();
    await messages().getByText(words, { exact: true }).waitFor({ state: "attached" });
  }
  await expect.poll(async () => (await shown()).length).toBe(421);
  await whileAway(() => ["m0", "m100", "m300"].forEach((id) => at.store.deleteMessage(id)));
  await expect.poll(async () => (await shown()).length).toBe(418);
  expect((await shown()).slice(0, 2)).toEqual(["go", "line 1"]);
  await earlier.waitFor({ state: "detached" });
});

test("a reader keeps the place and what is loaded, however much has come meanwhile", async () => {
  const thread = await say("go");
  await whileAway(() => fill(thread, 0, MORE));
  await messages().getByText("line 219").waitFor();
  const seen = messages().getByText("line 100", { exact: true });
  await at.page.locator(".scroller").hover();
  await at.page.mouse.wheel(0, -100);
  await seen.scrollIntoViewIfNeeded();
  const top = async () => Math.round((await seen.boundingBox())?.y ?? -1);
  const before = await top();
  await whileAway(async () => {
    await fill(thread, MORE, 640);
    at.store.deleteMessage("m110");
  });
  await messages().getByText("line 639", { exact: true }).waitFor({ state: "attached" });
  await messages().getByText("line 110", { exact: true }).waitFor({ state: "detached" });
  expect(await top()).toBe(before);
  const lines = Array.from({ length: 640 }, (_, index) => `line ${index}`).filter((line) => line !== "line 110");
  expect(await shown()).toEqual(["go", ...lines]);
});
