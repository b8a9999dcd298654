import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { expect, test } from "vitest";
import { text } from "../../support/model/model-script.ts";
import { closeWindows, sharedBrowser } from "../../support/program/browser.ts";
import { useShared } from "../../support/run/use-shared.ts";
import type { SlackOffice } from "../../support/talk/slack-talk.ts";
import { addAccount, link, openToAll, picture, signedIn } from "./console-world.ts";
import { type SeededSession, seedManySessions } from "./seed.ts";

/** A team's months on the page: two thousand sessions in forty channels, half of which others have for themselves. */

const SESSIONS = 2_000;
const CHANNELS = 40;
const OUTCOMES = ["end_turn", "end_turn", "end_turn", "error", "cancelled"] as const;

let browser: Browser;
let at: SlackOffice;
let page: Page;

useShared(
  async () => {
    browser = await sharedBrowser();
    at = await openToAll();
    at.model.script(() => text("Done."));
    await seedManySessions(
      path.join(at.bot.home, "data/deckhand.db"),
      Array.from({ length: SESSIONS }, (_, index) => seeded(index)),
    );
    const { workspace } = at.slack;
    // Each channel has the bot and one person as members.
    for (let channel = 0; channel < CHANNELS; channel += 1) {
      const members = new Set([channel % 2 === 0 ? "U0ANA" : "U0BOB", workspace.botUserId]);
      const id = `C9${channel}`;
      workspace.channels.set(id, {
        id,
        name: `room-${channel}`,
        kind: "channel",
        isPrivate: true,
        members,
        gone: false,
      });
    }
    await at.bot.start();
    await addAccount(at, { name: "ana" });
    page = await signedIn(at, browser, { name: "ana" });
    await link(at, page, "U0ANA");
  },
  async () => {
    await closeWindows(browser);
    await at[Symbol.asyncDispose]();
  },
);

function seeded(index: number): SeededSession {
  const said = Array.from({ length: 10 }, (_, line) => `line ${line} of ${index}: ${"words ".repeat(20)}`);
  return {
    id: `s${index}`,
    channelKey: `slack:C9${index % CHANNELS}`,
    title: `number ${index} asks for something`,
    said: index === 7 ? [...said, "the heron is grey"] : index === 8 ? [...said, "the heron was white"] : said,
    outcome: OUTCOMES[index % OUTCOMES.length] ?? "end_turn",
    costUsd: index / 1_000,
    at: Date.UTC(2026, 0, 1) + index * 60_000,
  };
}

const rows = () => page.getByRole("list", { name: "Sessions" }).getByRole("link");

async function openList(): Promise<void> {
  await page.getByRole("navigation").getByRole("link", { name: "Sessions" }).click();
  await rows().first().waitFor();
}

test("scrolling through two thousand sessions renders only a few rows at a time", async () => {
  await openList();
  await rows()
    .filter({ hasText: `number ${SESSIONS - 2} asks` })
    .waitFor();
  await picture(page, "many");
  const drawn: number[] = [];
  const isAtEnd = async (): Promise<boolean> => {
    await page.locator(".scroller").evaluate((element) => element.scrollTo(0, element.scrollHeight));
    drawn.push(await rows().count());
    return (await rows().filter({ hasText: "number 0 asks" }).count()) > 0;
  };
  await expect.poll(isAtEnd, { timeout: 120_000, interval: 50 }).toBe(true);
  expect(Math.max(...drawn)).toBeLessThan(100);
  // The list has the sessions of Ana's channels and of the page.
  const last = page.getByRole("list", { name: "Sessions" }).getByRole("listitem").last();
  await expect.poll(() => last.getAttribute("aria-setsize")).toBe(String(SESSIONS / 2));
  expect(await last.getAttribute("aria-posinset")).toBe(String(SESSIONS / 2));
});

test("returning from a session restores the list's scroll position", async () => {
  const scroller = page.locator(".scroller");
  const top = () => scroller.evaluate((element) => element.scrollTop);
  const row = rows().filter({ hasText: "number 958 asks" });
  await openList();
  // More of the list comes as it is scrolled.
  const isThere = async (): Promise<boolean> => {
    await scroller.evaluate((element) => element.scrollTo(0, 30_000));
    return (await top()) === 30_000 && (await row.count()) === 1;
  };
  await expect.poll(isThere).toBe(true);
  await row.click();
  await page.getByRole("heading", { name: "number 958 asks" }).waitFor();
  await page.goBack();
  await row.waitFor();
  expect(await top()).toBe(30_000);
  expect(await row.evaluate((link) => link === link.ownerDocument.activeElement)).toBe(true);
});

test("a search finds a word in one of twenty thousand messages, and none in an invisible channel", async () => {
  await openList();
  await page.getByRole("searchbox", { name: "Search sessions" }).fill("the heron");
  await rows().filter({ hasText: "number 8 asks" }).waitFor();
  await page.getByText("1 session", { exact: true }).waitFor({ state: "attached" });
  expect(await rows().count()).toBe(1);
});
