import { writeFileSync } from "node:fs";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { expect, test } from "vitest";
import { z } from "zod";
import { text, toolUse } from "../../support/model/model-script.ts";
import { closeWindows, sharedBrowser } from "../../support/program/browser.ts";
import { runCli } from "../../support/program/cli.ts";
import { useShared } from "../../support/run/use-shared.ts";
import { asked, inDatabase, isLesson, privateChannel, rowsOf, typed } from "../../support/talk/memory-talk.ts";
import type { SlackOffice } from "../../support/talk/slack-talk.ts";
import {
  addAccount,
  consoleOffice,
  expectSound,
  handMade,
  link,
  originOf,
  signedIn,
} from "../console/console-world.ts";

/** What is remembered, on the page of real browsers: each account sees and changes what its linked person may. */

const HOSTILE = `<img src=x onerror="document.title='taken'"> [click](javascript:alert(1))`;
const MANY = 120;
/** What a private channel was told, asked for on the page by somebody who is in it, and by somebody who is not. */
const TOLD = "the merger with Whimbrel closes in March";
const QUESTION = "when does the merger with Whimbrel close?";
const auditSchema = z.object({ rows: z.array(z.object({ by: z.string(), act: z.string(), about: z.string() })) });

let browser: Browser;
let at: SlackOffice;
let open: string;
let board: string;
let secret: string;
let ana: Page;
let cleo: Page;
let vera: Page;
let ada: Page;
/** Page of an account that is linked to nobody. */
let nina: Page;

useShared(
  async () => {
    browser = await sharedBrowser();
    at = await consoleOffice({ memory: true, mode: "agi" });
    at.model.script((request) =>
      request.toolResults.length === 0 && request.lastUserText.includes("look it up")
        ? toolUse("use_tool", { name: "recall", input: { query: "merger Whimbrel" } })
        : text("Done."),
    );
    open = at.channel();
    board = privateChannel(at);
    for (const channel of [open, board]) await at.talk({ text: "hello", channel, user: "U0ANA" }).answered(1);
    await typed(at, "add we deploy on Thursdays", { channel: open });
    await typed(at, `add ${HOSTILE}`, { channel: open });
    await typed(at, "add the board meets at nine", { channel: board });
    secret = privateChannel(at);
    await typed(at, `add ${TOLD}`, { channel: secret });
    await typed(at, "add --scope me --text I drink tea", { channel: open });
    at.slack.workspace.users.set("U0EVIL", { id: "U0EVIL", name: HOSTILE });
    await typed(at, "add ravens steal the bait", { channel: open, user: "U0EVIL" });
    at.slack.workspace.users.set("U0VERA", { id: "U0VERA", name: "vera" });
    ana = await linked("ana", "U0ANA");
    cleo = await linked("cleo", "U0CLEO");
    vera = await linked("vera", "U0VERA");
    await runCli(["user", "role", "vera", "viewer"], { cwd: at.bot.home, env: {} });
    await addAccount(at, { name: "ada", role: "admin" });
    ada = await signedIn(at, browser, { name: "ada" });
    await addAccount(at, { name: "nina" });
    nina = await signedIn(at, browser, { name: "nina" });
  },
  async () => {
    await closeWindows(browser);
    await at[Symbol.asyncDispose]();
  },
);

async function linked(name: string, user: string): Promise<Page> {
  await addAccount(at, { name });
  const page = await signedIn(at, browser, { name });
  await link(at, page, user);
  return page;
}

const rows = (page: Page) => page.getByRole("table", { name: "Memories" }).locator("tbody tr");

/** Sends a forged `/memory` command. */
const command = (page: Page, channel: string, args: string) =>
  handMade(page, "/features/console/command", {
    clickId: crypto.randomUUID(),
    channelId: `slack:${channel}`,
    name: "memory",
    args,
  });

const numberOf = (words: string) =>
  inDatabase(at, (database) =>
    database.prepare<[string], { seq: number }>("SELECT seq FROM Memory WHERE text LIKE ?").get(`${words}%`),
  )?.seq;

async function openMemory(page: Page, channel: string): Promise<void> {
  await page.goto(`${originOf(at)}/#/overview`);
  await page.goto(`${originOf(at)}/#/memory/${encodeURIComponent(`slack:${channel}`)}`);
}

test("on the page a person can read, search, add, edit, pin and forget memories as in the channel", async () => {
  await openMemory(ana, open);
  await rows(ana).filter({ hasText: "we deploy on Thursdays" }).filter({ hasText: "this channel" }).waitFor();
  await rows(ana).filter({ hasText: "I drink tea" }).filter({ hasText: "you" }).waitFor();
  await ana.getByText("4 memories you can read here").waitFor();

  await ana.getByRole("searchbox", { name: "Search memories" }).fill("when is the deployment");
  await ana.keyboard.press("Enter");
  await expect.poll(() => rows(ana).count()).toBe(1);
  await ana.getByRole("searchbox", { name: "Search memories" }).fill("");
  await expect.poll(() => rows(ana).count()).toBe(4);

  const dialog = ana.getByRole("dialog");
  await ana.getByRole("button", { name: "Remember something" }).press("Enter");
  await dialog.locator("textarea").fill("the staging key rotates monthly");
  await dialog.getByRole("button", { name: "Go ahead" }).click();
  await dialog.waitFor({ state: "detached" });
  await rows(ana).filter({ hasText: "the staging key rotates monthly" }).waitFor();
  const row = rows(ana).filter({ hasText: "staging key" });
  await row.getByRole("button", { name: /^Edit/u }).click();
  await dialog.locator("textarea").fill("the staging key rotates weekly");
  await dialog.getByRole("button", { name: "Go ahead" }).click();
  await dialog.waitFor({ state: "detached" });
  await row.filter({ hasText: "weekly" }).waitFor();
  await row.getByRole("button", { name: /^Pin/u }).click();
  await row.filter({ hasText: "pinned" }).waitFor();
  await row.getByRole("button", { name: /^Forget/u }).click();
  await row.getByRole("button", { name: "Keep it" }).click();
  await row.getByRole("button", { name: /^Forget/u }).click();
  await row.getByRole("button", { name: /for good$/u }).click();
  await expect.poll(() => row.count()).toBe(0);
  expect(rowsOf(at).map((row) => row.text)).not.toContain("the staging key rotates weekly");

  await ana.getByRole("button", { name: "Turn memory off here" }).click();
  await ana.getByText(/you can read here; memory is off in this channel/u).waitFor();
  expect(await typed(at, "add something", { channel: open })).toContain("Memory is off");
  await ana.getByRole("button", { name: "Turn memory on here" }).click();
  await ana.getByRole("button", { name: "Turn memory off here" }).waitFor();
});

test("others' memories are read-only, and personal ones are invisible to others", async () => {
  await openMemory(cleo, open);
  const row = rows(cleo).filter({ hasText: "we deploy on Thursdays" });
  await row.waitFor();
  expect(await row.getByRole("button").count()).toBe(0);
  expect(await cleo.content()).not.toContain("I drink tea");
  const seq = numberOf("we deploy");
  for (const line of [`forget ${seq}`, `edit ${seq} on Fridays`, `pin ${seq}`])
    expect((await command(cleo, open, line)).body).toContain("only they and admins");
});

test("a private channel's memories are revealed to nobody outside by list, search, number or command", async () => {
  await openMemory(ana, board);
  await rows(ana).filter({ hasText: "the board meets at nine" }).waitFor();
  for (const page of [cleo, vera]) {
    await openMemory(page, board);
    await page.getByText("This channel does not exist, or you may not see it.").waitFor();
    for (const query of ["", "board meets"]) {
      const list = await handMade(page, `/features/memory/list?channel=slack:${board}&query=${query}`);
      expect(list).toMatchObject({ status: 403, body: expect.not.stringContaining("nine") });
    }
    await openMemory(page, open);
    await rows(page).first().waitFor();
    expect(await page.content()).not.toContain("board meets");
    await page.getByRole("searchbox", { name: "Search memories" }).fill("when does the board meet at nine");
    await page.keyboard.press("Enter");
    await page.getByText(/The (?:\d+ )?best match(?:es)? for this search|No memories match this search/u).waitFor();
    expect(await page.content()).not.toContain("the board meets");
  }
  const seq = numberOf("the board meets");
  for (const line of [`forget ${seq}`, `edit ${seq}`, `pin ${seq}`, "search board"]) {
    expect((await command(cleo, board, line)).status).toBe(404);
    const told = (await command(cleo, open, line)).body;
    expect(told).toMatch(/(?:There is no memory #|I remember nothing about that here)/u);
    expect(told).not.toContain("nine");
  }
  await openMemory(nina, open);
  await nina.getByText("This channel does not exist, or you may not see it.").waitFor();
});

test("a viewer can read memories but not change them, even by hand-made requests", async () => {
  await openMemory(vera, open);
  await rows(vera).filter({ hasText: "we deploy on Thursdays" }).waitFor();
  expect(await vera.getByRole("button", { name: "Remember something" }).count()).toBe(0);
  const before = rowsOf(at).length;
  const refused = await command(vera, open, "add by hand");
  expect(refused).toMatchObject({ status: 403, body: expect.stringContaining("Your account may only read") });
  expect(rowsOf(at).length).toBe(before);
});

test("a search includes other open channels, marked as such, with changes reserved to their authors", async () => {
  const other = at.channel();
  await at.talk({ text: "hello", channel: other, user: "U0ANA" }).answered(1);
  await typed(at, "add the ferry leaves at noon", { channel: other });
  await openMemory(ana, open);
  await rows(ana).first().waitFor();
  expect(await rows(ana).filter({ hasText: "ferry" }).count()).toBe(0);
  await ana.getByRole("searchbox", { name: "Search memories" }).fill("when does the ferry leave");
  await ana.keyboard.press("Enter");
  const row = rows(ana).filter({ hasText: "the ferry leaves at noon" });
  await row.filter({ hasText: "another channel" }).waitFor();
  expect(await row.getByRole("button").count()).toBeGreaterThan(0);
  const forget = `forget ${numberOf("the ferry")}`;
  expect((await command(cleo, open, forget)).body).toContain("only they and admins can change it");
  expect((await command(ana, open, forget)).body).toContain("Forgotten");
});

test("forgetting a memory and turning memory off are audited without its text; refused attempts are not", async () => {
  const channel = at.channel();
  await at.talk({ text: "hello", channel, user: "U0ANA" }).answered(1);
  await typed(at, "add the crane is booked", { channel });
  const seq = numberOf("the crane");
  for (const line of [`forget ${seq}`, "forget 999999", "on", "off", "off", "on", "nothing of the kind"])
    await command(ana, channel, line);
  await command(cleo, channel, `forget ${numberOf("we deploy")}`);
  const { body } = await handMade(ada, "/features/audit/list");
  const acts = auditSchema.parse(JSON.parse(body)).rows.filter(({ act }) => act.startsWith("memory."));
  const here = acts.filter(({ about }) => [`#${seq}`, `slack:${channel}`].includes(about));
  expect(here.map(({ act }) => act).toSorted()).toEqual(["memory.forgotten", "memory.off", "memory.on"]);
  expect(JSON.stringify(acts)).not.toMatch(/crane|nothing of the kind|999999/u);
  expect(acts.filter(({ by }) => by === "cleo")).toEqual([]);
});

test("the text of others' memories is never rendered as markup", async () => {
  await openMemory(ana, open);
  await rows(ana).filter({ hasText: HOSTILE }).filter({ hasNotText: "ravens" }).waitFor();
  await rows(ana).filter({ hasText: "ravens steal the bait" }).filter({ hasText: HOSTILE }).waitFor();
  expect(await ana.locator("table img").count()).toBe(0);
  expect(await ana.locator('a[href^="javascript:"]').count()).toBe(0);
  expect(await ana.title()).not.toBe("taken");
});

test("many memories are paginated", async () => {
  const channel = at.channel();
  await at.talk({ text: "hello", channel, user: "U0ANA" }).answered(1);
  const file = path.join(at.bot.home, "many.jsonl");
  const facts = Array.from({ length: MANY }, (_, number) => ({ text: `fact number ${number} of many` }));
  writeFileSync(file, facts.map((fact) => JSON.stringify({ ...fact, scope: `channel:slack:${channel}` })).join("\n"));
  expect((await runCli(["memory", "import", file], { cwd: at.bot.home })).out).toContain(`${MANY} memories imported`);
  await openMemory(ana, channel);
  await expect.poll(() => rows(ana).count()).toBe(50);
  await ana.getByRole("button", { name: "Older memories" }).click();
  await expect.poll(() => rows(ana).count()).toBe(100);
  await ana.getByRole("button", { name: "Older memories" }).click();
  await expect.poll(() => rows(ana).filter({ hasText: "of many" }).count()).toBe(MANY);
});

test("axe finds no accessibility violation in memories, on any screen", async () => {
  await openMemory(ana, open);
  await rows(ana).filter({ hasText: "Thursdays" }).waitFor();
  await expectSound(ana, "memory");
});

/** Says something in a thread of the page of its own. */
async function say(page: Page, words: string): Promise<void> {
  await page.getByRole("button", { name: "New thread" }).click();
  const composer = page.getByRole("textbox", { name: "Message to Deckhand" });
  await composer.fill(words);
  await composer.press("Enter");
}

const pageOf = (name: string) => (name === "ana" ? ana : cleo);

test.each(["ana", "cleo"])(
  "a private channel's memory is not revealed to %s on the page by a question, a search, an export or the tool",
  async (name) => {
    expect(await asked(at, QUESTION, { channel: secret })).toContain("closes in March");
    const page = pageOf(name);
    at.model.forget();
    await say(page, `${name} asks: ${QUESTION} look it up`);
    await at.until("the tool's result", () =>
      at.model.requests.some(({ toolResults }) =>
        toolResults.some(({ text: result }) => result.includes("Nothing about that is remembered here")),
      ),
    );
    const sent = at.model.requests.filter((request) => !isLesson(request)).map(({ body }) => body);
    expect(JSON.stringify(sent)).not.toContain("closes in March");

    await say(page, "/memory search merger Whimbrel");
    await page.getByText("I remember nothing about that here.").first().waitFor();
    await say(page, "/memory export");
    await page.getByText("I remember nothing here.").first().waitFor();
    expect(await page.content()).not.toContain("closes in March");
  },
);

test("a session of a private channel is listed on the page for its members only", async () => {
  await asked(at, QUESTION, { channel: secret });
  const titles = async (name: string) => {
    const answer = await pageOf(name).request.get(`${originOf(at)}/sessions?text=Whimbrel`);
    const { sessions } = z
      .object({ sessions: z.array(z.object({ title: z.string() })) })
      .parse(JSON.parse(await answer.text()));
    return sessions.map(({ title }) => title);
  };
  expect(await titles("ana")).toContain(QUESTION);
  expect(await titles("cleo")).not.toContain(QUESTION);
});
