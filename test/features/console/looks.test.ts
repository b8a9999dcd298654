import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Reply, text, toolUse } from "../../support/model/model-script.ts";
import { openBrowser } from "../../support/program/browser.ts";
import type { SlackOffice } from "../../support/talk/slack-talk.ts";
import { addAccount, consoleOffice, expectSound, link, signedIn, WIDTHS } from "./console-world.ts";

/** What axe-core finds in the views of sessions, in light and dark, wide and narrow; and the keyboard alone. */

let browser: Browser;
let at: SlackOffice;

beforeAll(async () => {
  browser = await openBrowser();
  at = await consoleOffice();
  at.model.script((request): Reply => {
    const said = JSON.stringify(request.body);
    if (said.includes("look into the shed")) return text("There is a rake.");
    if (request.toolResults.length === 0 && said.includes("send somebody")) {
      return toolUse("agent", { description: "the shed", prompt: "look into the shed" });
    }
    if (request.toolResults.length > 1 || !said.includes("the port")) return text("Done: **8080**.");
    if (request.toolResults.length === 1)
      return toolUse("bash", { command: "ls -la\nrm old.toml", description: "tidy" });
    return [text("I write it."), toolUse("write", { path: "config.toml", content: "port = 8080\n" })];
  });
  await addAccount(at, { name: "ana" });
  const page = await signedIn(at, browser, { name: "ana" });
  await link(at, page, "U0ANA");
  await page.context().close();
  const channel = at.channel();
  await at.talk({ text: "send somebody", channel }).answered(1);
  const talk = at.talk({ text: "write the port", channel });
  await at.until("the first card", () => talk.seen().some(({ buttons }) => buttons.length > 1));
  talk.click("approve:y");
  await at.until("the second card", () => talk.seen().some((seen) => seen.text.includes("rm old.toml")));
});

afterAll(async () => {
  await browser.close();
  await at[Symbol.asyncDispose]();
});

const rows = (page: Page) => page.getByRole("list", { name: "Sessions" }).getByRole("link");

test.each(Object.entries(WIDTHS))("axe finds nothing in the views of sessions, on %s screens", async (name, width) => {
  const page = await signedIn(at, browser, { name: "ana", viewport: { width, height: 800 } });
  const sound = (view: string) => expectSound(page, `sessions-${view}`, { widths: [width] });
  await page.goto(`${new URL(page.url()).origin}/#/sessions`);
  await rows(page).filter({ hasText: "write the port" }).waitFor();
  await sound("list");

  await rows(page).filter({ hasText: "write the port" }).click();
  await page.getByRole("button", { name: "Allow once" }).waitFor();
  await page.locator(".steps summary").first().click();
  await sound("session");
  if (name === "narrow") await page.getByRole("button", { name: "Details" }).click();
  await page.getByRole("list", { name: "Files changed" }).getByText("config.toml").click();
  await page.getByRole("insertion").waitFor();
  await sound("details");
  await page.goto(`${new URL(page.url()).origin}/#/sessions`);
  await rows(page).filter({ hasText: "send somebody" }).click();
  await page.getByRole("heading", { name: "send somebody" }).waitFor();
  if (name === "narrow") await page.getByRole("button", { name: "Details" }).click();
  await page.getByRole("list", { name: "Sub-agents" }).waitFor();
  await sound("sub-agents");
  await page.context().close();
});

test("by keyboard alone a session is searched for, opened and left again", async () => {
  const page = await signedIn(at, browser, { name: "ana" });
  await page.getByRole("navigation").getByRole("link", { name: "Sessions" }).focus();
  await page.keyboard.press("Enter");
  await rows(page).first().waitFor();
  await page.getByRole("searchbox", { name: "Search in sessions" }).focus();
  await page.keyboard.type("somebody");
  await page.getByText("1 session", { exact: true }).waitFor({ state: "attached" });
  for (let stop = 0; stop < 6; stop += 1) await page.keyboard.press("Tab");
  expect(String(await page.evaluate("document.activeElement.textContent"))).toContain("send somebody");
  await page.keyboard.press("Enter");
  const back = page.getByRole("button", { name: "Back to the sessions" });
  await back.waitFor();
  await page.getByRole("list", { name: "Messages" }).getByText("There is a rake.").filter({ visible: true }).waitFor();
  await back.focus();
  await page.keyboard.press("Enter");
  await rows(page).filter({ hasText: "write the port" }).waitFor();
  await page.goBack();
  await page.getByRole("heading", { name: "send somebody" }).waitFor();
  await page.context().close();
});
