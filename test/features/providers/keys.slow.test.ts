import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import type { Browser, Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { hold, type Reply, text } from "../../support/model/model-script.ts";
import { closeWindows, sharedBrowser } from "../../support/program/browser.ts";
import { type CliResult, runCli } from "../../support/program/cli.ts";
import { useShared } from "../../support/run/use-shared.ts";
import { type SlackOffice, slackOffice } from "../../support/talk/slack-talk.ts";
import { addAccount, expectSound, leave, signedIn } from "../console/console-world.ts";

/** Keys that are set while the program runs, without a restart; it is started without any. */

/** The only key that the local server accepts. */
const KEY = "test-key";
const WRONG = "sk-nobody-has-this-key-0000";

let browser: Browser;
let at: SlackOffice;

useShared(
  async () => {
    browser = await sharedBrowser();
    at = await slackOffice({ env: { HOST: "0.0.0.0", ANTHROPIC_API_KEY: "", DECKHAND_MODEL: "" } });
    await at.bot.start();
    await addAccount(at, { name: "ana", role: "admin" });
  },
  async () => {
    await closeWindows(browser);
    await at[Symbol.asyncDispose]();
  },
);

beforeEach(async () => {
  await keys("remove", "anthropic");
  at.model.script(() => text("Said with a real key."));
});

function keys(...args: string[]): Promise<CliResult> {
  return runCli(["keys", ...args], { cwd: at.bot.home, env: at.env });
}

function setKey(key: string): Promise<CliResult> {
  const stdin = Readable.from([Buffer.from(`${key}\n`)]);
  return runCli(["keys", "set", "anthropic"], { cwd: at.bot.home, env: at.env, stdin });
}

const answer = (words: string) => at.talk({ text: words, channel: at.channel() }).answered(1);
const row = (page: Page) =>
  page.getByRole("table", { name: "Providers" }).locator("tbody tr", { hasText: "Anthropic" });

test("an admin can test, store, replace and remove a key on the page, and the next run uses it", async () => {
  const page = await signedIn(at, browser, { name: "ana", section: "providers" });
  await row(page).getByText("none; set it here").waitFor();
  const demo = page.getByText("Set a provider's key under");
  await demo.getByRole("link", { name: "Providers" }).click();
  await demo.waitFor();
  expect(await answer("before there is a key")).not.toContain("real key");

  await page.getByRole("button", { name: "Set a key for Anthropic" }).press("Enter");
  const dialog = page.getByRole("dialog", { name: "Set a key for Anthropic" });
  await dialog.getByLabel("Key", { exact: true }).fill(WRONG);
  await dialog.getByRole("button", { name: "Test this key" }).click();
  await dialog.getByText("✗ Anthropic: refused (HTTP 401)").waitFor();
  await dialog.getByLabel("Key", { exact: true }).fill("two words");
  await page.keyboard.press("Enter");
  await dialog.getByRole("alert").getByText("A key has no spaces").waitFor();
  await dialog.getByLabel("Key", { exact: true }).fill(KEY);
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  await row(page).getByText("stored (ana,").waitFor();
  await demo.waitFor({ state: "detached" });
  await page.getByText("unless a channel or thread has another: anthropic/").waitFor();
  expect(await answer("now there is one")).toBe("Said with a real key.");

  await page.getByRole("button", { name: "Replace the key for Anthropic" }).click();
  await page.getByLabel("Key", { exact: true }).fill(WRONG);
  await page.keyboard.press("Enter");
  await row(page).getByText("ends in 0000").waitFor();
  await page.getByRole("button", { name: "Test Anthropic" }).click();
  await row(page).getByText("✗ Anthropic: refused (HTTP 401)").waitFor();
  expect(await answer("and with one that is refused")).toContain("key");

  await page.getByRole("button", { name: "Remove the stored key for Anthropic" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove key" }).click();
  await row(page).getByText("none; set it here").waitFor();
  expect(await answer("and again with none")).not.toContain("real key");
  expect(await page.content()).not.toContain(WRONG);
  await leave(page);
});

test("a key set by the command line beside the running program is used by its next run, also after a kill", async () => {
  expect(await keys("list")).toMatchObject({ out: expect.stringContaining("No provider has a key") });
  expect(await setKey("no key at all")).toMatchObject({ failed: true, error: expect.stringContaining("no spaces") });
  expect(await keys("set", "nobody")).toMatchObject({ failed: true, error: "✗ There is no provider nobody." });
  expect(await setKey(KEY)).toMatchObject({
    failed: false,
    out: expect.stringContaining("✓ The key for Anthropic is stored"),
  });
  await at.until("the key is used", async () => (await answer("is it there")) === "Said with a real key.");

  await at.bot.kill("SIGKILL");
  await at.bot.start();
  expect(await answer("is it still there")).toBe("Said with a real key.");
  expect((await keys("list")).out).toMatch(/^anthropic · stored · set by command line \d{4}-/u);
  expect((await keys("test", "anthropic")).out).toMatch(/^✓ Anthropic: it accepts the key/u);
  const { out } = await runCli(["doctor"], { cwd: at.bot.home, env: at.env });
  expect(out).toContain("model: anthropic/");

  expect((await keys("remove", "anthropic")).out).toBe("✓ The key for Anthropic was removed.");
  expect((await keys("remove", "anthropic")).failed).toBe(true);
  await at.until("the key is gone", async () => (await answer("is it gone")) !== "Said with a real key.");
  expect((await keys("test", "anthropic")).error).toBe(
    "✗ Anthropic has no key. `deckhand keys set anthropic` stores one.",
  );
});

test("a running call keeps its key while another is set, which the next call uses", async () => {
  await setKey(KEY);
  await at.until("the key is used", async () => (await answer("is it there")) === "Said with a real key.");
  const gate = hold();
  const real = text("Said with a real key.");
  at.model.script(({ lastUserText }): Reply => (lastUserText.includes("take your time") ? [gate.part, real] : real));
  const talk = at.talk({ text: "take your time", channel: at.channel() });
  await gate.reached;
  await setKey(WRONG);
  await at.until("the other key is used", async () => (await answer("and this one")) !== "Said with a real key.");
  gate.release();
  expect(await talk.answered(1)).toBe("Said with a real key.");
});

test("keys that cannot be decrypted are reported on the page, by doctor and in the list, and a newly set one works", async () => {
  await setKey(WRONG);
  writeFileSync(path.join(at.bot.home, "data/keys/secret.key"), `${Buffer.alloc(32, 9).toString("base64")}\n`);
  await at.bot.kill("SIGTERM");
  await at.bot.start();
  const lost =
    "Stored keys cannot be used (Anthropic): they were encrypted with another key. Restore that key, or set them again.";
  const page = await signedIn(at, browser, { name: "ana", section: "providers" });
  await page.getByRole("alert").getByText(lost).waitFor();
  await row(page).getByText("stored, but cannot be decrypted").waitFor();
  await leave(page);
  expect((await keys("list")).out).toContain(`⚠ ${lost}`);
  expect((await runCli(["doctor"], { cwd: at.bot.home, env: at.env })).out).toContain(`⚠ ${lost}`);
  await setKey(KEY);
  await at.until("the new one is used", async () => (await answer("and set anew")) === "Said with a real key.");
  await keys("remove", "anthropic");
});

test("neither the log nor any file of the home directory contains a key in clear", async () => {
  await setKey(WRONG);
  await at.until("it is refused", async () => (await answer("what of this one")).includes("key"));
  const files = readdirSync(at.bot.home, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  const holding = files
    .map((each) => path.join(each.parentPath, each.name))
    .filter((file) => readFileSync(file, "latin1").includes(WRONG));
  expect(holding).toEqual([]);
  expect(at.bot.output()).not.toContain(WRONG);
});

test("axe finds no accessibility violation in a stored key and its dialog, on any screen", async () => {
  await setKey(WRONG);
  const page = await signedIn(at, browser, { name: "ana", section: "providers" });
  await row(page).getByText("stored").waitFor();
  await expectSound(page, "keys");
  await page.getByRole("button", { name: "Replace the key for Anthropic" }).click();
  await page.getByLabel("Key", { exact: true }).fill(WRONG);
  await expectSound(page, "key-dialog", { within: "dialog[open]" });
  await leave(page);
});
