import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { renderMarkdown } from "../src/adapters/web/page/markdown.ts";
import { startAnthropicServer } from "../test/support/anthropic-server.ts";
import { createBot, until } from "../test/support/bot.ts";
import { openBrowser } from "../test/support/browser.ts";
import { TYPE } from "../test/support/discord/world.ts";
import { hold, text, toolUse } from "../test/support/model-script.ts";
import type { Script } from "../test/support/model-server.ts";
import { type PageVisit, visitPage } from "../test/support/page-visit.ts";
import { discordScene, putFile, type Scene, slackScene } from "../test/support/scene.ts";
import { type Drawing, type DrawnMessage, drawThread } from "./screenshots/drawing.ts";

/**
 * Makes the pictures in docs/images from the whole program: `npx node scripts/screenshots.ts`. The web page
 * is photographed. Slack and Discord have no client here: their pictures are drawn from the messages that
 * the local servers of the tests received, and say so.
 */

const IMAGES = path.resolve(import.meta.dirname, "../docs/images");
const REQUEST = "change port to 9090 in config.toml";
const CONFIG = '# The staging server.\nhost = "localhost"\nport = 8080\nworkers = 4\n';
const LIMIT_MS = 30_000;

/** Answers as a model would, from a local server. */
async function photographWeb(browser: Browser): Promise<void> {
  const model = await startAnthropicServer();
  const env = {
    ANTHROPIC_API_KEY: "key",
    ANTHROPIC_BASE_URL: model.url,
    DECKHAND_MODEL: "anthropic/claude-sonnet-5-5",
  };
  await using bot = await createBot({ env });
  await bot.start();
  const visit = (options: BrowserContextOptions) =>
    visitPage(bot, browser, {
      viewport: { width: 1280, height: 800 },
      deviceScaleFactor: 1.5,
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
    return release;
  };
  const end = ({ messages }: PageVisit) => messages.locator("li.folded", { hasText: "2 tools" }).waitFor();
  const photograph = ({ page }: PageVisit, name: string) => page.screenshot({ path: path.join(IMAGES, `${name}.png`) });

  await using light = await visit({ colorScheme: "light" });
  const releaseLight = await begin(light);
  await photograph(light, "web-working");
  releaseLight();
  await end(light);
  await light.page.getByRole("button", { name: "Details" }).click();
  await light.page.getByText("Only you see this").waitFor();
  await photograph(light, "web-light");

  await using dark = await visit({ colorScheme: "dark" });
  const releaseDark = await begin(dark);
  releaseDark();
  await end(dark);
  await photograph(dark, "web-dark");

  await using narrow = await visit({ colorScheme: "light", viewport: { width: 390, height: 720 } });
  const releaseNarrow = await begin(narrow);
  releaseNarrow();
  await end(narrow);
  await photograph(narrow, "web-narrow");
  await model.close();
}

/**
 * Reads, then waits in the middle of its second turn, so that the live message can be seen at work.
 * `before`: requests that the server has had.
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
  scene.mention(REQUEST);
  const shows = async (what: RegExp): Promise<readonly DrawnMessage[]> => {
    const found = () => thread().some(({ markdown }) => what.test(markdown));
    await until(found, { limit: AbortSignal.timeout(LIMIT_MS), what: () => `${what} on ${platform}` });
    return thread();
  };
  const working = await shows(/leave the rest as it is/);
  release();
  const done = await shows(/^✓ 3 turns/m);
  const page = await browser.newPage({ viewport: { width: 1100, height: 400 }, deviceScaleFactor: 1.5 });
  await page.setContent(drawThread({ platform, working, done, render: renderMarkdown }));
  const file = path.join(IMAGES, `${platform.toLowerCase()}.png`);
  writeFileSync(file, await page.locator("main").screenshot());
  await page.close();
}

async function drawSlack(browser: Browser): Promise<void> {
  await using scene = await slackScene();
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
  await using scene = await discordScene();
  const { world } = scene.discord;
  const thread = () => {
    const channels = [...world.channels.values()];
    const opened = channels.find(({ type }) => type === TYPE.thread);
    const root = channels.flatMap(({ messages }) => messages).find(({ id }) => id === opened?.id);
    // The thread repeats its root as an empty message of a type of its own, which clients replace by the root.
    const replies = opened?.messages.filter(({ content }) => content !== "") ?? [];
    return [...(root === undefined ? [] : [root]), ...replies].map((message) => ({
      author: message.author.global_name ?? message.author.username,
      byBot: message.author.id === world.bot.id,
      markdown: message.content.replace(`<@${world.bot.id}>`, "@deckhand").replaceAll(/[\u200b\u200c]/g, ""),
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
