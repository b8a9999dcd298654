import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { text, toolUse } from "../../support/model/model-script.ts";
import { closeWindows, sharedBrowser } from "../../support/program/browser.ts";
import type { SlackOffice } from "../../support/talk/slack-talk.ts";
import { addAccount, consoleOffice, expectSound, link, originOf, signedIn, WIDTHS } from "../console/console-world.ts";

/** The page's sections by role and by keyboard, and its audit log. */

let browser: Browser;
let at: SlackOffice;

beforeAll(async () => {
  browser = await sharedBrowser();
  at = await consoleOffice();
  at.model.script((request) =>
    request.toolResults.length > 0
      ? text("Done.")
      : toolUse("bash", { command: "rm <b>old</b>.toml", description: "remove <b>old</b>" }),
  );
  await addAccount(at, { name: "ana", role: "admin" });
  await addAccount(at, { name: "vera", role: "viewer" });
  const page = await signedIn(at, browser, { name: "ana" });
  await link(at, page, "U0ANA");
  await page.context().close();
  const talk = at.talk({ text: "tidy up", channel: at.channel() });
  await at.until("the card", () => talk.seen().some(({ buttons }) => buttons.length > 1));
  talk.click("approve:y");
  await talk.answered(1);
});

afterAll(async () => {
  await closeWindows(browser);
  await at[Symbol.asyncDispose]();
});

const rows = (page: Page) => page.getByRole("table", { name: "Audit log" }).locator("tbody tr");
const sections = (page: Page) => page.getByRole("list", { name: "Running it" }).getByRole("link");

test("axe finds nothing in the audit log, on any screen, nor in the sections that narrow ones open", async () => {
  const page = await signedIn(at, browser, { name: "ana" });
  await page.goto(`${originOf(at)}/#/audit`);
  await rows(page).filter({ hasText: "approval.allowed" }).waitFor();
  await expectSound(page, "audit");
  await page.setViewportSize({ width: WIDTHS.narrow, height: 800 });
  await page.getByRole("button", { name: "Threads and jobs" }).click();
  await sections(page).filter({ hasText: "Audit log" }).waitFor();
  await expectSound(page, "sections", { widths: [WIDTHS.narrow] });
  await page.context().close();
});

test("by keyboard alone the log is opened, searched, and left for the session of a decision", async () => {
  const page = await signedIn(at, browser, { name: "ana" });
  await sections(page).filter({ hasText: "Audit log" }).focus();
  await page.keyboard.press("Enter");
  await rows(page).filter({ hasText: "account.added" }).first().waitFor();
  await page.getByRole("combobox", { name: "What" }).focus();
  await page.keyboard.type("approval.allowed");
  await expect.poll(() => rows(page).count()).toBe(1);
  const row = rows(page).first();
  // What tools and models say is text.
  expect(await row.textContent()).toContain("@ana");
  const decision = row.getByRole("link");
  expect(await decision.locator("b").count()).toBe(0);
  await decision.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "tidy up" }).waitFor();
  await page.goBack();
  await rows(page).first().waitFor();
  await page.context().close();
});

test("a day of 25 hours is searched to its end", async () => {
  const page = await signedIn(at, browser, { name: "ana", timezoneId: "Europe/Paris" });
  await page.goto(`${originOf(at)}/#/audit`);
  await rows(page).first().waitFor();
  const asked = page.waitForRequest((request) => request.url().includes("until=1"));
  await page.getByLabel("To").fill("2026-10-25");
  const { searchParams } = new URL((await asked).url());
  expect(searchParams.get("until")).toBe(`${Date.parse("2026-10-26T00:00+01:00")}`);
  await page.context().close();
});

test("who has linked an account, and what the command line has done, is in it", async () => {
  const page = await signedIn(at, browser, { name: "ana" });
  await page.goto(`${originOf(at)}/#/audit`);
  await rows(page).filter({ hasText: "link.added" }).filter({ hasText: "(slack:U0ANA)" }).waitFor();
  await rows(page)
    .filter({ hasText: "account.added" })
    .filter({ hasText: "vera" })
    .filter({ hasText: "command line" })
    .waitFor();
  await page.context().close();
});

test("a viewer finds no way to it, and the address says whose it is", async () => {
  const page = await signedIn(at, browser, { name: "vera" });
  expect(await sections(page).filter({ hasText: "Audit log" }).count()).toBe(0);
  await page.goto(`${originOf(at)}/#/audit`);
  await page.getByText("This is for admins.").waitFor();
  expect(await rows(page).count()).toBe(0);
  await page.goto(`${originOf(at)}/#/nothing`);
  await page.getByText("The page has no such part.").waitFor();
  await page.context().close();
});
