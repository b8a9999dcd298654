import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import type { Browser } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { startAnthropicServer } from "../../support/model/anthropic-server.ts";
import { hold, text, toolUse } from "../../support/model/model-script.ts";
import type { ModelServer } from "../../support/model/model-server.ts";
import { type Bot, createBot } from "../../support/program/bot.ts";
import { closeWindows, sharedBrowser } from "../../support/program/browser.ts";
import {
  type BrowserProfile,
  type PageVisit,
  printedUrl,
  profileOf,
  visitAgain,
} from "../../support/program/page-visit.ts";
import { useShared } from "../../support/run/use-shared.ts";
import { putFile } from "../../support/talk/scene.ts";
import { conversationOf } from "../../support/talk/slack-talk.ts";

const FOLDER = "web-main";

let browser: Browser;
let model: ModelServer;
/** The bot with the demo model. */
let bot: Bot;
/** The bot with the scripted model. */
let scripted: Bot;

/** The browser's stored state for each bot. */
const profiles = new Map<Bot, BrowserProfile>();

/** Opens the page in a window of its own, in a new thread. */
function visitPage(of: Bot): Promise<PageVisit> {
  const profile = profiles.get(of);
  if (profile === undefined) throw new Error("it has been given no key");
  return visitAgain(of, browser, profile);
}

useShared(
  async () => {
    [browser, model, bot] = await Promise.all([sharedBrowser(), startAnthropicServer(), createBot()]);
    const env = { ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: model.url };
    scripted = await createBot({ env: { ...env, DECKHAND_MODEL: "anthropic/claude-sonnet-5-5" } });
    await Promise.all([bot.start(), scripted.start()]);
    for (const each of [bot, scripted]) profiles.set(each, await profileOf(each, browser));
  },
  async () => {
    await Promise.all([bot[Symbol.asyncDispose](), scripted[Symbol.asyncDispose]()]);
    await Promise.all([closeWindows(browser), model.close()]);
  },
);

beforeEach(() => model.forget());

/** Records the head of every live message that the page shows, however briefly. Runs inside the page. */
const WATCH_LIVE = `{
  window.liveHeads = [];
  new MutationObserver(() => {
    const live = document.querySelector(".message.live");
    if (live !== null) window.liveHeads.push(live.textContent);
  }).observe(document.body, { childList: true, subtree: true, characterData: true });
}`;

test("without any API key, a sentence typed into the page changes the file, and the page shows it live", async () => {
  const file = putFile({ bot, folder: FOLDER }, "config.toml", 'host = "localhost"\nport = 8080\n');
  expect(bot.output()).toContain("the scripted demo model answers");
  await using visit = await visitPage(bot);
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
  const gate = hold();
  model.script(() => [text("The first half, "), gate.part, text("the second half.")]);
  await using visit = await visitPage(scripted);
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

test("after a kill the process continues the run, and a page left open shows one answer", async () => {
  const gate = hold();
  model.script((_request, index) => (index === 0 ? [text("Never finished"), gate.part] : text("The only answer.")));
  await using visit = await visitPage(scripted);
  const { page, messages } = visit;
  await page.evaluate("window.sameDocument = true");
  await visit.say("what is the answer?");
  await messages.getByText("Never finished").waitFor();

  await scripted.kill("SIGKILL");
  await page.getByText(/Connection lost/u).waitFor();
  await scripted.start();
  await messages.getByText("The only answer.").waitFor();
  await messages.locator("li.folded").waitFor();
  await page.getByText(/Connection lost/u).waitFor({ state: "detached" });

  expect(await page.evaluate("window.sameDocument")).toBe(true);
  expect(await messages.getByText("The only answer.").count()).toBe(1);
  expect(await messages.getByText("Never finished").count()).toBe(0);
  expect(await messages.getByRole("listitem").count()).toBe(3);
  expect(model.requests).toHaveLength(2);
});

test("a browser without the key is refused the page, its requests and its socket", async () => {
  await using visit = await visitPage(bot);
  await visit.say("hello");
  await visit.messages.getByText("scripted demo model").first().waitFor();

  const stranger = await browser.newContext();
  try {
    const { origin } = new URL(printedUrl(bot));
    const page = await stranger.newPage();
    const answer = await page.goto(`${origin}/`);
    expect(answer?.status()).toBe(401);
    expect(await page.textContent("main")).toContain("It contains the key to this page");
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

test("a job can be added, run, changed and removed on the page, under the same rules as the command", async () => {
  await using visit = await visitPage(bot);
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
  await details.getByText("This job no longer exists.").waitFor();
  expect(complaints).toEqual([]);
});

test("the palette completes agents after an @ only", async () => {
  await using visit = await visitPage(bot);
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

test("the palette completes names of skills and jobs", async () => {
  await using visit = await visitPage(bot);
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

const FOCUSED = "document.activeElement.textContent";
const CREATE = "create config.toml with port = 8080";

function panel({ page }: PageVisit) {
  return page.getByRole("complementary", { name: "Details" });
}

function button({ page }: PageVisit, name: string) {
  return page.getByRole("button", { name, exact: true });
}

function inSandbox(file: string): string {
  return path.join(bot.sandboxRoot(FOLDER), file);
}

test("a change can be approved by keyboard alone, with accessible roles and names", async () => {
  rmSync(inSandbox("config.toml"), { force: true });
  await using visit = await visitPage(bot);
  const { page, messages } = visit;
  await page.getByRole("button", { name: CREATE }).focus();
  await page.keyboard.press("Enter");
  const card = messages.getByRole("group", { name: "Deckhand asks: Create config.toml? asked by @operator" });
  await card.waitFor();
  expect(await card.getByRole("insertion").textContent()).toBe("+port = 8080\n");
  const decision = card.getByRole("group", { name: "Your decision" }).getByRole("button");
  expect(await decision.allTextContents()).toEqual(["Allow once", "Deny", "Allow for this session", "Always allow"]);
  expect(existsSync(inSandbox("config.toml"))).toBe(false);

  await button(visit, "New thread").focus();
  await page.keyboard.press("w");
  // The diff can be scrolled and copied by keyboard as well.
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
  expect(readFileSync(inSandbox("config.toml"), "utf8")).toBe("port = 8080\n");
  expect(await page.getByRole("button", { name: /Allow|Deny/u }).count()).toBe(0);
  await panel(visit).getByRole("list", { name: "Files changed" }).getByText("config.toml").waitFor();
  await panel(visit).getByRole("meter", { name: "Context" }).waitFor();
  expect(visit.complaints).toEqual([]);
});

test("a denied call is not run, and the answer says so", async () => {
  await using visit = await visitPage(bot);
  await visit.say("run: echo gone > gone.txt");
  await visit.page.getByRole("group", { name: /Deckhand asks: Run a command\?/u }).waitFor();
  await panel(visit).getByRole("list", { name: "Waiting for you" }).getByText("echo gone").waitFor();
  await button(visit, "Deny").click();
  await visit.messages.getByText("I did not run it: @operator denied it.").first().waitFor();
  await visit.messages.getByText("Denied by @operator: bash").waitFor();
  expect(existsSync(inSandbox("gone.txt"))).toBe(false);
  await panel(visit).getByRole("list", { name: "Waiting for you" }).waitFor({ state: "detached" });
  expect(visit.complaints).toEqual([]);
});

test("a grant is listed beside the thread and applies until it is revoked there", async () => {
  rmSync(inSandbox("config.toml"), { force: true });
  await using visit = await visitPage(bot);
  const { messages } = visit;
  await visit.say(CREATE);
  await button(visit, "Allow for this session").click();
  await messages.getByText("Next, try").waitFor();
  await visit.say("change port to 9090 in config.toml");
  await messages.getByText("is now 9090").first().waitFor();
  expect(readFileSync(inSandbox("config.toml"), "utf8")).toBe("port = 9090\n");

  const grants = panel(visit).getByRole("list", { name: "Allowed without asking" });
  expect(await grants.getByRole("listitem").textContent()).toContain(
    "changing config.toml in this thread, by @operator",
  );
  await grants.getByRole("button", { name: "Revoke: changing config.toml" }).click();
  await panel(visit).getByRole("region", { name: "Private answer" }).getByText("Revoked").waitFor();
  await grants.waitFor({ state: "detached" });
  await visit.say("change port to 7070 in config.toml");
  await button(visit, "Allow once").waitFor();
  expect(readFileSync(inSandbox("config.toml"), "utf8")).toBe("port = 9090\n");
  // No card stays open for the next test.
  await button(visit, "Deny").click();
  await messages.getByText("Denied by @operator").waitFor();
  expect(visit.complaints).toEqual([]);
});

test("a question can be answered by typing, and its card then shows only the answer", async () => {
  model.script((request, index) =>
    index === 0
      ? toolUse("ask_user_question", { question: "Which port?", options: ["8080", "9090"] })
      : text(conversationOf(request.body).includes("4711") ? "It is 4711 then." : "Nothing was heard."),
  );
  await using visit = await visitPage(scripted);
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
});

test("commands are completed from the server's list, and their answers are marked as private", async () => {
  await using visit = await visitPage(bot);
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
  // The names of skills are offered a moment later; Enter before that would take the first one.
  await options.filter({ hasText: "designer" }).waitFor();
  await composer.press("Escape");
  await options.first().waitFor({ state: "detached" });
  await composer.press("Enter");
  const picker = messages.getByRole("listitem").filter({ hasText: "Only you see this" });
  await picker.getByRole("button", { name: "designer" }).click();
  await panel(visit).getByRole("region", { name: "Private answer" }).getByText("is on in this thread").waitFor();

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
