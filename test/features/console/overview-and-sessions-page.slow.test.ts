import type { Browser, Page } from "playwright-core";
import { expect, test } from "vitest";
import { type Reply, text, toolUse, unauthorized } from "../../support/model/model-script.ts";
import { closeWindows, sharedBrowser } from "../../support/program/browser.ts";
import { useShared } from "../../support/run/use-shared.ts";
import type { SlackOffice } from "../../support/talk/slack-talk.ts";
import { addAccount, consoleOffice, expectSound, leave, link, signedIn, WIDTHS } from "./console-world.ts";

/** The overview and the views of sessions in a real browser, as somebody who is linked to a team's Slack and as somebody who is not. */

let browser: Browser;
let at: SlackOffice;

useShared(
  async () => {
    browser = await sharedBrowser();
    at = await consoleOffice({ budgets: { dayUsd: 50, userUsd: 5 } });
    at.model.script((request): Reply => {
      const said = JSON.stringify(request.body);
      const done = request.toolResults.length;
      if (said.includes("look into the shed")) return text("There is a rake.");
      if (said.includes("write the port")) {
        if (done === 0)
          return [text("I write it."), toolUse("write", { path: "config.toml", content: "port = 8080\n" })];
        return done > 1
          ? text("Done: **8080**.")
          : toolUse("bash", { command: "ls -la\nrm old.lock", description: "look" });
      }
      if (done > 0) return text("Done.");
      if (said.includes("break it")) return unauthorized();
      if (said.includes("send somebody"))
        return toolUse("agent", { description: "the shed", prompt: "look into the shed" });
      return toolUse("bash", { command: "rm old.toml", description: "tidy" });
    });
    await addAccount(at, { name: "ana" });
    await addAccount(at, { name: "max", role: "admin" });
    const page = await signedIn(at, browser, { name: "ana" });
    await link(at, page, "U0ANA");
    await leave(page);
    const talk = at.talk({ text: "tidy up", channel: at.channel() });
    await at.until("the card", () => talk.seen().some(({ buttons }) => buttons.length > 1));
    await at.talk({ text: "send somebody", channel: at.channel() }).answered(1);
    const write = at.talk({ text: "write the port", channel: at.channel() });
    await at.until("the first card", () => write.seen().some(({ buttons }) => buttons.length > 1));
    write.click("approve:y");
    await at.until("the second card", () => write.seen().some((seen) => seen.text.includes("rm old.lock")));
  },
  async () => {
    await closeWindows(browser);
    await at[Symbol.asyncDispose]();
  },
);

const rows = (page: Page, name: string) => page.getByRole("table", { name }).locator("tbody tr");
const sessions = (page: Page) => page.getByRole("list", { name: "Sessions" }).getByRole("link");

test("axe finds no accessibility violation in the overview, on any screen", async () => {
  const page = await signedIn(at, browser, { name: "ana", section: "overview" });
  await rows(page, "Waiting for people").filter({ hasText: "rm old.toml" }).waitFor();
  await expectSound(page, "overview");
  await leave(page);
});

test("on a narrow screen the overview's tables need no horizontal scrolling, and each figure has its label", async () => {
  const page = await signedIn(at, browser, {
    name: "ana",
    section: "overview",
    viewport: { width: WIDTHS.narrow, height: 800 },
  });
  await rows(page, "Waiting for people").filter({ hasText: "rm old.toml" }).waitFor();
  const cut = `[...document.querySelectorAll(".section-body, .table-scroller")].filter((one) => one.scrollWidth > one.clientWidth).length`;
  expect(await page.evaluate(cut)).toBe(0);
  const label = `getComputedStyle(document.querySelector("table td"), "::before").content`;
  expect(await page.evaluate(label)).toContain("State");
  await leave(page);
});

test("runs that start, fail or are stopped appear without a reload, and a card links to its session", async () => {
  const page = await signedIn(at, browser, { name: "ana" });
  await page.getByRole("list", { name: "Manage" }).getByRole("link", { name: "Overview" }).focus();
  await page.keyboard.press("Enter");
  await rows(page, "Waiting for people").filter({ hasText: "rm old.toml" }).waitFor();
  const working = rows(page, "Running now");
  await working.filter({ hasText: "tidy up" }).filter({ hasText: "Waiting" }).filter({ hasText: "ana" }).waitFor();

  at.talk({ text: "break it", channel: at.channel() });
  await rows(page, "Failed today").filter({ hasText: "break it" }).waitFor();

  at.talk({ text: "tidy again", channel: at.channel() });
  await working.filter({ hasText: "tidy again" }).waitFor();
  await page.getByRole("button", { name: "Stop tidy again" }).click();
  await working.filter({ hasText: "tidy again" }).waitFor({ state: "detached" });

  await rows(page, "Waiting for people").getByRole("link", { name: "tidy up" }).click();
  await page.getByRole("button", { name: "Allow once" }).waitFor();
  await leave(page);
});

test("an admin who is in no channel sees the total spending, but no activity", async () => {
  const page = await signedIn(at, browser, { name: "max", section: "overview" });
  await rows(page, "Spent").filter({ hasText: "Everybody" }).filter({ hasText: "$50" }).waitFor();
  await page.getByText("Nothing is running.").waitFor();
  expect(await page.getByText("tidy up").count()).toBe(0);
  await leave(page);
});

test("a platform's lost connection is shown, and remains as its last problem after reconnecting", async () => {
  const page = await signedIn(at, browser, { name: "ana", section: "overview" });
  const slack = rows(page, "Platforms").filter({ hasText: "Slack" });
  await slack.filter({ hasText: "none since the start" }).waitFor();
  for (let times = 0; times < 2; times += 1) {
    at.slack.faults.add("apps.connections.open", { kind: "status", status: 503 });
  }
  const back = at.slack.deliveries.nextConnection();
  at.slack.deliveries.cut("break");
  await back;
  await slack.filter({ hasText: "connected by Socket Mode" }).filter({ hasText: "ago" }).waitFor();
  await leave(page);
});

test.each(Object.entries(WIDTHS))(
  "axe finds no accessibility violation in the views of sessions, on %s screens",
  async (name, width) => {
    const page = await signedIn(at, browser, { name: "ana", viewport: { width, height: 800 } });
    const sound = (view: string) => expectSound(page, `sessions-${view}`, { widths: [width] });
    await page.goto(`${new URL(page.url()).origin}/#/sessions`);
    await sessions(page).filter({ hasText: "write the port" }).waitFor();
    await sound("list");

    await sessions(page).filter({ hasText: "write the port" }).click();
    await page.getByRole("button", { name: "Allow once" }).waitFor();
    await page.locator(".steps summary").first().click();
    await sound("session");
    if (name === "narrow") await page.getByRole("button", { name: "Details" }).click();
    await page.getByRole("list", { name: "Files changed" }).getByText("config.toml").click();
    await page.getByRole("insertion").waitFor();
    await sound("details");
    await page.goto(`${new URL(page.url()).origin}/#/sessions`);
    await sessions(page).filter({ hasText: "send somebody" }).click();
    await page.getByRole("heading", { name: "send somebody" }).waitFor();
    if (name === "narrow") await page.getByRole("button", { name: "Details" }).click();
    await page.getByRole("list", { name: "Sub-agents" }).waitFor();
    await sound("sub-agents");
    await leave(page);
  },
);

test("a session can be searched for, opened and left by keyboard alone", async () => {
  const page = await signedIn(at, browser, { name: "ana" });
  await page.getByRole("navigation").getByRole("link", { name: "Sessions" }).focus();
  await page.keyboard.press("Enter");
  await sessions(page).first().waitFor();
  await page.getByRole("searchbox", { name: "Search sessions" }).focus();
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
  // The search stands as it was left, and so does the keyboard.
  await sessions(page).first().waitFor();
  expect(await page.getByRole("searchbox", { name: "Search sessions" }).inputValue()).toBe("somebody");
  expect(String(await page.evaluate("document.activeElement.textContent"))).toContain("send somebody");
  await page.goBack();
  await page.getByRole("heading", { name: "send somebody" }).waitFor();
  await leave(page);
});
