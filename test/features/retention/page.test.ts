import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hold, type Reply, text } from "../../support/model/model-script.ts";
import { closeWindows, sharedBrowser } from "../../support/program/browser.ts";
import { inDatabase } from "../../support/talk/memory-talk.ts";
import type { SlackOffice } from "../../support/talk/slack-talk.ts";
import { addAccount, consoleOffice, expectSound, handMade, link, picture, signedIn } from "../console/console-world.ts";

/** Deleting a session on the page: who may, what they read before, and who sees that it is gone. */

let browser: Browser;
let at: SlackOffice;
let ana: Page;
let cleo: Page;

beforeAll(async () => {
  browser = await sharedBrowser();
  at = await consoleOffice();
  at.model.script(() => text("Done."));
  await addAccount(at, { name: "ana" });
  await addAccount(at, { name: "cleo", role: "admin" });
  ana = await signedIn(at, browser, { name: "ana" });
  cleo = await signedIn(at, browser, { name: "cleo" });
  for (const page of [ana, cleo]) page.setDefaultTimeout(15_000);
  await link(at, ana, "U0ANA");
  await link(at, cleo, "U0CLEO");
});

afterAll(async () => {
  await closeWindows(browser);
  await at[Symbol.asyncDispose]();
});

const rows = (page: Page) => page.getByRole("list", { name: "Sessions" }).getByRole("link");
const deleteButton = (page: Page) => page.getByRole("button", { name: "Delete", exact: true });

async function openList(page: Page): Promise<void> {
  await page.getByRole("navigation").getByRole("link", { name: "Sessions" }).click();
  await page.getByRole("heading", { name: "Sessions" }).waitFor();
}

async function openSession(page: Page, words: string): Promise<string> {
  await openList(page);
  await rows(page).filter({ hasText: words }).click();
  await page.getByRole("heading", { name: words }).waitFor();
  return decodeURIComponent(new URL(page.url()).hash.split("/").at(-1) ?? "");
}

const post = async (page: Page, body: object) => (await handMade(page, "/features/retention/delete", body)).status;

const sessionIds = () =>
  inDatabase(at, (database) => database.prepare<[], { id: string }>("SELECT id FROM Session").all()).map(
    ({ id }) => id,
  );

const isGone = (id: string) => at.until("the session to be gone", () => !sessionIds().includes(id));

test("who alone has written in a session deletes it, by keyboard; it is gone from every list and table", async () => {
  const talk = at.talk({ text: "keep the heron in mind", channel: at.channel() });
  await talk.answered(1);
  await openList(cleo);
  await rows(cleo).filter({ hasText: "heron" }).waitFor();
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
  await rows(ana).filter({ hasText: "heron" }).waitFor({ state: "hidden" });
  await rows(cleo).filter({ hasText: "heron" }).waitFor({ state: "hidden" });
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

test("what others have written in as well only admins delete, and what cannot be seen is not there", async () => {
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
  await rows(cleo).filter({ hasText: "grebe" }).waitFor({ state: "hidden" });
});

test("a run that goes on is stopped first, where whoever deletes wants that", async () => {
  const gate = hold();
  at.model.script((): Reply => [text("I think about it "), gate.part, text("for long.")]);
  const talk = at.talk({ text: "think of the ibis", channel: at.channel() });
  await gate.reached;
  const id = await openSession(ana, "think of the ibis");
  expect(await post(ana, { id })).toBe(409);
  await openSession(ana, "think of the ibis");
  await deleteButton(ana).click();
  await ana.getByText("A run of it goes on.").waitFor();
  await ana.getByRole("button", { name: "Stop and delete" }).click();
  await isGone(id);
  await rows(ana).filter({ hasText: "ibis" }).waitFor({ state: "hidden" });
  // Its message does not look as if work went on.
  await at.until("the stop", () => talk.seen().some((seen) => seen.text.includes("Stopped by @ana")));
  at.model.script(() => text("Done."));
});

test("axe finds nothing in the dialog, on any screen", async () => {
  await at.talk({ text: "the loon", channel: at.channel() }).answered(1);
  await openSession(ana, "the loon");
  await deleteButton(ana).click();
  await ana.getByRole("dialog").getByText("What stays").waitFor();
  await expectSound(ana, "delete", { within: "dialog[open]" });
  await ana.keyboard.press("Escape");
});
