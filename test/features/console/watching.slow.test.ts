import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { expect, test } from "vitest";
import { hold, type Reply, text, toolUse } from "../../support/model/model-script.ts";
import { closeWindows, sharedBrowser } from "../../support/program/browser.ts";
import { useShared } from "../../support/run/use-shared.ts";
import { privateChannel } from "../../support/talk/memory-talk.ts";
import type { SlackOffice } from "../../support/talk/slack-talk.ts";
import { addAccount, consoleOffice, link, openSessions, picture, sessionRows, signedIn } from "./console-world.ts";

/** Work in Slack, watched and decided on the page in a real browser, over the whole program. */

let browser: Browser;
let at: SlackOffice;
let ana: Page;
let cleo: Page;

useShared(
  async () => {
    browser = await sharedBrowser();
    at = await consoleOffice();
    at.model.script(() => text("Done."));
    await addAccount(at, { name: "ana", role: "admin" });
    await addAccount(at, { name: "cleo", role: "admin" });
    ana = await signedIn(at, browser, { name: "ana" });
    cleo = await signedIn(at, browser, { name: "cleo" });
    await link(at, ana, "U0ANA");
    await link(at, cleo, "U0CLEO");
  },
  async () => {
    await closeWindows(browser);
    await at[Symbol.asyncDispose]();
  },
);

const messages = (page: Page) => page.getByRole("list", { name: "Messages" });

test("a run in a private channel can be watched live, and its approval given by a linked person", async () => {
  const begun = hold();
  const middle = hold();
  at.model.script((request) => {
    if (!request.lastUserText.includes("port file") && request.toolResults.length === 0) return text("Done.");
    if (request.toolResults.length > 0) return [text("The file "), middle.part, text("is there now.")];
    return [begun.part, text("I write it."), toolUse("write", { path: "config.toml", content: "port = 8080\n" })];
  });
  await openSessions(ana);
  await openSessions(cleo);
  const talk = at.talk({ text: "make the port file", channel: privateChannel(at) });
  const row = sessionRows(ana).filter({ hasText: "make the port file" });
  await row.getByText("Working").waitFor();
  begun.release();
  await row.getByText("Waiting").waitFor();
  await picture(ana, "list");

  await row.click();
  await messages(ana).getByText("I write it.").waitFor();
  const card = ana.getByRole("group", { name: /Deckhand asks: .*config\.toml/u });
  expect(await card.textContent()).toContain("port = 8080");
  await picture(ana, "waiting");
  await card.getByRole("button", { name: "Allow once" }).click();
  // The words come as the model writes them.
  await messages(ana).getByText("The file", { exact: true }).waitFor();
  middle.release();
  await messages(ana).getByText("The file is there now.").waitFor();
  await ana.getByRole("banner").or(ana.locator(".thread-head")).getByText("Done").waitFor();
  await ana.getByRole("list", { name: "Files changed" }).getByText("config.toml").click();
  await ana.getByRole("insertion").getByText("+port = 8080").waitFor();
  await picture(ana, "done");
  expect(readFileSync(path.join(at.bot.sandboxRoot(`slack-${talk.channel}`), "config.toml"), "utf8")).toContain("8080");
  await talk.answered(1);
  await at.until("the card says it", () => talk.seen().some((seen) => seen.text.includes("Allowed by @ana: write")));
});

test("a session that is invisible to a person appears in no list, search, address or frame of their page", async () => {
  const channel = privateChannel(at);
  const frames: string[] = [];
  at.model.script((request) =>
    request.toolResults.length > 0 || !request.lastUserText.includes("heron budget is 7")
      ? text("Done.")
      : toolUse("write", { path: "note.txt", content: "a note\n" }),
  );
  cleo.on("websocket", (socket) => socket.on("framereceived", ({ payload }) => frames.push(String(payload))));
  await cleo.reload();
  await openSessions(cleo);
  const secret = at.talk({ text: "the heron budget is 7", channel });
  const open = at.talk({ text: "the open gull", channel: at.channel() });
  await at.until("the card", () => secret.seen().some(({ buttons }) => buttons.length > 1));
  secret.click("approve:y");
  await Promise.all([secret.answered(1), open.answered(1)]);
  await sessionRows(cleo).filter({ hasText: "the open gull" }).getByText("Done").waitFor();
  expect(await sessionRows(cleo).filter({ hasText: "heron" }).count()).toBe(0);

  await openSessions(ana);
  const href = (await sessionRows(ana).filter({ hasText: "heron budget" }).getAttribute("href")) ?? "";
  const id = href.slice(href.lastIndexOf("/") + 1);
  const ask = (page: Page, address: string) => page.evaluate(async (path) => (await fetch(path)).status, address);
  expect(await ask(ana, `/sessions/${id}`)).toBe(200);
  expect(await ask(cleo, `/sessions/${id}`)).toBe(404);
  const found = (page: Page, query: string) =>
    page.evaluate(async (path) => (await fetch(path)).text(), `/sessions?${query}`);
  expect(await found(ana, "text=heron")).toContain(id);
  expect(await ask(ana, `/sessions/${id}/change?path=note.txt`)).toBe(200);
  expect(await ask(ana, `/sessions/${id}/change?path=../deckhand.config.json`)).toBe(404);
  expect(await ask(cleo, `/sessions/${id}/change?path=note.txt`)).toBe(404);
  for (const query of ["text=heron", `channel=slack:${channel}`, "person=slack:U0ANA", ""]) {
    expect(await found(cleo, query)).not.toContain("heron");
  }
  expect(await found(cleo, "")).toContain("gull");
  expect(await cleo.evaluate(async () => (await fetch("/sessions/choices")).text())).not.toContain(channel);

  // The session by its address, and by a watch on its id.
  await cleo.goto(`${new URL(cleo.url()).origin}/${href}`);
  await cleo.getByText("This session does not exist, or you may not see it.").waitFor();
  secret.say("and the heron budget is 8", {});
  await secret.answered(2);
  expect(frames.join()).not.toContain(id);
  expect(frames.join()).not.toContain("heron");
});

test("a changed file is shown as a diff, unless it looks like a secret", async () => {
  const channel = at.channel();
  const root = at.bot.sandboxRoot(`slack-${channel}`);
  mkdirSync(root, { recursive: true });
  writeFileSync(path.join(root, "notes.md"), "one\ntwo\n```\nthree\n");
  at.model.script((request) => {
    if (request.toolResults.length > 0) return text("Done.");
    const content = "one\n2\n```\nthree\n";
    const key = "API_TOKEN=hunter2hunter2hunter2\n";
    return [
      toolUse("bash", { command: `printf '${content}' > notes.md; printf '${key}' > .env`, description: "write" }),
    ];
  });
  const talk = at.talk({ text: "change the notes", channel });
  await at.until("the card", () => talk.seen().some(({ buttons }) => buttons.length > 1));
  talk.click("approve:y");
  await talk.answered(1);
  await openSessions(ana);
  await sessionRows(ana).filter({ hasText: "change the notes" }).click();
  const files = ana.getByRole("list", { name: "Files changed" });
  await files.getByText("notes.md").click();
  await files.getByRole("deletion").getByText("-two").waitFor();
  expect(await files.getByRole("insertion").allTextContents()).toEqual(["+2\n"]);
  await files.getByText(".env").click();
  await files.getByText("It looks like a file of environment variables, so it is not shown.").waitFor();
  // Somebody else's words are not put down to the session.
  writeFileSync(path.join(root, "notes.md"), "another's\n");
  await ana.reload();
  await files.getByText("notes.md").click();
  await files.getByText("somebody else has changed it since").waitFor();
});

/** How often words stand on the page. */
const timesOf = async (page: Page, words: string) =>
  ((await messages(page).textContent()) ?? "").split(words).length - 1;

test("a session opened in the middle of a streamed answer shows it from its beginning, without repetition", async () => {
  const [first, second] = [hold(), hold()];
  at.model.script(
    (): Reply => [text("The tide is out, "), first.part, text("the boats lie dry, "), second.part, text("and so on.")],
  );
  await openSessions(cleo);
  const talk = at.talk({ text: "tell of the tide", channel: at.channel() });
  await first.reached;
  await sessionRows(cleo).filter({ hasText: "tell of the tide" }).click();
  await messages(cleo).getByText("The tide is out,").waitFor();
  first.release();
  await messages(cleo).getByText("The tide is out, the boats lie dry,").waitFor();
  expect(await timesOf(cleo, "The tide is out")).toBe(1);
  // Read anew, it is all there again.
  await cleo.reload();
  await messages(cleo).getByText("The tide is out, the boats lie dry,").waitFor();
  second.release();
  await talk.answered(1);
  await messages(cleo).getByText("The tide is out, the boats lie dry, and so on.").waitFor();
  await cleo.locator(".thread-head").getByText("Done").waitFor();
  expect(await timesOf(cleo, "The tide is out")).toBe(1);
});

test("a socket that was cut for half a minute resumes without gap or repetition", async () => {
  const [first, second, third, fourth] = [hold(), hold(), hold(), hold()];
  const look = toolUse("glob", { pattern: "*.none" });
  const replies: Reply[] = [
    [text("One is begun, "), first.part, text("goes on, "), second.part, text("and ended. "), look],
    [text("Two is begun, "), third.part, text("and ended. "), look],
    [text("Three is begun, "), fourth.part, text("and ended.")],
  ];
  at.model.script((): Reply => replies.shift() ?? text("Done."));
  const page = await signedIn(at, browser, { name: "cleo" });
  const open: (() => Promise<void>)[] = [];
  let isCut = false;
  await page.routeWebSocket(/\/live$/u, async (socket) => {
    if (isCut) {
      await socket.close();
      return;
    }
    const server = socket.connectToServer();
    open.push(async () => {
      await server.close();
      await socket.close();
    });
  });
  await page.clock.install();
  await page.reload();
  await openSessions(page);
  const talk = at.talk({ text: "count to two", channel: at.channel() });
  await first.reached;
  await sessionRows(page).filter({ hasText: "count to two" }).click();
  await messages(page).getByText("One is begun,").waitFor();
  const cut = async () => {
    isCut = true;
    for (const close of open.splice(0)) await close();
    await page.getByText("Connection lost").waitFor();
  };
  const stands = async (...words: readonly string[]) => {
    for (const each of words) {
      await messages(page).getByText(each).waitFor();
      expect(await timesOf(page, each.slice(0, each.indexOf(",")))).toBe(1);
    }
  };
  await cut();
  first.release();
  await second.reached;
  await page.clock.fastForward(30_000);
  expect(await timesOf(page, "goes on")).toBe(0);
  isCut = false;
  await stands("One is begun, goes on,");
  await cut();
  second.release();
  await third.reached;
  isCut = false;
  await stands("One is begun, goes on, and ended.", "Two is begun,");
  third.release();
  await stands("One is begun, goes on, and ended.", "Two is begun, and ended.", "Three is begun,");
  await expect.poll(() => page.getByRole("list", { name: "Steps" }).count()).toBe(2);
  await stands("One is begun, goes on, and ended.");
  fourth.release();
  await talk.answered(1);
  await page.locator(".thread-head").getByText("Done").waitFor();
  await stands("One is begun, goes on, and ended.", "Two is begun, and ended.", "Three is begun, and ended.");
  await page.context().close();
});

test("a page that is open while the program is killed continues with the run without a gap", async () => {
  const gate = hold();
  const replies: Reply[] = [[text("I begin "), gate.part], text("All is stowed.")];
  at.model.script((): Reply => replies.shift() ?? text("Done."));
  const talk = at.talk({ text: "stow everything", channel: privateChannel(at) });
  await openSessions(ana);
  await sessionRows(ana).filter({ hasText: "stow everything" }).click();
  await ana.locator(".thread-head").getByText("Working").waitFor();
  await gate.reached;
  await at.bot.kill("SIGKILL");
  await ana.getByText("Connection lost").waitFor();
  await at.bot.start();
  gate.release();
  await talk.answered(1);
  await messages(ana).getByText("All is stowed.").waitFor();
  await ana.locator(".thread-head").getByText("Done").waitFor();
  expect(await ana.getByText("Connection lost").count()).toBe(0);
});
