import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { text } from "../../support/model/model-script.ts";
import { systemOf } from "../../support/model/request-parts.ts";
import { openBrowser } from "../../support/program/browser.ts";
import { visitPage } from "../../support/program/page-visit.ts";
import { slackOffice } from "../../support/talk/slack-talk.ts";

const RULE = "Deploy from the main branch only.";

test("what a checkout tells agents waits on the page, as text, until its button is pressed", async () => {
  await using at = await slackOffice();
  await using browser = await openBrowser();
  const root = at.bot.sandboxRoot("web-main");
  mkdirSync(path.join(root, ".git"), { recursive: true });
  writeFileSync(path.join(root, "AGENTS.md"), `${RULE} <img src=x onerror="window.hacked=1">\n`);
  at.model.script(() => text("Done."));
  await at.bot.start();
  await using visit = await visitPage(at.bot, browser);
  const { page, messages } = visit;
  const prompt = () => systemOf(at.model.requests.at(-1)?.body);

  await visit.say("hello");
  await messages.getByText("Done.").waitFor();
  expect(prompt()).not.toContain(RULE);
  const card = messages.getByRole("listitem").filter({ hasText: "This repository now instructs me" });
  await card.getByText("<img src=x").waitFor();
  expect(await messages.innerHTML()).not.toMatch(/<img|<[^>]* on\w+=/u);
  await card.getByRole("button", { name: "Follow it" }).click();
  await messages.getByText("Followed in this channel from now on").waitFor();

  await visit.say("and now");
  await expect.poll(() => messages.getByText("Done.").count()).toBe(2);
  expect(prompt()).toContain(RULE);
  expect(await page.evaluate("window.hacked")).toBeUndefined();
  expect(visit.complaints).toEqual([]);
});
