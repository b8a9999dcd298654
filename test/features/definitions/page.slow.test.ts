import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { expect, test } from "vitest";
import { text, toolUse } from "../../support/model/model-script.ts";
import { closeWindows, sharedBrowser } from "../../support/program/browser.ts";
import { useShared } from "../../support/run/use-shared.ts";
import type { SlackOffice } from "../../support/talk/slack-talk.ts";
import {
  addAccount,
  complaintsAbout,
  consoleOffice,
  expectSound,
  leave,
  originOf,
  picture,
  signedIn,
} from "../console/console-world.ts";
import { ask, toldOn } from "./definitions-world.ts";

/** Agents, skills and instructions on the page, in a real browser. */

let browser: Browser;
let at: SlackOffice;

/** What would be HTML, were it not text. */
const HOSTILE = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>[go](javascript:window.hit=1)';

useShared(
  async () => {
    browser = await sharedBrowser();
    at = await consoleOffice({
      channels: { "slack:C1900": { agentDefinition: "plan" }, "slack:C1901": {} },
      agents: { reviewer: { description: "Reviews by the house's rules." } },
    });
    const root = at.bot.sandboxRoot("slack-C1900");
    mkdirSync(path.join(root, ".agents/skills/tidy"), { recursive: true });
    writeFileSync(path.join(root, "AGENTS.md"), `Keep to the pier.\n\n${HOSTILE}`);
    writeFileSync(
      path.join(root, ".agents/skills/tidy/SKILL.md"),
      `---\ndescription: Tidies ${HOSTILE}\n---\nTidy up.`,
    );
    at.model.script((request) =>
      request.lastUserText.includes("review it") && request.toolResults.length === 0
        ? toolUse("skill", { skill: "code-review" })
        : text("Done."),
    );
    await addAccount(at, { name: "ana", role: "admin" });
    await addAccount(at, { name: "max", role: "admin" });
    await addAccount(at, { name: "vera", role: "viewer" });
  },
  async () => {
    await closeWindows(browser);
    await at[Symbol.asyncDispose]();
  },
);

const source = (page: Page) => page.locator("#definition-text");
/** What is selected in the element that has the focus. */
const SELECTED =
  "(({ value, selectionStart, selectionEnd }) => value.slice(selectionStart, selectionEnd))(document.activeElement)";
const openAt = async (page: Page, hash: string) => {
  await page.goto(`${originOf(at)}/#/${hash}`);
};
async function review(page: Page): Promise<void> {
  const button = page.getByRole("button", { name: "Review and save" });
  await expect.poll(() => button.getAttribute("aria-disabled")).toBe("false");
  await button.press("Enter");
}

async function save(page: Page): Promise<void> {
  await review(page);
  await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).press("Enter");
}

test("axe finds no accessibility violation in lists, editors, dialogs and instructions, on any screen", async () => {
  const page = await signedIn(at, browser, { name: "ana" });
  const looked = (what: string, part: { within?: string } = {}) => expectSound(page, what, part);
  for (const [section, title, one] of [
    ["agents", "Agents", "build"],
    ["skills", "Skills", "code-review"],
  ] as const) {
    await openAt(page, section);
    await page.getByRole("table", { name: title, exact: true }).waitFor();
    await looked(section);
    await openAt(page, `${section}/${one}`);
    await page.getByRole("heading", { name: one }).waitFor();
    await page.getByRole("table", { name: "Revisions" }).or(page.getByText("No changes yet")).waitFor();
    await looked(`${section}-one`);
  }
  await source(page).fill("---\ndescription: x\nscope: 5\nargs: 3\n---\nx");
  await page.getByRole("button", { name: "Line 4" }).waitFor();
  await looked("skill-problem");
  await source(page).fill("---\ndescription: Counts herons.\n---\n\n# Herons\n\nCount them.\n");
  await review(page);
  await page.getByRole("dialog").getByText("Counts herons.").first().waitFor();
  await looked("skill-review", { within: "dialog[open]" });
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Discard changes" }).press("Enter");
  await openAt(page, "instructions");
  await page.getByRole("table", { name: "Channels" }).waitFor();
  await looked("instructions");
  await openAt(page, `instructions/${encodeURIComponent("slack:C1900")}`);
  await page.getByText("Everything its runs are told").waitFor();
  await page.getByText("AGENTS.md", { exact: true }).click();
  await looked("instructions-one");
  await leave(page);
});

test("a skill can be edited, corrected, saved and used by keyboard, and the shipped one restored", async () => {
  const page = await signedIn(at, browser, { name: "ana" });
  await page.getByRole("list", { name: "Manage" }).getByRole("link", { name: "Skills" }).press("Enter");
  await page.getByRole("link", { name: "code-review" }).press("Enter");
  await source(page).focus();
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.insertText(
    "---\ndescription: Looks for herons.\nargs: [a, a]\n---\nCount the **herons** first.\n",
  );
  const wrong = page.getByRole("button", { name: "Line 3" });
  await wrong.press("Enter");
  expect(await page.evaluate(SELECTED)).toBe("args: [a, a]");
  await page.keyboard.insertText("tools: [read]");
  await wrong.waitFor({ state: "detached" });
  expect(await page.getByRole("region", { name: "Preview" }).locator("strong").textContent()).toBe("herons");
  await save(page);
  await page.getByText("✓ Saved as revision 1.").waitFor();
  await page.getByText("It replaces the built-in one.").waitFor();

  const talk = at.talk({ text: "review it", channel: at.channel() });
  await talk.answered(1);
  expect(toldOn(at, "review it")).toContain("Count the **herons** first.");

  await page.getByRole("button", { name: "Restore the built-in one" }).press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Restore the built-in one" }).press("Enter");
  await page.getByText("✓ The built-in one applies again.").waitFor();
  await page.getByRole("button", { name: "Compare revision 1" }).press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Open in the editor" }).press("Enter");
  await expect.poll(() => source(page).inputValue()).toContain("Looks for herons.");
  await page.getByRole("button", { name: "Discard changes" }).press("Enter");
  const later = at.talk({ text: "review it again", channel: at.channel() });
  await later.answered(1);
  expect(toldOn(at, "review it again")).not.toContain("herons");
  await leave(page);
});

test("an agent can be created on the page, chosen by /agent, and removed; an invalid name is refused", async () => {
  const page = await signedIn(at, browser, { name: "ana", section: "agents" });
  await page.getByRole("link", { name: "New agent" }).press("Enter");
  await page.getByRole("textbox", { name: "Name (required)" }).fill("The Scribe");
  await page.getByText("A name has lower-case letters").waitFor();
  await page.getByRole("textbox", { name: "Name (required)" }).fill("scribe");
  await source(page).fill(
    `---\ndescription: ${JSON.stringify(HOSTILE)}\naccess: read-only\n---\nWrite like a heron. ${HOSTILE}`,
  );
  await save(page);
  await page.getByRole("heading", { name: "scribe" }).waitFor();
  await page.getByText("read-only", { exact: true }).waitFor();

  at.talk({ text: "@scribe take notes", channel: at.channel() });
  await at.until("the request", () => at.requestsAbout("take notes").length > 0);
  expect(toldOn(at, "take notes")).toContain("Write like a heron.");

  await openAt(page, "agents");
  await page.getByRole("row").filter({ hasText: "scribe" }).filter({ hasText: "set on this page" }).waitFor();
  for (const hash of ["agents/scribe", "skills", `instructions/${encodeURIComponent("slack:C1900")}`]) {
    await openAt(page, hash);
    await page.locator(".definitions").getByText("<script>").first().waitFor({ state: "attached" });
    expect(await page.locator(".definitions script, .definitions img").count()).toBe(0);
    expect(await page.locator('.definitions a[href^="javascript:"]').count()).toBe(0);
  }
  expect(await page.evaluate("window.hit")).toBeUndefined();

  await openAt(page, "agents/scribe");
  await page.getByRole("button", { name: "Remove" }).press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).press("Enter");
  await page.getByText("✓ scribe was removed.").waitFor();
  expect(await said("who is there?")).not.toContain("- scribe");
  await leave(page);
});

async function said(words: string): Promise<string> {
  await at.talk({ text: words, channel: at.channel() }).answered(1);
  return toldOn(at, words);
}

test("a new agent's text is marked invalid only once it has a name, and a used name is reported", async () => {
  const page = await signedIn(at, browser, { name: "ana", section: "agents/+" });
  await page.getByText(/^Line 1 · \d+ bytes$/u).waitFor();
  expect(await source(page).getAttribute("aria-invalid")).toBe("false");
  await page.getByRole("textbox", { name: "Name (required)" }).fill("plan");
  await save(page);
  await page.getByText("There is an agent with that name. Open that one to change it.").waitFor();
  await leave(page);
});

test.each(["skills", "agents", "instructions", "jobs"])(
  "a malformed address in %s says that there is no such entry",
  async (section) => {
    const page = await signedIn(at, browser, { name: "ana" });
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(String(error)));
    await openAt(page, `${section}/100%`);
    await page.getByRole("alert").waitFor();
    expect(await page.getByRole("alert").innerText()).toMatch(
      /There is none with that name|This job no longer exists/u,
    );
    expect(errors).toEqual([]);
    await leave(page);
  },
);

test("of two browsers that save concurrently the second is shown both versions, and loses neither", async () => {
  const [ana, max] = await Promise.all([
    signedIn(at, browser, { name: "ana", section: "skills/refactor" }),
    signedIn(at, browser, { name: "max", section: "skills/refactor" }),
  ]);
  for (const page of [ana, max]) await source(page).waitFor();
  await source(ana).fill("---\ndescription: ana's\n---\nAs ana says.");
  await source(max).fill("---\ndescription: max's\n---\nAs max says.");
  await save(ana);
  await ana.getByText("✓ Saved as revision 1.").waitFor();
  await save(max);
  const conflict = max.getByRole("alert").filter({ hasText: "ana saved another version" });
  await conflict.getByText("As ana says.").waitFor();
  await picture(max, "conflict");
  expect(await complaintsAbout(max)).toEqual([]);
  expect(await source(max).inputValue()).toContain("As max says.");
  expect((await ask(ana, "/one?kind=skill&name=refactor")).body["text"]).toContain("As ana says.");
  await conflict.getByRole("button", { name: "Keep mine" }).press("Enter");
  await save(max);
  await max.getByText("✓ Saved as revision 2.").waitFor();
  expect((await ask(ana, "/one?kind=skill&name=refactor")).body["text"]).toContain("As max says.");

  await openAt(ana, "skills/refactor");
  await source(ana).fill("---\ndescription: ana's\n---\nOnce more.");
  await source(max).fill("---\ndescription: max's\n---\nAnd again.");
  await save(max);
  await max.getByText("✓ Saved as revision 3.").waitFor();
  await save(ana);
  await ana.getByRole("button", { name: "Use theirs" }).press("Enter");
  await expect.poll(() => source(ana).inputValue()).toContain("And again.");
  await Promise.all([leave(ana), leave(max)]);
});

test("unsaved text survives leaving the page, is marked in the list, and can be discarded", async () => {
  const page = await signedIn(at, browser, { name: "ana", section: "skills/designer" });
  await source(page).fill("---\ndescription: Half written\n---\nHalf.");
  await page.getByRole("link", { name: "All skills" }).press("Enter");
  await page.getByRole("row").filter({ hasText: "designer" }).filter({ hasText: "not saved" }).waitFor();
  await page.reload();
  await page.getByRole("link", { name: "designer" }).press("Enter");
  await page.getByText("This is your unsaved text from an earlier visit.").waitFor();
  expect(await source(page).inputValue()).toContain("Half written");
  await page.getByRole("button", { name: "Discard", exact: true }).press("Enter");
  await expect.poll(() => source(page).inputValue()).toContain("name: designer");
  await leave(page);
});

test("definitions are read-only for viewers, and those from the settings are locked for admins as well", async () => {
  const page = await signedIn(at, browser, { name: "vera", section: "agents/build" });
  await page.getByText("all channels without an agent of their own").waitFor();
  expect(await source(page).getAttribute("readonly")).not.toBeNull();
  expect(await page.getByRole("button", { name: /save|Restore|Remove/iu }).count()).toBe(0);
  await openAt(page, "agents");
  await page.getByRole("table", { name: "Agents", exact: true }).waitFor();
  expect(await page.getByRole("link", { name: "New agent" }).count()).toBe(0);
  expect(await page.getByText("slack:C1900").count()).toBe(0);
  await leave(page);

  const admin = await signedIn(at, browser, { name: "ana" });
  await openAt(admin, "agents/reviewer");
  await admin.getByText("agents.reviewer of deckhand.config.json").waitFor();
  expect(await source(admin).getAttribute("readonly")).not.toBeNull();
  await leave(admin);
});

test("a channel's instructions can be written on the page, and come last in its runs' prompts", async () => {
  const page = await signedIn(at, browser, { name: "ana", section: "instructions" });
  const checked = page.waitForResponse(/definitions\/check/u);
  await page.getByRole("link", { name: /C1901/u }).press("Enter");
  await checked;
  await page.evaluate("new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown)))");
  // Who has written nothing yet has made no mistake.
  expect(await source(page).getAttribute("aria-invalid")).toBe("false");
  await source(page).fill("Answer in the words of herons.");
  await save(page);
  await page.getByText("✓ Saved as revision 1.").waitFor();
  await page.getByText("the page, for this channel").waitFor();
  await at.talk({ text: "what is told here?", channel: "C1901" }).answered(1);
  expect(toldOn(at, "what is told here?")).toContain("Answer in the words of herons.");
  await page.getByRole("button", { name: "Remove" }).press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).press("Enter");
  await page.getByText("✓ Removed").waitFor();
  expect(await source(page).inputValue()).toBe("");
  await leave(page);
});
