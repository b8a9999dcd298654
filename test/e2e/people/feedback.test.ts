import { expect, test } from "vitest";
import { text, toolUse } from "../../support/model/model-script.ts";
import type { Script } from "../../support/model/model-server.ts";
import { untilIdle } from "../../support/program/bot.ts";
import { isFold } from "../../support/talk/bot-message.ts";
import { discordScene, isFolded, type Scene, slackScene } from "../../support/talk/scene.ts";
import { slackOffice } from "../../support/talk/slack-talk.ts";

const look: Script = (_request, index) => (index === 0 ? toolUse("glob", { pattern: "*" }) : text("Nothing there."));

const platforms: readonly { name: string; open: () => Promise<Scene> }[] = [
  { name: "Slack", open: () => slackScene() },
  { name: "Discord", open: () => discordScene() },
];

test.each(platforms)("on $name a run's fold takes votes, and the newest of a person counts", async ({ open }) => {
  await using scene = await open();
  scene.model.script(look);
  await scene.bot.start();
  const thread = scene.mention("what is there?");
  const messages = await thread.until(isFolded);
  const fold = messages.find(isFold);
  expect(fold?.buttons.map((id) => id.split(":")[0])).toEqual(["details", "good", "bad"]);
  const votes = async (value: string) =>
    (await scene.bot.probe("metrics")).text.includes(`deckhand_run_feedback{value="${value}"} 1`);
  thread.click(fold?.buttons[1] ?? "");
  await expect.poll(() => votes("up")).toBe(true);
  thread.click(fold?.buttons[2] ?? "");
  await expect.poll(() => votes("down")).toBe(true);
  expect(await votes("up")).toBe(false);
});

test("on Slack the voter alone is thanked, /usage counts, and details show each step, whole in a direct message", async () => {
  await using office = await slackOffice({ settings: { mode: "agi" } });
  await office.bot.start();
  const long = Array.from({ length: 200 }, (_, line) => `line ${line}`).join("\n");
  office.model.script((_request, index) => {
    if (index === 0) return toolUse("write", { path: "long.txt", content: long });
    return index === 1 ? toolUse("bash", { command: "cat long.txt; false" }) : text("Done.");
  });
  const talk = office.talk({ text: "make it long", channel: office.channel() });
  await talk.answered(1);
  await untilIdle(office.bot);
  const told = (words: string) =>
    office.until(words, () => office.ephemeralsTo("U0ANA").some((ephemeral) => ephemeral.includes(words)));
  await office.until("the fold", () =>
    talk.live().some(({ buttons }) => buttons.some(({ id }) => id.startsWith("good:"))),
  );
  talk.click("good:");
  await told("👍 Noted, thanks.");
  talk.mention("/usage");
  await told("What people said of it: 1 👍 · 0 👎");

  talk.click("details:");
  await told("cat long.txt; false");
  const details = office.ephemeralsTo("U0ANA").at(-1) ?? "";
  expect(details).toContain("✓ **write** `");
  expect(details).toContain("✗ **bash** `cat long.txt; false`");
  expect(details).toContain("exit code 1");
  const steps = () => {
    const file = [...office.slack.workspace.files.values()].find(({ name }) => name === "steps.txt");
    return Buffer.from(file?.data ?? []).toString();
  };
  // Slack knows a file's name before it has its bytes.
  await office.until("the file", () => steps() !== "");
  expect(steps()).toContain("line 199");
});
