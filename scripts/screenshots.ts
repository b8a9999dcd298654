import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { renderInline, renderMarkdown } from "../src/adapters/web/page/text/markdown.ts";
import { TYPE } from "../test/support/discord/world.ts";
import { startAnthropicServer } from "../test/support/model/anthropic-server.ts";
import { hold, text, toolUse } from "../test/support/model/model-script.ts";
import type { Script } from "../test/support/model/model-server.ts";
import { createBot, until } from "../test/support/program/bot.ts";
import { openBrowser } from "../test/support/program/browser.ts";
import { type PageVisit, printedUrl, profileOf, visitAddress } from "../test/support/program/page-visit.ts";
import { discordScene, putFile, type Scene, slackScene } from "../test/support/talk/scene.ts";
import { type Drawing, type DrawnMessage, drawThread } from "./screenshots/drawing.ts";

/**
 * Makes the pictures in docs/images with the whole program: `npx node scripts/screenshots.ts`. The web page is
 * photographed. Slack and Discord have no client here, so their pictures are drawn from the messages that the tests'
 * local servers received, and say so.
 */

const IMAGES = path.resolve(import.meta.dirname, "../docs/images");
const REQUEST = "change port to 9090 in config.toml";
const CONFIG = '# The staging server.\nhost = "localhost"\nport = 8080\nworkers = 4\n';
const JOB =
  '/jobs add --name "Daily report" --cron "0 9 * * 1-5" --timezone Europe/Paris --prompt "Report on the code"';
const LIMIT_MS = 30_000;

/** Photographs the web page, with model answers from a local server. */
async function photographWeb(browser: Browser): Promise<void> {
  const model = await startAnthropicServer();
  const env = {
    ANTHROPIC_API_KEY: "key",
    ANTHROPIC_BASE_URL: model.url,
    DECKHAND_MODEL: "anthropic/claude-sonnet-5-5",
  };
  await using bot = await createBot({ env });
  await bot.start();
  const storageState = await profileOf(bot, browser);
  const visit = (options: BrowserContextOptions) =>
    visitAddress(new URL("/", printedUrl(bot)).href, browser, {
      storageState,
      viewport: { width: 1280, height: 800 },
      deviceScaleFactor: 1,
      locale: "en-GB",
      reducedMotion: "reduce",
      ...options,
    });
  const begin = async (visited: PageVisit): Promise<() => void> => {
    putFile({ bot, folder: "web-main" }, "config.toml", CONFIG);
    const { script, release } = heldScript(model.requests.length);
    model.script(script);
    await visited.say(REQUEST);
    await visited.messages.getByText("leave the rest as it is").waitFor();
    const steps = visited.page.locator(".steps").getByRole("img", { name: "done", includeHidden: true });
    await steps.waitFor({ state: "attached" });
    return release;
  };
  const photograph = ({ page }: PageVisit, name: string) => page.screenshot({ path: path.join(IMAGES, `${name}.png`) });

  await using light = await visit({ colorScheme: "light" });
  await light.say(JOB);
  await light.messages.getByText("Next:").waitFor();
  await light.page.getByRole("button", { name: "New thread" }).click();
  const release = await begin(light);
  await photograph(light, "web-working");
  release();
  await isAsked(light);
  await photograph(light, "web-approval");
  await allow(light);
  await light.page.getByRole("list", { name: "Steps" }).locator("summary", { hasText: "edit" }).click();
  await photograph(light, "web-light");

  await using dark = await visit({ colorScheme: "dark" });
  (await begin(dark))();
  await isAsked(dark);
  await allow(dark);
  await dark.page.getByRole("textbox", { name: "Message to Deckhand" }).fill("/m");
  await dark.page.getByRole("option").first().waitFor();
  await dark.page.mouse.move(0, 0);
  await photograph(dark, "web-dark");

  await using narrow = await visit({
    colorScheme: "light",
    viewport: { width: 390, height: 720 },
    deviceScaleFactor: 1.5,
  });
  (await begin(narrow))();
  await isAsked(narrow);
  await photograph(narrow, "web-narrow");
  await model.close();
}

/** Waits until the card is shown and the panel beside the thread lists it. */
async function isAsked({ page }: PageVisit): Promise<void> {
  await page.getByRole("button", { name: "Allow once" }).waitFor();
  await page.locator(".waiting-list").waitFor({ state: "attached" });
}

async function allow({ page, messages }: PageVisit): Promise<void> {
  await page.getByRole("button", { name: "Allow once" }).click();
  await messages.locator("li.folded", { hasText: "2 tools" }).waitFor();
  await messages.getByText("Nothing else was changed").waitFor();
  await page.getByRole("list", { name: "Files changed" }).waitFor();
}

/**
 * Script that reads, then pauses in the middle of its second turn, so that the live message is seen at work.
 * `before` is the number of requests that the server has already received.
 */
function heldScript(before: number): { script: Script; release: () => void } {
  const gate = hold();
  const script: Script = (_request, count) => {
    const index = count - before;
    if (index === 0) return [text("I'll read it first."), toolUse("read", { path: "config.toml" })];
    if (index === 1) {
      const edit = { path: "config.toml", old_string: "port = 8080", new_string: "port = 9090" };
      return [text("I'll change the port and leave the rest as it is."), gate.part, toolUse("edit", edit)];
    }
    return text("The port in `config.toml` is now **9090** (it was 8080). Nothing else was changed.");
  };
  return { script, release: () => gate.release() };
}

/** Prefix of the ids of the buttons that allow a call once. */
const ALLOW = "approve:y:";

interface DrawnScene {
  readonly scene: Scene;
  readonly platform: Drawing["platform"];
  /** The thread as the local server holds it now. */
  readonly thread: () => readonly DrawnMessage[];
}

async function drawPlatform(browser: Browser, { scene, platform, thread }: DrawnScene): Promise<void> {
  const { script, release } = heldScript(0);
  scene.model.script(script);
  putFile(scene, "config.toml", CONFIG);
  await scene.bot.start();
  const begun = scene.mention(REQUEST);
  release();
  const isAsking = ({ buttons }: { readonly buttons: readonly string[] }) => buttons.some((id) => id.startsWith(ALLOW));
  const card = (await begun.until((messages) => messages.some(isAsking))).find(isAsking);
  await begun.until((messages) => messages.some(({ text: shown }) => shown.includes("waiting for a decision")));
  const asking = thread();
  begun.click(card?.buttons.find((id) => id.startsWith(ALLOW)) ?? "");
  const isDone = () => thread().some(({ markdown }) => /^✓ 3 turns/m.test(markdown));
  await until(isDone, { limit: AbortSignal.timeout(LIMIT_MS), what: () => `the end of the run on ${platform}` });
  const page = await browser.newPage({ viewport: { width: 1100, height: 400 }, deviceScaleFactor: 1.25 });
  await page.setContent(drawThread({ platform, asking, done: thread(), render: renderMarkdown, inline: renderInline }));
  const file = path.join(IMAGES, `${platform.toLowerCase()}.png`);
  writeFileSync(file, await page.locator("main").screenshot());
  await page.close();
}

async function drawSlack(browser: Browser): Promise<void> {
  await using scene = await slackScene({ settings: {} });
  const { slack } = scene;
  const thread = () => {
    const root = slack.workspace.messages.find(({ byBot }) => !byBot);
    const seen = root === undefined ? [] : slack.thread(root.channel, root.ts);
    return seen.map((message) => ({
      author: slack.workspace.users.get(message.user)?.name ?? message.user,
      byBot: message.byBot,
      markdown: message.text.replace(`<@${slack.workspace.botUserId}>`, "@deckhand"),
      buttons: message.buttons.map(({ label }) => label),
      reactions: message.reactions,
    }));
  };
  await drawPlatform(browser, { scene, platform: "Slack", thread });
}

async function drawDiscord(browser: Browser): Promise<void> {
  await using scene = await discordScene({ settings: {} });
  const { world } = scene.discord;
  const thread = () => {
    const channels = [...world.channels.values()];
    const opened = channels.find(({ type }) => type === TYPE.thread);
    const root = channels.flatMap(({ messages }) => messages).find(({ id }) => id === opened?.id);
    // The thread repeats its root as an empty message of its own type, which clients replace by the root.
    const replies = opened?.messages.filter(({ content }) => content !== "") ?? [];
    return [...(root === undefined ? [] : [root]), ...replies].map((message) => ({
      author: message.author.global_name ?? message.author.username,
      byBot: message.author.id === world.bot.id,
      markdown: message.content.replace(`<@${world.bot.id}>`, "@deckhand").replaceAll(/[\u200b\u200c]|^-# /gmu, ""),
      buttons: message.components.flatMap(({ components }) => components.map(({ label }) => label)),
      reactions: message.reactions.map(({ emoji }) => emoji),
    }));
  };
  await drawPlatform(browser, { scene, platform: "Discord", thread });
}

mkdirSync(IMAGES, { recursive: true });
const browser = await openBrowser();
try {
  await photographWeb(browser);
  await drawSlack(browser);
  await drawDiscord(browser);
} finally {
  await browser.close();
}
