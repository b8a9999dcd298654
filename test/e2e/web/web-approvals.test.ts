import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startAnthropicServer } from "../../support/model/anthropic-server.ts";
import { text, toolUse } from "../../support/model/model-script.ts";
import { type Bot, createBot } from "../../support/program/bot.ts";
import { openBrowser } from "../../support/program/browser.ts";
import { type PageVisit, visitPage } from "../../support/program/page-visit.ts";
import { conversationOf } from "../../support/talk/slack-talk.ts";

/** The page's cards, questions and panel, in a real browser over the whole program; the demo model answers. */

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});

afterAll(() => browser.close());

const FOCUSED = "document.activeElement.textContent";
const CREATE = "create config.toml with port = 8080";

function panel({ page }: PageVisit) {
  return page.getByRole("complementary", { name: "Details" });
}

function button({ page }: PageVisit, name: string) {
  return page.getByRole("button", { name, exact: true });
}

function inSandbox(bot: Bot, file: string): string {
  return path.join(bot.sandboxRoot("web-main"), file);
}

test("a person allows a change by keyboard alone, and hears what it is by roles and names", async () => {
  await using bot = await createBot();
  await bot.start();
  await using visit = await visitPage(bot, browser);
  const { page, messages } = visit;
  await page.getByRole("button", { name: CREATE }).focus();
  await page.keyboard.press("Enter");
  const card = messages.getByRole("group", { name: "Deckhand asks: Create config.toml? asked by @operator" });
  await card.waitFor();
  expect(await card.getByRole("insertion").textContent()).toBe("+port = 8080\n");
  const decision = card.getByRole("group", { name: "Your decision" }).getByRole("button");
  expect(await decision.allTextContents()).toEqual(["Allow once", "Deny", "Allow for this session", "Always allow"]);
  expect(existsSync(inSandbox(bot, "config.toml"))).toBe(false);

  await button(visit, "New thread").focus();
  await page.keyboard.press("w");
  // The diff is scrolled and copied by keyboard, too.
  for (const stop of ["Copy", "+port = 8080", "Allow once"]) {
    await page.keyboard.press("Tab");
    expect(String(await page.evaluate(FOCUSED))).toContain(stop);
  }
  await page.keyboard.press("Enter");
  await messages.getByText("Allowed by @operator: write").waitFor();
  await messages.getByText("Done: config.toml is there.").waitFor();
  await expect
    .poll(async () => String(await page.evaluate(FOCUSED)))
    .toContain("Allowed by @operator: write config.toml");
  expect(readFileSync(inSandbox(bot, "config.toml"), "utf8")).toBe("port = 8080\n");
  expect(await page.getByRole("button", { name: /Allow|Deny/u }).count()).toBe(0);
  await panel(visit).getByRole("list", { name: "Files changed" }).getByText("config.toml").waitFor();
  await panel(visit).getByRole("meter", { name: "Context" }).waitFor();
  expect(visit.complaints).toEqual([]);
});

test("what is denied is not run, and the answer says so", async () => {
  await using bot = await createBot();
  await bot.start();
  await using visit = await visitPage(bot, browser);
  await visit.say("run: echo gone > gone.txt");
  await visit.page.getByRole("group", { name: /Deckhand asks: Run a command\?/u }).waitFor();
  await panel(visit).getByRole("list", { name: "Waiting for you" }).getByText("echo gone").waitFor();
  await button(visit, "Deny").click();
  await visit.messages.getByText("I did not run it: @operator denied it.").first().waitFor();
  await visit.messages.getByText("Denied by @operator: bash").waitFor();
  expect(existsSync(inSandbox(bot, "gone.txt"))).toBe(false);
  await panel(visit).getByRole("list", { name: "Waiting for you" }).waitFor({ state: "detached" });
  expect(visit.complaints).toEqual([]);
});

test("a grant is listed beside the thread and holds until it is taken back there", async () => {
  await using bot = await createBot();
  await bot.start();
  await using visit = await visitPage(bot, browser);
  const { messages } = visit;
  await visit.say(CREATE);
  await button(visit, "Allow for this session").click();
  await messages.getByText("Next, try").waitFor();
  await visit.say("change port to 9090 in config.toml");
  await messages.getByText("is now 9090").first().waitFor();
  expect(readFileSync(inSandbox(bot, "config.toml"), "utf8")).toBe("port = 9090\n");

  const grants = panel(visit).getByRole("list", { name: "Allowed without asking" });
  expect(await grants.getByRole("listitem").textContent()).toContain(
    "changing config.toml in this thread, by @operator",
  );
  await grants.getByRole("button", { name: "Revoke: changing config.toml" }).click();
  await panel(visit).getByRole("region", { name: "Private answer" }).getByText("Taken back").waitFor();
  await grants.waitFor({ state: "detached" });
  await visit.say("change port to 7070 in config.toml");
  await button(visit, "Allow once").waitFor();
  expect(readFileSync(inSandbox(bot, "config.toml"), "utf8")).toBe("port = 9090\n");
  expect(visit.complaints).toEqual([]);
});

test("a question is answered by typing, and its card then tells the answer alone", async () => {
  const model = await startAnthropicServer();
  model.script((request, index) =>
    index === 0
      ? toolUse("ask_user_question", { question: "Which port?", options: ["8080", "9090"] })
      : text(conversationOf(request.body).includes("4711") ? "It is 4711 then." : "Nothing was heard."),
  );
  await using bot = await createBot({
    env: {
      ANTHROPIC_API_KEY: "test-key",
      ANTHROPIC_BASE_URL: model.url,
      DECKHAND_MODEL: "anthropic/claude-sonnet-5-5",
    },
  });
  await bot.start();
  await using visit = await visitPage(bot, browser);
  const { page, messages } = visit;
  await visit.say("set it up");
  const card = messages.getByRole("group", { name: "Deckhand asks: Which port?" });
  await card.getByRole("button", { name: "9090" }).waitFor();
  await page.getByPlaceholder("Answer here, or choose above").waitFor();
  await visit.say("4711, please");
  await messages.getByText("It is 4711 then.").waitFor();
  await messages.getByText("4711, please — @operator").waitFor();
  expect(await page.getByRole("button", { name: "9090" }).count()).toBe(0);
  expect(visit.complaints).toEqual([]);
  await model.close();
});

test("commands are completed from the server's own list, and their answers are marked as private", async () => {
  await using bot = await createBot();
  await bot.start();
  await using visit = await visitPage(bot, browser);
  const { page, messages } = visit;
  const composer = page.getByRole("textbox", { name: "Message to Deckhand" });
  const options = page.getByRole("listbox", { name: "Commands" }).getByRole("option");
  await composer.press("/");
  await options.filter({ hasText: "/approvals" }).waitFor();
  await composer.press("s");
  await composer.press("k");
  await expect.poll(() => options.allTextContents()).toEqual([expect.stringMatching(/^\/skill \[name\]/u)]);
  await composer.press("Enter");
  await expect.poll(() => composer.inputValue()).toBe("/skill ");
  // Names of skills are offered a moment later, and Enter would take the first.
  await options.filter({ hasText: "designer" }).waitFor();
  await composer.press("Escape");
  await options.first().waitFor({ state: "detached" });
  await composer.press("Enter");
  const picker = messages.getByRole("listitem").filter({ hasText: "Only you see this" });
  await picker.getByRole("button", { name: "designer" }).click();
  await panel(visit).getByRole("region", { name: "Private answer" }).getByText("holds in this thread").waitFor();

  await visit.say("/skill front-component-generator");
  await page.getByRole("dialog", { name: "front-component-generator" }).getByLabel(/^name/u).fill("DatePicker");
  await page.keyboard.press("Enter");
  await messages.getByText("asks: /skill front-component-generator").waitFor();
  await messages.getByText("scripted demo model").first().waitFor();

  await composer.fill('/jobs add --name "Daily report" --cron "0 9 * * 1-5" --timezone Europe/Paris --prompt "report"');
  await composer.press("Enter");
  const jobs = page.getByRole("navigation", { name: "Threads and jobs" }).getByRole("region", { name: "Jobs" });
  await jobs.getByText("every weekday at 09:00 Europe/Paris").waitFor();
  expect(visit.complaints).toEqual([]);
});
