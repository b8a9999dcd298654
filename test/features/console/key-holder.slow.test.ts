import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Browser } from "playwright-core";
import { expect, test } from "vitest";
import { text, toolUse } from "../../support/model/model-script.ts";
import { systemOf } from "../../support/model/request-parts.ts";
import { untilIdle } from "../../support/program/bot.ts";
import { closeWindows, sharedBrowser } from "../../support/program/browser.ts";
import { type PageVisit, visitPage } from "../../support/program/page-visit.ts";
import { useShared } from "../../support/run/use-shared.ts";
import { inDatabase, privateChannel } from "../../support/talk/memory-talk.ts";
import { useSlackOffice } from "../../support/talk/shared-office.ts";
import { openSession } from "./console-world.ts";

/** The page of whoever holds this machine's key: nobody signs in, and there are no accounts. */

const office = useSlackOffice();
let browser: Browser;
/** The printed address lets one browser in. */
let visit: PageVisit;

useShared(
  async () => {
    browser = await sharedBrowser();
    visit = await visitPage(office().bot, browser);
  },
  () => closeWindows(browser),
);

const RULE = "Deploy from the main branch only.";

test("instructions in a checkout's AGENTS.md are shown as text, and apply only after approval on the page", async () => {
  const at = office(() => text("Done."));
  const root = at.bot.sandboxRoot("web-main");
  mkdirSync(path.join(root, ".git"), { recursive: true });
  writeFileSync(path.join(root, "AGENTS.md"), `${RULE} <img src=x onerror="window.hacked=1">\n`);
  const { page, messages } = visit;
  const prompt = () => systemOf(at.model.requests.at(-1)?.body);

  await visit.say("hello");
  await messages.getByText("Done.").waitFor();
  expect(prompt()).not.toContain(RULE);
  const card = messages.getByRole("listitem").filter({ hasText: "This repository has instructions for me" });
  await card.getByText("<img src=x").waitFor();
  expect(await messages.innerHTML()).not.toMatch(/<img|<[^>]* on\w+=/u);
  await card.getByRole("button", { name: "Follow it" }).click();
  await messages.getByText("Followed in this channel from now on").waitFor();

  await visit.say("and now");
  await expect.poll(() => messages.getByText("Done.").count()).toBe(2);
  expect(prompt()).toContain(RULE);
  expect(await page.evaluate("window.hacked")).toBeUndefined();
  expect(visit.complaints).toEqual([]);
});

test("the holder of this machine's key sees everything and can stop runs, but decides no approvals", async () => {
  const at = office((request) =>
    request.toolResults.length > 0 ? text("Done.") : toolUse("write", { path: "b.txt", content: "b\n" }),
  );
  const talk = at.talk({ text: "for the board", channel: privateChannel(at) });
  const { page } = visit;
  await openSession(page, "for the board");
  await page.getByText("You cannot decide this here.").waitFor();
  await page.getByText("You can only read here.").waitFor();
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await at.until("stopped", () => talk.seen().some((seen) => seen.text.includes("Stopped by @operator")));
  await page.locator(".thread-head").getByText("Stopped").waitFor();
  expect(visit.complaints).toEqual([]);
});

test("a deleted thread disappears from all windows, and one that shows it keeps the unsent draft", async () => {
  const at = office(() => text("Done."));
  const { page } = visit;
  const threads = page.getByRole("list", { name: "Threads" });
  for (const words of ["the first heron", "the second grebe"]) {
    await page.getByRole("button", { name: "New thread" }).click();
    await visit.say(words);
    await visit.messages.getByText("Done.").waitFor();
  }
  await untilIdle(at.bot);
  const other = await page.context().newPage();
  await other.goto(page.url());
  const composer = other.getByRole("textbox", { name: "Message to Deckhand" });
  await other.getByRole("list", { name: "Messages" }).getByText("Done.").waitFor();
  await composer.fill("half a sentence");
  const newest = () =>
    inDatabase(at, (database) => database.prepare<[], { seq: number }>("SELECT max(seq) AS seq FROM WebMessage").get())
      ?.seq ?? 0;
  const before = newest();
  await openSession(page, "the second grebe");
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("button", { name: "Delete for good" }).click();
  await page.getByRole("heading", { name: "Sessions" }).waitFor();
  await threads.getByText("the second grebe").waitFor({ state: "hidden" });
  await threads.getByText("the first heron").waitFor();
  await other.getByText("This thread was deleted. You can start a new one here.").waitFor();
  await other.getByRole("list", { name: "Threads" }).getByText("the second grebe").waitFor({ state: "hidden" });
  expect(await composer.inputValue()).toBe("half a sentence");
  // A page that was away misses nothing since.
  expect(newest()).toBeGreaterThan(before);
  // The session that it showed was not there any more.
  expect(visit.complaints.filter((complaint) => !complaint.includes("404"))).toEqual([]);
});

test("if a newer session continues in the thread, only the deleted session's messages disappear from all windows", async () => {
  const at = office(() => text("Done."));
  const { page, messages } = visit;
  await page.getByRole("button", { name: "New thread" }).click();
  await visit.say("the third crane");
  await messages.getByText("Done.").waitFor();
  await visit.say("/new");
  await page.getByText("A new session starts here").first().waitFor();
  await visit.say("the fourth egret");
  await expect.poll(() => messages.getByText("Done.").count()).toBe(2);
  await untilIdle(at.bot);
  const other = await page.context().newPage();
  await other.goto(page.url());
  const shown = other.getByRole("list", { name: "Messages" });
  await shown.getByText("the third crane").waitFor();
  await openSession(page, "the third crane");
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("button", { name: "Delete for good" }).click();
  await page.getByRole("heading", { name: "Sessions" }).waitFor();
  await shown.getByText("the third crane").waitFor({ state: "hidden" });
  await shown.getByText("the fourth egret").waitFor();
  expect(await shown.getByText("Done.").count()).toBe(1);
});
