import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { expect, test } from "vitest";
import { openStore } from "../../../src/core/store/store.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { hold, type Reply, text, toolUse } from "../../support/model/model-script.ts";
import { closeWindows, sharedBrowser } from "../../support/program/browser.ts";
import { useShared } from "../../support/run/use-shared.ts";
import type { SlackOffice, Talk } from "../../support/talk/slack-talk.ts";
import {
  addAccount,
  consoleOffice,
  handMade,
  link,
  openSession,
  openSessions,
  picture,
  sessionRows,
  signedIn,
} from "./console-world.ts";

/** What people do on the page with sessions of Slack, and what they may not. */

const HOSTILE = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>[go](javascript:window.hacked=1)`;

let browser: Browser;
let at: SlackOffice;
let ana: Page;
const complaints: string[] = [];

useShared(
  async () => {
    browser = await sharedBrowser();
    at = await consoleOffice();
    complaints.length = 0;
    await addAccount(at, { name: "ana" });
    ana = await signedIn(at, browser, { name: "ana" });
    ana.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    ana.on("pageerror", (error) => complaints.push(String(error)));
    at.model.script(() => text("Done."));
    await link(at, ana, "U0ANA");
  },
  async () => {
    await closeWindows(browser);
    await at[Symbol.asyncDispose]();
  },
);

const messages = (page: Page) => page.getByRole("list", { name: "Messages" });

/** Presses a button by a forged request from the page. */
const press = (page: Page, id: string, action: string) =>
  handMade(page, `/sessions/${id}/press`, { clickId: crypto.randomUUID(), action });

function says(talk: Talk, words: string): Promise<void> {
  return at.until(words, () => talk.seen().some((seen) => seen.text.includes(words)));
}

test("a run can be stopped on the page, and its thread names who stopped it", async () => {
  const gate = hold();
  at.model.script((): Reply => [text("I think about it "), gate.part, text("for long.")]);
  const talk = at.talk({ text: "think for long", channel: at.channel() });
  await openSession(ana, "think for long");
  await ana.getByRole("button", { name: "Stop", exact: true }).click();
  await says(talk, "Stopped by @ana");
  await ana.locator(".thread-head").getByText("Stopped").waitFor();
  expect(await ana.getByRole("button", { name: "Stop", exact: true }).count()).toBe(0);
});

test("two browsers that show a session are both updated, and the second decision is told that the first was made", async () => {
  const gate = hold();
  at.model.script((request) =>
    request.toolResults.length > 0
      ? ([text("The file "), gate.part, text("is there.")] as Reply)
      : toolUse("write", { path: "two.txt", content: "2\n" }),
  );
  const talk = at.talk({ text: "write two dot txt", channel: at.channel() });
  const second = await signedIn(at, browser, { name: "ana" });
  const id = await openSession(ana, "write two dot txt");
  await openSession(second, "write two dot txt");
  for (const page of [ana, second]) await page.getByRole("button", { name: "Allow once" }).waitFor();
  const action = `approve:y:${await approvalOf(id)}`;
  await ana.getByRole("button", { name: "Allow once" }).click();
  for (const page of [ana, second]) {
    await messages(page).getByText("The file").first().waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Allow once" }).count()).toBe(0);
  }
  gate.release();
  for (const page of [ana, second]) await messages(page).getByText("The file is there.").first().waitFor();
  expect((await press(second, id, action)).body).toMatch(/decided|allowed/iu);
  await talk.answered(1);
  expect(talk.seen().filter(({ text: shown }) => shown.includes("Allowed by @ana"))).toHaveLength(1);
  await second.context().close();
});

test("people who may not decide see no buttons, and a hand-made click is refused as in the thread", async () => {
  at.model.script((request) =>
    request.toolResults.length > 0 ? text("Done.") : toolUse("write", { path: "b.txt", content: "b\n" }),
  );
  const talk = at.talk({ text: "write b dot txt", channel: at.channel() });
  const id = await openSession(ana, "write b dot txt");
  await ana.getByRole("button", { name: "Allow once" }).waitFor();

  for (const [name, role] of [
    ["cleo", "admin"],
    ["vera", "viewer"],
    ["nils", "admin"],
  ] as const) {
    await addAccount(at, { name, role });
  }
  const cleo = await signedIn(at, browser, { name: "cleo" });
  await link(at, cleo, "U0CLEO");
  await openSession(cleo, "write b dot txt");
  await cleo.getByText("You cannot decide this here.").waitFor();
  const action = `approve:y:${await approvalOf(id)}`;
  expect((await press(cleo, id, action)).body).toContain("You can't decide this");

  // A viewer's requests change nothing, and who is linked to nobody sees nothing of Slack.
  const vera = await signedIn(at, browser, { name: "vera" });
  expect((await press(vera, id, action)).status).toBe(403);
  const nils = await signedIn(at, browser, { name: "nils" });
  await openSessions(nils);
  await nils.getByText("To see sessions on Slack, link your account there").waitFor();
  expect(await sessionRows(nils).count()).toBe(0);
  expect((await press(nils, id, action)).status).toBe(404);

  // A button that the page does not show cannot be pressed.
  for (const other of ["details:x", "jobs:add", "prompt:1", "hook:memory:x"]) {
    expect((await press(ana, id, other)).body).toContain("This button no longer exists.");
  }
  expect(talk.seen().some((seen) => seen.text.includes("Allowed"))).toBe(false);
  await ana.getByRole("button", { name: "Deny" }).click();
  await says(talk, "Denied by @ana: write");
  for (const page of [cleo, vera, nils]) await page.context().close();
});

async function approvalOf(id: string): Promise<string> {
  const shown = await ana.evaluate(async (path) => (await fetch(path)).text(), `/sessions/${id}`);
  return /"approve:y:([^"]+)"/u.exec(shown)?.[1] ?? "";
}

test("a question can be answered by its button, and sub-agents are shown as a tree of links", async () => {
  at.model.script((request): Reply => {
    const said = JSON.stringify(request.body);
    if (request.toolResults.length > 0) return text("So be it.");
    if (said.includes("look into the shed")) return text("There is a rake.");
    if (said.includes("ask me first"))
      return toolUse("ask_user_question", { question: "Which colour?", options: ["red", "blue"] });
    return toolUse("agent", { description: "the shed", prompt: "look into the shed" });
  });
  const talk = at.talk({ text: "ask me first", channel: at.channel() });
  await openSession(ana, "ask me first");
  await picture(ana, "question");
  await ana.getByRole("button", { name: "blue" }).click();
  await says(talk, "blue");
  await messages(ana).getByText("So be it.").waitFor();

  await at.talk({ text: "send somebody", channel: at.channel() }).answered(1);
  await openSession(ana, "send somebody");
  const tasks = ana.getByRole("list", { name: "Sub-agents" });
  await tasks.getByRole("link", { name: "the shed" }).click();
  await messages(ana).getByText("There is a rake.").waitFor();
  await ana.getByRole("button", { name: "Back to the parent session" }).click();
  await messages(ana).getByText("So be it.").waitFor();
});

test("a session can be exported and forked by its people, as with the commands in its thread", async () => {
  at.model.script(() => text("Steady as she goes."));
  const talk = at.talk({ text: "hold the course", channel: at.channel() });
  await talk.answered(1);
  const id = await openSession(ana, "hold the course");
  expect(await ana.getByRole("link", { name: "Open the thread" }).getAttribute("href")).toContain(talk.rootTs);
  const downloading = ana.waitForEvent("download");
  await ana.getByRole("button", { name: "Export as Markdown" }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe(`${id}.md`);
  expect(readFileSync(await download.path(), "utf8")).toContain("Steady as she goes.");
  await ana.getByRole("button", { name: "Fork into a new thread" }).click();
  await at.until("the fork", () =>
    [...at.slack.workspace.messages].some(({ text: said }) => said.includes("Fork of “hold the course”")),
  );
  await openSessions(ana);
  await sessionRows(ana).nth(1).waitFor();
  // Bob has not asked for anything there.
  await addAccount(at, { name: "bob" });
  const bob = await signedIn(at, browser, { name: "bob" });
  await link(at, bob, "U0BOB");
  await openSession(bob, "hold the course");
  expect(await bob.getByRole("button", { name: /Export|Fork/u }).count()).toBe(0);
  expect((await press(bob, id, "command:export")).body).not.toContain("Steady");
  await bob.context().close();
});

test("an approval's card is the same as in the thread, with diff and text, and masks secrets", async () => {
  const channel = at.channel();
  const root = at.bot.sandboxRoot(`slack-${channel}`);
  mkdirSync(root, { recursive: true });
  writeFileSync(path.join(root, ".env"), "DB_PASSWORD=correct-horse-battery-9\n");
  writeFileSync(path.join(root, "c.txt"), "first\nsecond\n");
  at.model.script((request): Reply => {
    const done = request.toolResults.length;
    if (done === 0) return [toolUse("read", { path: ".env" }), toolUse("read", { path: "c.txt" })];
    if (done > 2) return text("Done.");
    const new_string = `${HOSTILE} correct-horse-battery-9`;
    return toolUse("edit", { path: "c.txt", old_string: "second", new_string });
  });
  const talk = at.talk({ text: "change c dot txt", channel });
  const id = await openSession(ana, "change c dot txt");
  const card = ana.getByRole("group", { name: /Deckhand asks/u });
  await card.filter({ hasText: "its content goes to the model" }).getByRole("button", { name: "Allow once" }).click();
  await card.filter({ hasText: "-second" }).waitFor();
  await picture(ana, "approval-diff");
  const shown = (await card.textContent()) ?? "";
  expect(shown).toContain("-second");
  expect(shown).toContain("+<img src=x");
  expect(shown).toContain("DB_PASSWORD");
  const kept = await storedCards(id);
  expect(kept).toContain("-second");
  const inThread = talk.seen().find((seen) => seen.text.includes("-second"));
  expect(inThread?.text).toContain("DB_PASSWORD");
  for (const words of [shown, inThread?.text, kept]) expect(words).not.toContain("correct-horse-battery-9");
  expect(await ana.locator("#page").innerHTML()).not.toMatch(/<(?:img|script)|href="javascript:|<[^>]* on\w+=/u);
  expect(await ana.evaluate("window.hacked")).toBeUndefined();
  await card.getByRole("button", { name: "Allow once" }).click();
  await at.until("the change", () => readFileSync(path.join(root, "c.txt"), "utf8").includes(HOSTILE));
});

/** The previews that are stored for pending cards. */
async function storedCards(id: string): Promise<string> {
  const store = await openStore(`file:${path.join(at.bot.home, "data/deckhand.db")}`, systemRuntime());
  try {
    const waiting = await store.approvals.pendingOf([id]);
    return JSON.stringify(waiting.flatMap(({ calls }) => calls.map(({ shown }) => shown)));
  } finally {
    await store.close();
  }
}

test("names, titles, tool output, arguments and answers are never rendered as markup", async () => {
  const channel = at.channel();
  at.slack.workspace.channels.set(channel, { id: channel, name: HOSTILE, kind: "channel", gone: false });
  at.model.script((request): Reply => {
    if (request.toolResults.length > 0) return text(`It says ${HOSTILE}`);
    return [text(HOSTILE), toolUse("write", { path: "x.html", content: HOSTILE, [HOSTILE]: HOSTILE })];
  });
  at.talk({ text: HOSTILE, channel });
  await openSessions(ana);
  await sessionRows(ana).filter({ hasText: "<img src=x" }).click();
  await ana.getByRole("group", { name: /Deckhand asks/u }).waitFor();
  await ana.getByRole("button", { name: "Allow once" }).click();
  await messages(ana).getByText("It says").waitFor();
  for (const summary of await ana.locator(".steps summary").all()) await summary.click();
  expect(await ana.locator("#page").innerHTML()).not.toMatch(/<(?:img|script)|href="javascript:|<[^>]* on\w+=/u);
  expect(await ana.evaluate("window.hacked")).toBeUndefined();
  expect(complaints).toEqual([]);
});
