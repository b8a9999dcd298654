import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { beforeEach, describe, expect, test } from "vitest";
import { hold, type Reply, text } from "../../support/model/model-script.ts";
import { closeWindows, sharedBrowser } from "../../support/program/browser.ts";
import { runCli } from "../../support/program/cli.ts";
import { useShared } from "../../support/run/use-shared.ts";
import { inDatabase, typed } from "../../support/talk/memory-talk.ts";
import { type SlackOffice, slackOffice } from "../../support/talk/slack-talk.ts";
import {
  addAccount,
  expectSound,
  handMade,
  link,
  openSession,
  openSessions,
  openToAll,
  picture,
  sessionRows,
  signedIn,
} from "../console/console-world.ts";
import { seedManySessions } from "../console/seed.ts";

/** What a running program deletes: what is old, a session on the page, and by `/data` what is kept of a person. */

const DAY_MS = 86_400_000;

let browser: Browser;
let at: SlackOffice;

useShared(
  async () => {
    browser = await sharedBrowser();
    at = await openToAll({ retention: { days: 30 } });
    at.model.script(() => text("Done."));
    const said = Array.from({ length: 50 }, (_, index) => `line ${index} of the heron`);
    const old = Array.from({ length: 200 }, (_, index) => ({
      id: `ses_old${index}`,
      channelKey: "slack:C0OLD",
      title: "the heron",
      said,
      outcome: "end_turn",
      at: Date.now() - 31 * DAY_MS,
    }));
    await seedManySessions(path.join(at.bot.home, "data/deckhand.db"), old);
    await at.bot.start();
  },
  async () => {
    await closeWindows(browser);
    await at[Symbol.asyncDispose]();
  },
);

const isOldDeleted = () => at.bot.output().includes('"event":"old_data_deleted"');

// The first one: what is old goes soon after the start.
test("old sessions are deleted while people are being answered, and the program reports what it did", async () => {
  expect(await at.talk({ text: "are you there", channel: at.channel(), user: "U0BOB" }).answered(1)).toContain("Done.");
  expect(isOldDeleted()).toBe(false);
  await at.until("what is old to be deleted", isOldDeleted);
  expect(at.bot.output()).toMatch(/"days":30,"sessions":200,/u);
});

describe("the data of a person", () => {
  beforeEach(() => at.model.script(() => text("Noted.")));

  const messagesWith = (word: string) =>
    inDatabase(at, (database) => database.prepare("SELECT id FROM Message WHERE content LIKE ?").all(`%${word}%`))
      .length;

  const data = (line: string, channel: string) => typed(at, line, { channel, name: "data" });

  test("can be read and, after a confirmation, deleted by that person; others' messages are kept", async () => {
    await at.until("what is old to be deleted", isOldDeleted);
    const channel = at.channel();
    await at.talk({ text: "the curlew is mine alone", channel }).answered(1);
    const both = at.talk({ text: "the plover of bob", channel, user: "U0BOB" });
    await both.answered(1);
    both.mention("the curlew again");
    await both.answered(2);
    const ended = () =>
      inDatabase(at, (database) => database.prepare("SELECT id FROM Run WHERE status != 'ended'").all());
    await at.until("the runs to end", () => ended().length === 0);

    expect(await data("", channel)).toContain("1 session that nobody else has written in");
    const asked = await data("delete me", channel);
    expect(asked).toContain("1 message alongside others'");
    expect(asked).toContain("This permanently deletes");
    expect(messagesWith("curlew")).toBe(2);
    expect(await data("delete me now", channel)).toContain("I'm deleting it now");
    await at.until("the words to be gone", () => messagesWith("curlew") === 0);
    expect(messagesWith("plover")).toBe(1);
    await at.until("the mark to stand there", () => messagesWith("[deleted]") === 1);
    // The thread goes on.
    both.mention("and now?", { user: "U0BOB" });
    await both.answered(3);
    expect(JSON.stringify(at.model.requests.at(-1)?.body)).not.toContain("curlew");
    const audit = inDatabase(at, (database) =>
      database.prepare<[], { about: string }>("SELECT about FROM AuditEntry WHERE act = 'person.deleted'").all(),
    );
    expect(audit).toEqual([{ about: expect.stringMatching(/^slack:deleted-/u) }]);
  });

  test("is not deleted while a run of theirs is active, and a line says so", async () => {
    const gate = hold();
    at.model.script(() => [text("Wait "), gate.part, text("for it.")]);
    const channel = at.channel();
    at.talk({ text: "the dunlin waits", channel });
    await gate.reached;
    expect(await data("delete me now", channel)).toContain("A run is in progress in threads you take part in");
    expect(messagesWith("dunlin")).toBe(1);
    gate.release();
  });
});

describe("a session on the page", () => {
  let ana: Page;
  let cleo: Page;
  useShared(async () => {
    at.model.script(() => text("Done."));
    await addAccount(at, { name: "ana" });
    await addAccount(at, { name: "cleo", role: "admin" });
    ana = await signedIn(at, browser, { name: "ana" });
    cleo = await signedIn(at, browser, { name: "cleo" });
    await link(at, ana, "U0ANA");
    await link(at, cleo, "U0CLEO");
  });

  const deleteButton = (page: Page) => page.getByRole("button", { name: "Delete", exact: true });

  const post = async (page: Page, body: object) => (await handMade(page, "/features/retention/delete", body)).status;

  const sessionIds = () =>
    inDatabase(at, (database) => database.prepare<[], { id: string }>("SELECT id FROM Session").all()).map(
      ({ id }) => id,
    );

  const isGone = (id: string) => at.until("the session to be gone", () => !sessionIds().includes(id));

  test("can be deleted by keyboard by its only author, and disappears from every list and table", async () => {
    const talk = at.talk({ text: "keep the heron in mind", channel: at.channel() });
    await talk.answered(1);
    await openSessions(cleo);
    await sessionRows(cleo).filter({ hasText: "heron" }).waitFor();
    const id = await openSession(ana, "keep the heron in mind");
    await deleteButton(ana).focus();
    await ana.keyboard.press("Enter");
    const dialog = ana.getByRole("dialog", { name: "Delete this session?" });
    await dialog.getByText("2 messages, with tool calls").waitFor();
    await picture(ana, "delete-dialog");
    await ana.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    expect(sessionIds()).toContain(id);
    await deleteButton(ana).press("Enter");
    await dialog.getByRole("button", { name: "Delete for good" }).press("Enter");
    await ana.getByRole("heading", { name: "Sessions" }).waitFor();
    await sessionRows(ana).filter({ hasText: "heron" }).waitFor({ state: "hidden" });
    await sessionRows(cleo).filter({ hasText: "heron" }).waitFor({ state: "hidden" });
    await isGone(id);
    const audit = inDatabase(at, (database) =>
      database.prepare("SELECT by, about FROM AuditEntry WHERE act = 'session.deleted'").all(),
    );
    expect(audit).toEqual([{ by: "ana", about: id }]);
    // The thread begins anew, and knows nothing of what was.
    talk.mention("and now?");
    await talk.answered(2);
    expect(at.model.requests.at(-1)?.lastUserText).toContain("and now?");
    expect(sessionIds()).not.toContain(id);
  });

  test("with several authors can be deleted by admins only, and an invisible one is treated as missing", async () => {
    const talk = at.talk({ text: "look after the grebe", channel: at.channel() });
    await talk.answered(1);
    talk.mention("and the ruff", { user: "U0CLEO" });
    await talk.answered(2);
    const id = await openSession(ana, "look after the grebe");
    await ana.getByRole("button", { name: "Export as Markdown" }).waitFor();
    expect(await deleteButton(ana).count()).toBe(0);
    expect(await post(ana, { id })).toBe(403);
    await addAccount(at, { name: "vera", role: "viewer" });
    await addAccount(at, { name: "nils", role: "admin" });
    const vera = await signedIn(at, browser, { name: "vera" });
    expect(await post(vera, { id })).toBe(403);
    const nils = await signedIn(at, browser, { name: "nils" });
    expect(await post(nils, { id })).toBe(404);
    expect(await post(nils, { id: "../x" })).toBe(404);
    expect(sessionIds()).toContain(id);
    for (const page of [vera, nils]) await page.context().close();
    await openSession(cleo, "look after the grebe");
    await deleteButton(cleo).click();
    await cleo.getByRole("button", { name: "Delete for good" }).click();
    await isGone(id);
    await sessionRows(cleo).filter({ hasText: "grebe" }).waitFor({ state: "hidden" });
  });

  test("that is running is stopped first if the person confirms, together with its queued messages", async () => {
    const gate = hold();
    at.model.script((): Reply => [text("I think about it "), gate.part, text("for long.")]);
    const talk = at.talk({ text: "think of the ibis", channel: at.channel() });
    await gate.reached;
    talk.mention("and of the crake");
    const id = await openSession(ana, "think of the ibis");
    expect(await post(ana, { id })).toBe(409);
    await openSession(ana, "think of the ibis");
    await deleteButton(ana).click();
    await ana.getByText("It is still running").waitFor();
    await ana.getByRole("button", { name: "Stop and delete" }).click();
    await isGone(id);
    await sessionRows(ana).filter({ hasText: "ibis" }).waitFor({ state: "hidden" });
    // Its message does not look as if work went on.
    await at.until("the stop", () => talk.seen().some((seen) => seen.text.includes("Stopped by @ana")));
    at.model.script(() => text("Done."));
  });

  test("axe finds no accessibility violation in the deletion dialog, on any screen", async () => {
    await at.talk({ text: "the loon", channel: at.channel() }).answered(1);
    await openSession(ana, "the loon");
    await deleteButton(ana).click();
    await ana.getByRole("dialog").getByText("Kept").waitFor();
    await expectSound(ana, "delete", { within: "dialog[open]" });
    await ana.keyboard.press("Escape");
  });
});

test.each([
  ["{}", "✓ retention: everything is kept until somebody deletes it"],
  ['{ "retention": { "days": 90 } }', "✓ retention: data without activity for 90 days is deleted, once a day"],
])("doctor reports the retention in force for the settings %s", async (settings, line) => {
  await using at = await slackOffice({ settings: JSON.parse(settings) });
  const { out } = await runCli(["doctor"], { cwd: at.bot.home, env: {} });
  expect(out.split("\n")).toContain(line);
});
