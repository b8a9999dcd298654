import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeWindows, sharedBrowser } from "../../support/program/browser.ts";
import type { SlackOffice } from "../../support/talk/slack-talk.ts";
import { addAccount, consoleOffice, expectSound, originOf, signedIn } from "../console/console-world.ts";

/** The providers of models in a real browser. */

let browser: Browser;
let at: SlackOffice;

beforeAll(async () => {
  browser = await sharedBrowser();
  at = await consoleOffice();
  await addAccount(at, { name: "ana", role: "admin" });
  await addAccount(at, { name: "vera", role: "viewer" });
});

afterAll(async () => {
  await closeWindows(browser);
  await at[Symbol.asyncDispose]();
});

const rows = (page: Page) => page.getByRole("table", { name: "Providers" }).locator("tbody tr");

test("axe finds nothing in the providers and their models, on any screen", async () => {
  const page = await signedIn(at, browser, { name: "ana" });
  await page.goto(`${originOf(at)}/#/providers`);
  await rows(page).first().waitFor();
  await expectSound(page, "providers");
  await page.goto(`${originOf(at)}/#/providers/anthropic`);
  await page.getByRole("table", { name: "Models of anthropic" }).waitFor();
  await expectSound(page, "models");
  await page.context().close();
});

test("by keyboard alone a provider's models are opened and left, and its key is tried", async () => {
  const page = await signedIn(at, browser, { name: "ana" });
  await page.getByRole("list", { name: "Running it" }).getByRole("link", { name: "Providers" }).focus();
  await page.keyboard.press("Enter");
  await rows(page).filter({ hasText: "Anthropic" }).filter({ hasText: "from" }).waitFor();
  await page.getByRole("link", { name: /^Models of Anthropic/u }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("table", { name: "Models of anthropic" }).waitFor();
  await page.getByRole("link", { name: "All providers" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Test Anthropic" }).focus();
  await page.keyboard.press("Enter");
  await page
    .getByRole("status")
    .filter({ hasText: /[✓✗] Anthropic: /u })
    .waitFor();
  await page.context().close();
});

test("a viewer sees which providers have a key, and can try none", async () => {
  const page = await signedIn(at, browser, { name: "vera" });
  await page.goto(`${originOf(at)}/#/providers`);
  await rows(page).filter({ hasText: "Anthropic" }).waitFor();
  expect(await page.getByRole("button", { name: /^Test/u }).count()).toBe(0);
  await page.context().close();
});
