import { readFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startAnthropicServer } from "../../support/model/anthropic-server.ts";
import { hold, text } from "../../support/model/model-script.ts";
import type { ModelServer } from "../../support/model/model-server.ts";
import { createBot } from "../../support/program/bot.ts";
import { openBrowser } from "../../support/program/browser.ts";
import { printedUrl, visitPage } from "../../support/program/page-visit.ts";
import { putFile } from "../../support/talk/scene.ts";

const FOLDER = "web-main";

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});

afterAll(() => browser.close());

function withModel(model: ModelServer) {
  return createBot({
    env: {
      ANTHROPIC_API_KEY: "test-key",
      ANTHROPIC_BASE_URL: model.url,
      DECKHAND_MODEL: "anthropic/claude-sonnet-5-5",
    },
  });
}

/** Keeps the head of every live message that the page shows, however briefly. Runs inside the page. */
const WATCH_LIVE = `{
  window.liveHeads = [];
  new MutationObserver(() => {
    const live = document.querySelector(".message.live");
    if (live !== null) window.liveHeads.push(live.textContent);
  }).observe(document.body, { childList: true, subtree: true, characterData: true });
}`;

test("without any key, a sentence typed into the page changes the file, and the page tells it live", async () => {
  await using bot = await createBot();
  const file = putFile({ bot, folder: FOLDER }, "config.toml", 'host = "localhost"\nport = 8080\n');
  await bot.start();
  expect(bot.output()).toContain("the scripted demo model answers");
  await using visit = await visitPage(bot, browser);
  const { page, messages } = visit;
  await page.evaluate(WATCH_LIVE);
  await visit.say("change port to 9090 in config.toml");
  await page.getByRole("button", { name: "Allow once" }).click();

  await messages.locator("li.folded", { hasText: "2 tools" }).waitFor();
  const shown = await messages.getByRole("listitem").allTextContents();
  expect(shown).toHaveLength(4);
  expect(shown[3]).toContain("9090");
  expect(String(await page.evaluate("window.liveHeads.join()"))).toMatch(/build · turn \d[\s\S]*Stop/);
  expect(readFileSync(file, "utf8")).toBe('host = "localhost"\nport = 9090\n');

  const details = page.getByRole("complementary", { name: "Details" });
  const steps = details.getByRole("list", { name: "Steps" }).getByRole("listitem");
  await expect.poll(() => steps.count()).toBe(2);
  await steps.nth(1).locator("summary", { hasText: "edit" }).click();
  await steps.nth(1).getByRole("region", { name: "Result" }).getByText("config.toml").waitFor();
  await page.getByRole("button", { name: "Details" }).click();
  await details.getByRole("region", { name: "Private answer" }).getByText("config.toml").first().waitFor();

  await visit.say("/fork");
  await messages.getByRole("listitem").filter({ hasText: "Only you see this" }).getByRole("link").click();
  await page.getByRole("heading", { name: /^Fork of “change port to 9090 in config.toml”/u }).waitFor();
  await messages.getByRole("link", { name: "another thread" }).click();
  await page.getByRole("heading", { name: "change port to 9090 in config.toml", exact: true }).waitFor();
  expect(visit.complaints).toEqual([]);
});

test("the Stop button ends a run in the middle of the model's answer", async () => {
  await using model = disposable(await startAnthropicServer());
  const gate = hold();
  model.script(() => [text("The first half, "), gate.part, text("the second half.")]);
  await using bot = await withModel(model);
  await bot.start();
  await using visit = await visitPage(bot, browser);
  await visit.say("tell me everything");
  await gate.reached;
  const request = await model.request(0);

  await visit.messages.getByText("The first half").waitFor();
  await visit.page.getByRole("button", { name: "Stop" }).click();
  await visit.messages.getByText("Stopped by").first().waitFor();
  expect(await request.ended).toBe("aborted");
  await visit.page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
  expect(await visit.messages.getByText("the second half").count()).toBe(0);
  expect(model.requests).toHaveLength(1);
  expect(visit.complaints).toEqual([]);
});

test("a killed process goes on where it was, and the page that stayed open shows one answer", async () => {
  await using model = disposable(await startAnthropicServer());
  const gate = hold();
  model.script((_request, index) => (index === 0 ? [text("Never finished"), gate.part] : text("The only answer.")));
  await using bot = await withModel(model);
  await bot.start();
  await using visit = await visitPage(bot, browser);
  const { page, messages } = visit;
  await page.evaluate("window.sameDocument = true");
  await visit.say("what is the answer?");
  await messages.getByText("Never finished").waitFor();

  await bot.kill("SIGKILL");
  await page.getByText(/Connection lost/u).waitFor();
  await bot.start();
  await messages.getByText("The only answer.").waitFor();
  await messages.locator("li.folded").waitFor();
  await page.getByText(/Connection lost/u).waitFor({ state: "detached" });

  expect(await page.evaluate("window.sameDocument")).toBe(true);
  expect(await messages.getByText("The only answer.").count()).toBe(1);
  expect(await messages.getByText("Never finished").count()).toBe(0);
  expect(await messages.getByRole("listitem").count()).toBe(3);
  expect(model.requests).toHaveLength(2);
});

test("a browser that has not been given the key sees nothing, by page, by request or by socket", async () => {
  await using bot = await createBot();
  await bot.start();
  await using visit = await visitPage(bot, browser);
  await visit.say("hello");
  await visit.messages.getByText("scripted demo model").first().waitFor();

  const stranger = await browser.newContext();
  try {
    const { origin } = new URL(printedUrl(bot));
    const page = await stranger.newPage();
    const answer = await page.goto(`${origin}/`);
    expect(answer?.status()).toBe(401);
    expect(await page.textContent("main")).toContain("it carries the key to this page");
    expect(await page.getByRole("textbox").count()).toBe(0);
    expect((await page.goto(`${origin}/?token=${"a".repeat(32)}`))?.status()).toBe(401);
    expect(await page.evaluate("fetch('/session').then(({ status }) => status)")).toBe(401);
    const socket = `new Promise((resolve) => {
      const socket = new WebSocket(location.origin.replace("http", "ws") + "/live");
      socket.onopen = () => resolve("open");
      socket.onerror = () => resolve("refused");
    })`;
    expect(await page.evaluate(socket)).toBe("refused");
  } finally {
    await stranger.close();
  }
  expect(visit.complaints).toEqual([]);
});

function disposable(model: ModelServer): ModelServer & AsyncDisposable {
  return { ...model, [Symbol.asyncDispose]: () => model.close() };
}

test("a job is added, run, changed and removed on the page, by the rules of the command", async () => {
  await using bot = await createBot();
  await bot.start();
  await using visit = await visitPage(bot, browser);
  const { page, complaints } = visit;
  const form = page.getByRole("dialog");
  const details = page.getByRole("complementary", { name: "Details" });
  await page.getByRole("button", { name: "Add a job" }).click();
  await form.getByLabel("Name").fill("Night watch");
  await form.getByLabel("When (required)").fill("at noon");
  await form.getByLabel("What to do").fill("Look around.");
  await form.getByLabel("Time zone").fill("Mars");
  await form.getByRole("button", { name: "Go ahead" }).click();
  await form.getByText("There is no time zone Mars.").waitFor();
  await form.getByLabel("Time zone").fill("Europe/Paris");
  await form.getByRole("button", { name: "Go ahead" }).click();
  await form.getByText("at noon has 2 fields").waitFor();
  expect(await form.getByLabel("What to do").inputValue()).toBe("Look around.");
  await form.getByLabel("When (required)").fill("0 9 * * 1-5");
  await form.getByRole("button", { name: "Go ahead" }).click();
  await details.getByText("every weekday at 09:00 Europe/Paris").waitFor();

  await page.getByRole("button", { name: "Night watch" }).click();
  await details.getByRole("button", { name: "Run now" }).click();
  await details.getByRole("list", { name: "Runs" }).getByText("done").waitFor();
  await details.getByRole("button", { name: "Pause" }).click();
  await details.getByRole("article").getByText("Paused").waitFor();
  await details.getByRole("button", { name: "Edit" }).click();
  expect(await form.getByLabel("When (required)").inputValue()).toBe("0 9 * * 1-5");
  await form.getByLabel("When (required)").fill("@daily");
  await form.getByRole("button", { name: "Go ahead" }).click();
  await details.getByRole("article").getByText("every day at 00:00").waitFor();
  await details.getByRole("button", { name: "Remove" }).click();
  await details.getByRole("button", { name: "Remove for good" }).click();
  await details.getByText("There is no such job any more.").waitFor();
  expect(complaints).toEqual([]);
});

test("the palette completes agents behind an @, and nowhere else", async () => {
  await using bot = await createBot();
  await bot.start();
  await using visit = await visitPage(bot, browser);
  const { page, complaints } = visit;
  const composer = page.getByRole("textbox", { name: "Message to Deckhand" });
  const options = page.getByRole("listbox", { name: "Commands" }).getByRole("option");
  await composer.pressSequentially("@pla");
  await options.filter({ hasText: "@plan" }).waitFor();
  await composer.press("Tab");
  await expect.poll(() => composer.inputValue()).toBe("@plan ");
  await composer.fill("mail ana@pla");
  await options.first().waitFor({ state: "detached" });
  expect(complaints).toEqual([]);
});

test("the palette completes names of skills and jobs while they are typed", async () => {
  await using bot = await createBot();
  await bot.start();
  await using visit = await visitPage(bot, browser);
  const { page, complaints } = visit;
  const composer = page.getByRole("textbox", { name: "Message to Deckhand" });
  const options = page.getByRole("listbox", { name: "Commands" }).getByRole("option");
  await composer.pressSequentially("/skill code");
  await options.filter({ hasText: "code-review" }).waitFor();
  await composer.press("Tab");
  await expect.poll(() => composer.inputValue()).toBe("/skill code-review ");

  await composer.fill('/jobs add --name "Night watch" --cron @daily --prompt "Look." --skill ref');
  await options.filter({ hasText: "refactor" }).first().waitFor();
  await composer.fill('/jobs add --name "Night watch" --cron @daily --prompt "Look."');
  await composer.press("Enter");
  const jobs = page.getByRole("button", { name: "Night watch" });
  await jobs.waitFor();
  await composer.pressSequentially("/jobs disable night");
  await options.filter({ hasText: "every day at 00:00" }).waitFor();
  await composer.press("Enter");
  await expect.poll(() => composer.inputValue()).toMatch(/^\/jobs disable job_\S+ $/u);
  await composer.press("Enter");
  await visit.messages.getByText("Night watch is paused.").waitFor();
  expect(complaints).toEqual([]);
});
