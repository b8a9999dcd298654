import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { text, toolUse, unauthorized } from "../../support/model/model-script.ts";
import { openBrowser } from "../../support/program/browser.ts";
import type { SlackOffice } from "../../support/talk/slack-talk.ts";
import { addAccount, consoleOffice, expectSound, link, originOf, signedIn } from "./console-world.ts";

/** The overview in a real browser: of a team's Slack, live, as somebody who is linked there and as somebody who is not. */

let browser: Browser;
let at: SlackOffice;

beforeAll(async () => {
  browser = await openBrowser();
  at = await consoleOffice({ budgets: { dayUsd: 50, userUsd: 5 } });
  at.model.script((request) => {
    const said = JSON.stringify(request.body);
    if (request.toolResults.length > 0) return text("Done.");
    if (said.includes("break it")) return unauthorized();
    return toolUse("bash", { command: "rm old.toml", description: "tidy" });
  });
  await addAccount(at, { name: "ana" });
  await addAccount(at, { name: "max", role: "admin" });
  const page = await signedIn(at, browser, { name: "ana" });
  await link(at, page, "U0ANA");
  await page.context().close();
  const talk = at.talk({ text: "tidy up", channel: at.channel() });
  await at.until("the card", () => talk.seen().some(({ buttons }) => buttons.length > 1));
});

afterAll(async () => {
  await browser.close();
  await at[Symbol.asyncDispose]();
});

const rows = (page: Page, name: string) => page.getByRole("table", { name }).locator("tbody tr");

test("axe finds nothing in the overview, on any screen", async () => {
  const page = await signedIn(at, browser, { name: "ana" });
  await page.goto(`${originOf(at)}/#/overview`);
  await rows(page, "Waits for people").filter({ hasText: "rm old.toml" }).waitFor();
  await expectSound(page, "overview");
  await page.context().close();
});

test("what begins, fails and is stopped is seen without a reload, and a card leads to its session", async () => {
  const page = await signedIn(at, browser, { name: "ana" });
  await page.getByRole("list", { name: "Running it" }).getByRole("link", { name: "Overview" }).focus();
  await page.keyboard.press("Enter");
  await rows(page, "Waits for people").filter({ hasText: "rm old.toml" }).waitFor();
  const working = rows(page, "Goes on now");
  await working.filter({ hasText: "tidy up" }).filter({ hasText: "Waiting" }).filter({ hasText: "ana" }).waitFor();

  at.talk({ text: "break it", channel: at.channel() });
  await rows(page, "Failed today").filter({ hasText: "break it" }).waitFor();

  at.talk({ text: "tidy again", channel: at.channel() });
  await working.filter({ hasText: "tidy again" }).waitFor();
  await page.getByRole("button", { name: "Stop tidy again" }).click();
  await working.filter({ hasText: "tidy again" }).waitFor({ state: "detached" });

  await rows(page, "Waits for people").getByRole("link", { name: "tidy up" }).click();
  await page.getByRole("button", { name: "Allow once" }).waitFor();
  await page.context().close();
});

test("an admin who is nobody there sees what all have spent, and nothing of what goes on", async () => {
  const page = await signedIn(at, browser, { name: "max" });
  await page.goto(`${originOf(at)}/#/overview`);
  await rows(page, "Spent").filter({ hasText: "Everybody" }).filter({ hasText: "$50" }).waitFor();
  await page.getByText("Nothing goes on.").waitFor();
  expect(await page.getByText("tidy up").count()).toBe(0);
  await page.context().close();
});

test("a platform that loses its connection says so, and what it was once it is back", async () => {
  const page = await signedIn(at, browser, { name: "ana" });
  await page.goto(`${originOf(at)}/#/overview`);
  const slack = rows(page, "Platforms").filter({ hasText: "Slack" });
  await slack.filter({ hasText: "none since the start" }).waitFor();
  for (let times = 0; times < 2; times += 1) {
    at.slack.faults.add("apps.connections.open", { kind: "status", status: 503 });
  }
  const back = at.slack.deliveries.nextConnection();
  at.slack.deliveries.cut("break");
  await back;
  await slack.filter({ hasText: "connected by Socket Mode" }).filter({ hasText: "ago" }).waitFor();
  await page.context().close();
});
