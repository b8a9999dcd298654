import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeWindows, sharedBrowser } from "../../../support/program/browser.ts";
import { addAccount, consoleOffice, expectSound, handMade, originOf, signedIn } from "../../console/console-world.ts";
import { guardedServer } from "./authority.ts";

/** Signing in on the web page, in a real browser over the whole program and a real authorization server. */

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});
afterAll(() => closeWindows(browser));

const part = (page: Page) => page.getByRole("region", { name: /^web /u });
const told = (page: Page) => part(page).getByRole("status").first();
const button = (page: Page, name: string) => part(page).getByRole("button", { name, exact: true });

test("an admin signs in on the page and returns to a connected server; others cannot", async () => {
  const server = await guardedServer();
  await using at = await consoleOffice({ mcpServers: { web: server.settings } });
  await addAccount(at, { name: "ana", role: "admin" });
  await addAccount(at, { name: "olga", role: "operator" });

  const other = await signedIn(at, browser, { name: "olga", section: "mcp" });
  await part(other).getByText("it requires a sign-in").waitFor();
  await part(other).getByText("An admin signs in here.").waitFor();
  expect(await button(other, "Sign in to web").count()).toBe(0);
  for (const path of ["sign-in", "signed-in", "sign-out"]) {
    expect(await handMade(other, `/features/mcp/${path}`, { name: "web", begun: "", answer: "" })).toMatchObject({
      status: 403,
      body: expect.stringContaining("Only admins may do this"),
    });
  }

  const page = await signedIn(at, browser, { name: "ana", section: "mcp" });
  await page.goto(`${originOf(at)}/?code=forged&state=forged`);
  await page.getByText("a sign-in that was not begun in this tab").waitFor();
  await page.goto(`${originOf(at)}/#/mcp`);
  await button(page, "Sign in to web").waitFor();
  await expectSound(page, "mcp-sign-in");

  await button(page, "Sign in to web").press("Enter");
  await page.getByLabel("Who are you?").waitFor();
  await page.goto(`${page.url()}?deny`);
  await told(page).getByText("says that the sign-in was denied.").waitFor();
  expect(server.tokens).toEqual([]);

  await button(page, "Sign in to web").click();
  await page.getByLabel("Who are you?").fill("ana");
  await page.keyboard.press("Enter");
  await told(page).getByText("✓ Signed in, and connected.").waitFor();
  expect(page.url()).toBe(`${originOf(at)}/#/mcp`);
  await part(page).getByText("Signed in by ana,").waitFor();
  await part(page).getByText("1 tool that sends").waitFor();
  await expectSound(page, "mcp-signed-in");
  await page.reload();
  await button(page, "Sign in again to web").waitFor();
  expect(server.authority.codes()).toBe(1);

  await button(page, "Sign out of web").click();
  await page.getByRole("dialog").getByRole("button", { name: "Sign out" }).click();
  await button(page, "Sign in to web").waitFor();
  await page.goto(`${originOf(at)}/#/audit`);
  const rows = page.getByRole("table", { name: "Audit log" }).locator("tbody tr");
  await rows.filter({ hasText: "signed in to" }).filter({ hasText: "ana" }).first().waitFor();
});
