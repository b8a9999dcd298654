import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { expect, test } from "vitest";
import { text, toolUse } from "../../support/model/model-script.ts";
import { closeWindows, sharedBrowser } from "../../support/program/browser.ts";
import { runCli } from "../../support/program/cli.ts";
import { printedUrl } from "../../support/program/page-visit.ts";
import { useShared } from "../../support/run/use-shared.ts";
import { typed } from "../../support/talk/memory-talk.ts";
import { type SlackOffice, slackOffice } from "../../support/talk/slack-talk.ts";

/** The page on a public address, in a real browser, over the whole program and a local Slack. */

const PASSWORD = "heron on the long pier";

let browser: Browser;
let at: SlackOffice;

useShared(
  async () => {
    browser = await sharedBrowser();
    at = await slackOffice({
      env: { HOST: "0.0.0.0" },
      settings: { approvals: { approvers: ["slack:U0ANA"], requester: false } },
    });
    at.model.script((request) =>
      request.toolResults.length > 0 || !request.lastUserText.includes("create")
        ? text("Done.")
        : toolUse("write", { path: "config.toml", content: "port = 8080\n" }),
    );
    await at.bot.start();
  },
  async () => {
    await closeWindows(browser);
    await at[Symbol.asyncDispose]();
  },
);

async function opened(address: string, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(address);
  return page;
}

const originOf = () => new URL(printedUrl(at.bot)).origin;
const composer = (page: Page) => page.getByRole("textbox", { name: "Message to Deckhand" });
const messages = (page: Page) => page.getByRole("list", { name: "Messages" });

async function say(page: Page, words: string): Promise<void> {
  await composer(page).fill(words);
  await composer(page).press("Enter");
}

async function signIn(page: Page, name: string): Promise<void> {
  await page.getByRole("textbox", { name: "Name" }).fill(name);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Sign out" }).waitFor();
}

// The parts are one test because each needs the accounts of those before it.
test("accounts can be created on the page, and survive a kill", async () => {
  const used = await setsUp();
  await outlivesAKill(await colleagueReads(), used);
});

/**
 * Goes from the printed address to an account, a linked person's decision and signing out. Resolves to the line that
 * linked the person.
 */
async function setsUp(): Promise<string> {
  const page = await opened(printedUrl(at.bot));
  await page.getByRole("heading", { name: "Set up Deckhand" }).waitFor();
  // The field for the first name has the keyboard focus.
  await page.keyboard.type("ana");
  await page.keyboard.press("Tab");
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press("Tab");
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press("Enter");
  await composer(page).waitFor();
  expect(new URL(page.url()).search).toBe("");

  await say(page, "create config.toml");
  const card = messages(page).getByRole("group", { name: /Deckhand asks: Create config\.toml\? asked by @ana/u });
  await card.waitFor();
  await page.getByRole("link", { name: "1 waiting for people" }).waitFor();
  await card.getByRole("button", { name: "Allow once" }).click();
  await page.getByText("Only an approver can.").first().waitFor();
  const file = path.join(at.bot.sandboxRoot("web-team"), "config.toml");
  expect(existsSync(file)).toBe(false);

  const line = await linkLine(page);
  const channel = at.channel();
  expect(await typed(at, `ana ${"A".repeat(10)}`, { channel, name: "link" })).toContain("That code is not valid");
  expect(await typed(at, line, { channel, name: "link" })).toContain("is linked to you");
  expect(await typed(at, line, { channel, name: "link", user: "U0BOB" })).toContain("That code is not valid");

  // The heading says “people” because the decision may be for somebody else than the reader.
  await page.getByRole("list", { name: "Waiting for people" }).waitFor();
  await card.getByRole("button", { name: "Allow once" }).click();
  await messages(page).getByText("Allowed by @ana: write").waitFor();
  await expect.poll(() => existsSync(file)).toBe(true);
  expect(readFileSync(file, "utf8")).toBe("port = 8080\n");

  // The button is visible on a low screen as well.
  const signOut = page.getByRole("button", { name: "Sign out" });
  await page.setViewportSize({ width: 1280, height: 480 });
  const { y = Infinity, height = 0 } = (await signOut.boundingBox()) ?? {};
  expect(y + height).toBeLessThanOrEqual(480);
  await signOut.click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await page.goBack();
  await page.reload();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await page.context().close();
  return line;
}

/** The line that ana must type on another platform to link herself; waits until it differs from `before`. */
async function linkLine(page: Page, before = ""): Promise<string> {
  await say(page, "/link");
  const newest = messages(page).getByText("send this to Deckhand on Slack or Discord").last();
  const read = async () => /\/link (ana \w{10})/u.exec((await newest.textContent()) ?? "")?.[1] ?? before;
  await expect.poll(read).not.toBe(before);
  return read();
}

/** Runs a subcommand of `deckhand user`. */
function cli(args: readonly string[], password = "") {
  return runCli(["user", ...args], {
    cwd: at.bot.home,
    env: {},
    stdin: Readable.from([Buffer.from(`${password}\n`)]),
  });
}

/**
 * Checks that a viewer reads who has written which message but may do no more. Resolves to vera's page, still signed
 * in.
 */
async function colleagueReads(): Promise<Page> {
  expect(await cli(["add", "vera", "--role", "viewer"], PASSWORD)).toMatchObject({ error: "", failed: false });
  expect((await cli(["add", "vera"], PASSWORD)).error).toContain("There is already an account named vera");
  expect((await cli(["add", "bob"], "short")).error).toContain("at least 12 characters");
  expect((await cli(["list"])).out).toMatch(
    /^ana · admin · .*linked to .*\(slack:U0ANA\)\nvera · viewer · never signed in$/u,
  );

  const page = await opened(`${originOf()}/#/sessions`);
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await signIn(page, "vera");
  // The page that the link named opens after the sign-in.
  await page.getByRole("heading", { name: "Sessions" }).waitFor();
  await page.getByRole("navigation").getByText("create config.toml").click();
  await page.getByText("Your account may only read.").waitFor();
  expect(await composer(page).count()).toBe(0);
  await messages(page).getByText("ana", { exact: true }).first().waitFor();
  // The page offers no action that the server would refuse.
  expect(await messages(page).getByRole("group", { name: "Actions" }).count()).toBe(0);
  // vera does not see private answers to ana.
  expect(await messages(page).getByText("send this to Deckhand").count()).toBe(0);
  return page;
}

/** Checks that the count of failed guesses, a code for linking and signed-in sessions outlive a kill. */
async function outlivesAKill(veras: Page, used: string): Promise<void> {
  const { origin } = new URL(printedUrl(at.bot));
  const stranger = await browser.newContext();
  const guess = async () => {
    const page = await (await stranger.request.get(`${origin}/login`)).text();
    const token = /name="token" value="([^"]+)"/u.exec(page)?.[1] ?? "";
    const form = { token, name: "nobody", password: "a wrong password" };
    return (await stranger.request.post(`${origin}/login`, { form, headers: { origin } })).status();
  };
  for (let tries = 0; tries < 3; tries += 1) expect(await guess()).toBe(401);

  const page = await opened(origin);
  await signIn(page, "ana");
  const line = await linkLine(page, used);
  await at.bot.kill("SIGKILL");
  await at.bot.start();
  expect(await typed(at, line, { channel: at.channel(), name: "link" })).toContain("is linked to you");
  await veras.reload();
  await veras.getByRole("button", { name: "Sign out" }).waitFor();
  expect((await cli(["logout", "vera"])).out).toContain("signed out everywhere");
  await veras.getByRole("heading", { name: "Sign in" }).waitFor();
  // The address of the open page is kept through the sign-out.
  expect(new URL(veras.url()).hash).not.toBe("");
  await veras.context().close();

  for (let tries = 0; tries < 2; tries += 1) expect(await guess()).toBe(401);
  expect(await guess()).toBe(429);
  await stranger.close();
  await page.context().close();
}
