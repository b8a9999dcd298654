import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { text } from "../../support/model/model-script.ts";
import { openBrowser } from "../../support/program/browser.ts";
import type { SlackOffice } from "../../support/talk/slack-talk.ts";
import { addAccount, consoleOffice, expectSound, link, originOf, signedIn } from "./console-world.ts";

/** What the work has cost, in a real browser: the sums, and the way into them. */

let browser: Browser;
let at: SlackOffice;

beforeAll(async () => {
  browser = await openBrowser();
  at = await consoleOffice();
  at.model.script(() => text("Done."));
  await addAccount(at, { name: "ana" });
  const page = await signedIn(at, browser, { name: "ana" });
  await link(at, page, "U0ANA");
  await page.context().close();
  for (const words of ["one thing", "another thing"]) await at.talk({ text: words, channel: at.channel() }).answered(1);
});

afterAll(async () => {
  await browser.close();
  await at[Symbol.asyncDispose]();
});

const rows = (page: Page, name: string) => page.getByRole("table", { name }).locator("tbody tr");

/** Dots of the chart that have the colour of its first series. */
const COLOURED = `(() => {
  const [canvas, swatch] = [document.querySelector(".chart canvas"), document.querySelector(".chart .swatch")];
  if (canvas === null || canvas.width === 0) return 0;
  const probe = document.createElement("canvas").getContext("2d");
  probe.fillStyle = getComputedStyle(swatch).color;
  probe.fillRect(0, 0, 1, 1);
  const wanted = [...probe.getImageData(0, 0, 1, 1).data].join();
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let count = 0;
  for (let at = 0; at < data.length; at += 4) if ([...data.slice(at, at + 4)].join() === wanted) count += 1;
  return count;
})()`;

const coloured = async (page: Page) => Number(await page.evaluate(COLOURED));

test("axe finds nothing in the usage, on any screen, and its chart is drawn in the colours of each", async () => {
  const page = await signedIn(at, browser, { name: "ana" });
  await page.goto(`${originOf(at)}/#/usage`);
  await rows(page, "Spent by day").first().waitFor();
  await expectSound(page, "usage");
  await page.getByRole("combobox", { name: "Summed up by" }).selectOption("model");
  await rows(page, "Spent by model").first().waitFor();
  await expectSound(page, "usage-model", { also: () => expect.poll(() => coloured(page)).toBeGreaterThan(100) });
  await page.context().close();
});

test("by keyboard alone a sum is looked into, step by step, and left again", async () => {
  const page = await signedIn(at, browser, { name: "ana" });
  await page.getByRole("list", { name: "Running it" }).getByRole("link", { name: "Usage" }).focus();
  await page.keyboard.press("Enter");
  const total = page.getByText("in channels that you see");
  await total.filter({ hasText: "2 model calls" }).waitFor();
  await page.getByRole("combobox", { name: "Summed up by" }).focus();
  await page.keyboard.type("By channel");
  const channels = rows(page, "Spent by channel");
  await expect.poll(() => channels.count()).toBe(2);
  await channels.first().getByRole("link").focus();
  await page.keyboard.press("Enter");
  await total.filter({ hasText: "1 model call" }).waitFor();
  await rows(page, "Spent by model").getByRole("link").focus();
  await page.keyboard.press("Enter");
  await rows(page, "Spent by person").filter({ hasText: "@ana" }).waitFor();
  // The address is all that it needs.
  await page.reload();
  await rows(page, "Spent by person").filter({ hasText: "@ana" }).waitFor();
  await page
    .getByRole("list", { name: "Only" })
    .getByRole("button", { name: /^Channel/u })
    .focus();
  await page.keyboard.press("Enter");
  await total.filter({ hasText: "2 model calls" }).waitFor();
  await page.goBack();
  await total.filter({ hasText: "1 model call" }).waitFor();
  await page.context().close();
});
