import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { text, toolUse } from "../../../support/model/model-script.ts";
import { openBrowser } from "../../../support/program/browser.ts";
import { asked, isLesson, privateChannel, typed } from "../../../support/talk/memory-talk.ts";
import type { SlackOffice } from "../../../support/talk/slack-talk.ts";
import { addAccount, consoleOffice, link, originOf, signedIn } from "../../console/console-world.ts";

/** What a private channel of Slack was told, asked for on the page by somebody who is in it, and by somebody who is not. */

const TOLD = "the merger with Whimbrel closes in March";
const QUESTION = "when does the merger with Whimbrel close?";
let browser: Browser;
let at: SlackOffice;
let secret: string;
const pages = new Map<string, Page>();

beforeAll(async () => {
  browser = await openBrowser();
  at = await consoleOffice({ mode: "agi" });
  at.model.script((request) =>
    request.toolResults.length === 0 && request.lastUserText.includes("look it up")
      ? toolUse("use_tool", { name: "recall", input: { query: "merger Whimbrel" } })
      : text("Done."),
  );
  secret = privateChannel(at);
  for (const [name, user] of [
    ["ana", "U0ANA"],
    ["cleo", "U0CLEO"],
  ] as const) {
    await addAccount(at, { name });
    const page = await signedIn(at, browser, { name });
    await link(at, page, user);
    pages.set(name, page);
  }
  await typed(at, `add ${TOLD}`, { channel: secret });
});

afterAll(async () => {
  await browser.close();
  await at[Symbol.asyncDispose]();
});

/** Says something in a thread of the page of its own. */
async function say(page: Page, words: string): Promise<void> {
  await page.getByRole("button", { name: "New thread" }).click();
  const composer = page.getByRole("textbox", { name: "Message to Deckhand" });
  await composer.fill(words);
  await composer.press("Enter");
}

test.each(["ana", "cleo"])(
  "%s is told nothing of it on the page: by a question, a search, an export or the tool",
  async (name) => {
    expect(await asked(at, QUESTION, { channel: secret })).toContain("closes in March");
    const page = pages.get(name);
    if (page === undefined) throw new Error(name);
    at.model.forget();
    await say(page, `${name} asks: ${QUESTION} look it up`);
    await at.until("the tool's result", () =>
      at.model.requests.some(({ toolResults }) =>
        toolResults.some(({ text: result }) => result.includes("Nothing of that is remembered here")),
      ),
    );
    const sent = at.model.requests.filter((request) => !isLesson(request)).map(({ body }) => body);
    expect(JSON.stringify(sent)).not.toContain("closes in March");

    await say(page, "/memory search merger Whimbrel");
    await page.getByText("I remember nothing of that here.").first().waitFor();
    await say(page, "/memory export");
    await page.getByText("I remember nothing here.").first().waitFor();
    expect(await page.content()).not.toContain("closes in March");
  },
);

test("a session of that channel is in its people's list on the page, and in nobody else's", async () => {
  const titles = async (name: string) => {
    const answer = await pages.get(name)?.request.get(`${originOf(at)}/sessions?text=Whimbrel`);
    const { sessions } = z
      .object({ sessions: z.array(z.object({ title: z.string() })) })
      .parse(JSON.parse((await answer?.text()) ?? ""));
    return sessions.map(({ title }) => title);
  };
  expect(await titles("ana")).toContain(QUESTION);
  expect(await titles("cleo")).not.toContain(QUESTION);
});
