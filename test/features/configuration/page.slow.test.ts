import type { Browser, Page } from "playwright-core";
import { expect, test } from "vitest";
import { z } from "zod";
import { closeWindows, sharedBrowser } from "../../support/program/browser.ts";
import { useShared } from "../../support/run/use-shared.ts";
import type { SlackOffice } from "../../support/talk/slack-talk.ts";
import {
  addAccount,
  complaintsAbout,
  consoleOffice,
  expectSound,
  handMade,
  leave,
  originOf,
  picture,
  signedIn,
} from "../console/console-world.ts";

/** The settings in a real browser: changed, saved, found again, and gone back to. */

let browser: Browser;
let at: SlackOffice;

useShared(
  async () => {
    browser = await sharedBrowser();
    at = await consoleOffice({ budgets: { runUsd: 2 }, channels: { "slack:C0X": { maxTurns: 5 } } });
    await addAccount(at, { name: "ana", role: "admin" });
    await addAccount(at, { name: "ben", role: "admin" });
    await addAccount(at, { name: "vera", role: "viewer" });
    await addAccount(at, { name: "otto", role: "operator" });
  },
  async () => {
    await closeWindows(browser);
    await at[Symbol.asyncDispose]();
  },
);

const row = (page: Page, name: string) => page.locator(`[data-setting="${name}"]`);
/** Searches only the field's row, because checking the labels of hundreds of fields is slow. */
const field = (page: Page, name: string) => row(page, name).getByLabel(name, { exact: true });

async function settingsOf(page: Page): Promise<void> {
  await page.goto(`${originOf(at)}/#/settings`);
  await field(page, "budgets.dayUsd").waitFor();
}

async function settingsAs(name: string): Promise<Page> {
  const page = await signedIn(at, browser, { name, section: "settings" });
  await field(page, "budgets.dayUsd").waitFor();
  return page;
}

async function save(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Review and save" }).click();
  await page.getByRole("table", { name: "What changes" }).waitFor();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
}

const post = (page: Page, name: string, body: object) => handMade(page, `/features/configuration/${name}`, body);

async function numberNow(page: Page): Promise<number> {
  const text = await page.evaluate(async () => (await fetch("/features/configuration/settings")).text());
  return z.object({ number: z.number() }).parse(JSON.parse(text)).number;
}

test("axe finds no accessibility violation in the settings, their review and history, on any screen", async () => {
  const page = await settingsAs("ana");
  await field(page, "budgets.dayUsd").fill("-1");
  await row(page, "budgets.dayUsd").getByText("must be more than 0").waitFor();
  await field(page, "budgets.dayUsd").scrollIntoViewIfNeeded();
  await expectSound(page, "settings-problem");
  await field(page, "budgets.dayUsd").fill("20");
  await field(page, "jobs.logDays").fill("50");
  await page.getByRole("button", { name: "Review and save" }).click();
  await page.getByRole("table", { name: "What changes" }).waitFor();
  // The page's shortcuts wait until the dialog is closed.
  await page.keyboard.press("?");
  await expectSound(page, "settings-review", { within: "dialog[open]" });
  expect(await page.getByRole("dialog").count()).toBe(1);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("A restart is needed: until then").waitFor();
  // The button that had the focus is gone, so the heading gets it.
  await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Settings");
  await picture(page, "settings-saved");
  await page.goto(`${originOf(at)}/#/settings/history`);
  await page.getByRole("table", { name: "Settings revisions" }).waitFor();
  await expectSound(page, "settings-history");
  await leave(page);
});

test("a budget that is set on the page applies at once, and is in the history and the audit log", async () => {
  const page = await settingsAs("ana");
  await field(page, "budgets.userUsd").fill("0.000001");
  await save(page);
  await page.getByText("✓ Saved as revision").waitFor();
  const stopped = at.talk({ text: "how dear is this", channel: at.channel() });
  expect(await stopped.answered(1)).toContain("`budgets.userUsd`");

  await page.getByRole("button", { name: "Use the default for budgets.userUsd" }).click();
  await save(page);
  await row(page, "budgets.userUsd").getByText("not set").waitFor();
  const answered = at.talk({ text: "and now", channel: at.channel() });
  expect(await answered.answered(1)).not.toContain("budgets.userUsd");

  await page.goto(`${originOf(at)}/#/settings/history`);
  const history = page.getByRole("table", { name: "Settings revisions" }).locator("tbody tr");
  await history.first().filter({ hasText: "ana" }).filter({ hasText: "budgets.userUsd" }).waitFor();
  await page.goto(`${originOf(at)}/#/audit`);
  const entries = page.getByRole("row").filter({ hasText: "changed settings" });
  await entries.filter({ hasText: "budgets.userUsd" }).first().waitFor();
  await leave(page);
});

test("a setting that needs a restart applies after it, and is no longer listed as pending", async () => {
  const page = await settingsAs("ana");
  await field(page, "jobs.timezone").fill("Europe/Paris");
  await save(page);
  await page.getByText("A restart is needed: until then").filter({ hasText: "jobs.timezone" }).waitFor();
  await at.bot.kill("SIGTERM");
  await at.bot.start();
  await page.reload();
  await row(page, "jobs.timezone").getByText("set here").waitFor();
  expect(await field(page, "jobs.timezone").inputValue()).toBe("Europe/Paris");
  expect(await page.getByText("A restart is needed").count()).toBe(0);
  await leave(page);
});

test("of two people who save concurrently the second is shown the first's change, and nothing is lost", async () => {
  const [ana, ben] = [await settingsAs("ana"), await settingsAs("ben")];
  await field(ana, "approvals.expiresMinutes").fill("30");
  await field(ben, "approvals.expiresMinutes").fill("45");
  await field(ben, "budgets.sessionUsd").fill("7");
  await save(ana);
  await ben.getByRole("button", { name: "Review and save" }).click();
  await ben.getByRole("button", { name: "Save", exact: true }).click();
  const theirs = ben.getByRole("table", { name: "Changes by ana" }).getByRole("row");
  await theirs.filter({ hasText: "approvals.expiresMinutes" }).filter({ hasText: "30" }).waitFor();
  const mine = ben.getByRole("table", { name: "What changes" }).getByRole("row");
  await mine
    .filter({ hasText: "approvals.expiresMinutes" })
    .filter({ hasText: /30.*45/u })
    .waitFor();
  await mine.filter({ hasText: "budgets.sessionUsd" }).filter({ hasText: "7" }).waitFor();
  expect(await complaintsAbout(ben)).toEqual([]);
  await picture(ben, "settings-conflict");
  await ben.getByRole("button", { name: "Save my changes over theirs" }).click();
  await ben.getByRole("dialog").waitFor({ state: "detached" });
  await ana.reload();
  await row(ana, "budgets.sessionUsd").getByText("set here").waitFor();
  expect(await field(ana, "approvals.expiresMinutes").inputValue()).toBe("45");
  expect(await field(ana, "budgets.sessionUsd").inputValue()).toBe("7");

  // Setting a value that another has already set to the same is a conflict, too.
  const same = { after: (await numberNow(ana)) - 1, changes: [{ path: ["budgets", "sessionUsd"], value: 7 }] };
  const { body } = await post(ana, "save", same);
  expect(JSON.parse(body)).toMatchObject({ type: "conflict", newest: { by: "ben" } });
  await Promise.all([leave(ana), leave(ben)]);
});

test("unsaved changes survive a visit to another page, and changes beyond the size limit are refused", async () => {
  const page = await settingsAs("ana");
  await field(page, "appendSystemPrompt").fill("Answer in French.");
  await page.getByRole("link", { name: "Usage" }).click();
  await page.getByRole("heading", { name: "Usage" }).waitFor();
  await settingsOf(page);
  await page.getByText("1 unsaved change.").waitFor();
  expect(await field(page, "appendSystemPrompt").inputValue()).toBe("Answer in French.");
  await field(page, "appendSystemPrompt").fill("x".repeat(100_001));
  await page.getByText("at most 100,000 characters").waitFor();
  await page.getByRole("button", { name: "Discard" }).click();
  await page.reload();
  await field(page, "appendSystemPrompt").waitFor();
  expect(await field(page, "appendSystemPrompt").inputValue()).toBe("");
  const after = await numberNow(page);
  const changes = [{ path: ["appendSystemPrompt"], value: "x".repeat(100_001) }];
  expect((await post(page, "save", { after, changes })).status).toBe(400);
  await leave(page);
});

test("invalid input is kept, like all unsaved changes, until it is discarded", async () => {
  const page = await settingsAs("ana");
  await field(page, "maxTurns").fill("12o");
  await row(page, "maxTurns").getByText("must be a number.").waitFor();
  await page.getByRole("link", { name: "Usage" }).click();
  await page.getByRole("heading", { name: "Usage" }).waitFor();
  await settingsOf(page);
  expect(await field(page, "maxTurns").inputValue()).toBe("12o");
  await row(page, "maxTurns").getByText("must be a number.").waitFor();
  await page.getByRole("button", { name: "Discard" }).click();
  await page.reload();
  await field(page, "maxTurns").waitFor();
  expect(await field(page, "maxTurns").inputValue()).not.toBe("12o");
  await leave(page);
});

test("an old revision can be viewed and restored as a new one by keyboard alone", async () => {
  const page = await settingsAs("ana");
  await field(page, "outputStyle").selectOption("formal");
  await save(page);
  const good = await numberNow(page);
  await settingsOf(page);
  await field(page, "outputStyle").selectOption("casual");
  await field(page, "budgets.channelUsd").fill("3");
  await save(page);
  await page.getByRole("link", { name: `Revision ${good + 1} and earlier` }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: `Revision ${good}`, exact: true }).focus();
  await page.keyboard.press("Enter");
  await page
    .getByRole("table", { name: `Changes in revision ${good}` })
    .getByText("formal")
    .waitFor();
  expect(await complaintsAbout(page)).toEqual([]);
  await picture(page, "settings-revision");
  await page.getByRole("button", { name: `Go back to revision ${good}` }).focus();
  await page.keyboard.press("Enter");
  const changes = page.getByRole("table", { name: "What changes" }).getByRole("row");
  await changes.filter({ hasText: "outputStyle" }).filter({ hasText: "formal" }).waitFor();
  await changes.filter({ hasText: "budgets.channelUsd" }).waitFor();
  await page.getByRole("button", { name: "Save", exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.getByText(`✓ Saved as revision ${good + 2}.`).waitFor();
  await row(page, "budgets.channelUsd").getByText("not set").waitFor();
  expect(await field(page, "outputStyle").inputValue()).toBe("formal");
  await leave(page);
});

test("a setting from a variable or the file is locked, and its source is named", async () => {
  const page = await settingsAs("ana");
  await row(page, "model").getByText("DECKHAND_MODEL sets it").waitFor();
  expect(await field(page, "model").inputValue()).toBe("anthropic/claude-sonnet-5-5");
  await row(page, "budgets.runUsd").getByText("deckhand.config.json sets it").waitFor();
  for (const name of ["model", "budgets.runUsd", "web.url"]) {
    expect(await field(page, name).isEditable()).toBe(false);
  }
  expect(await field(page, "confinement").isDisabled()).toBe(true);
  const after = await numberNow(page);
  const refused = [
    { path: ["model"], value: "openai/gpt-6-sol" },
    { path: ["budgets", "runUsd"], value: 9 },
    { path: ["channels", "slack:C0X"], value: { maxTurns: 9 } },
    { path: ["channels", "slack:C0X", "directory"], value: "/" },
    { path: ["web", "url"], value: "https://evil.example" },
    { path: ["providers", "openai"], value: { baseUrl: "https://evil.example" } },
    { path: ["mcpServers", "x"], value: { command: "sh" } },
  ];
  for (const change of refused) {
    const { status, body } = await post(page, "save", { after, changes: [change] });
    expect([change, status, JSON.parse(body)]).toEqual([change, 200, expect.objectContaining({ type: "refused" })]);
  }
  const inherited = { path: ["__proto__", "access"], value: { admins: ["slack:U1"] } };
  expect((await post(page, "save", { after, changes: [inherited] })).status).toBe(400);
  expect((await post(page, "save", { after, changes: [{ path: ["maxTurns"] }] })).status).toBe(400);
  expect(await numberNow(page)).toBe(after);
  await leave(page);
});

const readers = [
  { role: "a viewer", name: "vera" },
  { role: "an operator", name: "otto" },
];

test.each(readers)(
  "the role $role can read settings but not change them, by the page or by hand-made requests",
  async ({ name }) => {
    const page = await settingsAs(name);
    expect(await field(page, "budgets.dayUsd").isEditable()).toBe(false);
    expect(await page.getByRole("button", { name: /^Use the default|^Add$|^Remove/u }).count()).toBe(0);
    const after = await numberNow(page);
    const changes = [{ path: ["budgets", "dayUsd"], value: 1_000 }];
    expect((await post(page, "save", { after, changes })).status).toBe(403);
    expect((await post(page, "check", { changes })).status).toBe(403);
    expect(await numberNow(page)).toBe(after);
    await leave(page);
  },
);

const bad = [
  { name: "budgets.dayUsd", typed: "much", beside: "budgets.dayUsd", words: "must be a number." },
  { name: "budgets.dayUsd", typed: "0", beside: "budgets.dayUsd", words: "must be more than 0, but is 0." },
  { name: "maxTurns", typed: "1.5", beside: "maxTurns", words: "must be a whole number, but is 1.5." },
  { name: "fallbackModel", typed: "gpt", beside: "fallbackModel", words: "must be provider/model" },
  { name: "access.admins", typed: "slack:U1\nana", beside: "access.admins", words: "Entry 2 must be" },
  { name: "allowedHosts", typed: '{ "host"', beside: "allowedHosts", words: "Line 1 looks like JSON" },
  { name: "agentDefinition", typed: "nobody", beside: "agentDefinition", words: 'there is no agent "nobody"' },
  { name: "memory.embeddings.perDay", typed: "5", beside: "memory.embeddings.model", words: "is missing." },
];

test("an invalid value is explained beside its field, in the words used for the file", async () => {
  const page = await settingsAs("ana");
  for (const { name, typed, beside, words } of bad) {
    await field(page, name).fill(typed);
    await row(page, beside).getByRole("alert").getByText(words).first().waitFor();
    expect(await page.getByRole("button", { name: "Review and save" }).getAttribute("aria-disabled")).toBe("true");
    await page.getByRole("button", { name: "Discard" }).click();
    expect(await field(page, name).inputValue()).not.toBe(typed);
  }
  const channels = row(page, "channels");
  await channels.getByLabel("New name").fill("__proto__");
  await channels.getByRole("alert").getByText("__proto__ cannot be a name.").waitFor();
  expect(await channels.getByRole("button", { name: "Add" }).getAttribute("aria-disabled")).toBe("true");
  await channels.getByLabel("New name").fill("slack:C0NEW");
  await channels.getByRole("button", { name: "Add" }).click();
  await channels.getByRole("textbox", { name: "slack:C0NEW" }).fill('{ "maxTurn": 3 }');
  await channels.getByText('is not a known key. Did you mean "maxTurns"?').waitFor();
  await channels.getByRole("textbox", { name: "slack:C0NEW" }).fill('{ "maxTurns": ');
  await channels.getByText("must be a JSON object").waitFor();
  await channels.getByRole("textbox", { name: "slack:C0NEW" }).fill('{ "maxTurns": 3 }');
  await save(page);
  await channels.getByRole("button", { name: "Remove slack:C0NEW" }).waitFor();
  await leave(page);
});

test("a value that contains markup is shown as text everywhere", async () => {
  const page = await settingsAs("ana");
  const hostile = '<img src=x onerror="document.title=1"><script>document.title=1</script>';
  await field(page, "appendSystemPrompt").fill(hostile);
  const fields = row(page, "logContext");
  await fields.getByLabel("New name").fill(hostile);
  await fields.getByLabel("Value", { exact: true }).fill(hostile);
  await fields.getByRole("button", { name: "Add" }).click();
  await page.getByRole("button", { name: "Review and save" }).click();
  await page.getByRole("table", { name: "What changes" }).getByText(hostile).first().waitFor();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("✓ Saved as revision").waitFor();
  await page.getByRole("link", { name: /^Revision \d+ and earlier/u }).click();
  await page.getByRole("table", { name: "Settings revisions" }).getByText(hostile).first().waitFor();
  await page
    .getByRole("link", { name: /^Revision/u })
    .first()
    .click();
  await page
    .getByRole("table", { name: /^Changes in revision/u })
    .getByText(hostile)
    .first()
    .waitFor();
  expect(await page.title()).not.toBe("1");
  expect(await page.locator("main img, main script").count()).toBe(0);
  await leave(page);
});
