import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { text } from "../support/model-script.ts";
import { conversationOf, type SlackOffice, slackOffice } from "../support/slack-talk.ts";

async function office(settings: object): Promise<SlackOffice & { folder: string; used: string }> {
  const opened = await slackOffice({ settings });
  const used = opened.channel();
  const folder = opened.bot.sandboxRoot(`slack-${used}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "notes.txt"), "line one\nline two\n");
  opened.model.script(() => text("Two lines."));
  await opened.bot.start();
  return { ...opened, folder, used };
}

test("a shell command after a mention runs as typed, without a model and without asking; the model reads it later", async () => {
  await using at = await office({ mode: "write" });
  const talk = at.talk({ text: "!wc -l < notes.txt", channel: at.used });
  expect(await talk.answered(1)).toMatch(/^✓ `\$ wc -l < notes\.txt`\s+```\s*2\s*```$/u);
  expect(at.model.requests).toHaveLength(0);
  talk.say("how many lines are that?");
  expect(await talk.answered(2)).toBe("Two lines.");
  const seen = conversationOf(at.model.requests[0]?.body);
  expect(seen).toContain("<local_command_output>");
  expect(seen).toContain("wc -l < notes.txt");
  expect(at.model.violations).toEqual([]);
});

test("words after an empty line are for the model, who answers below the output", async () => {
  await using at = await office({ mode: "write" });
  const talk = at.talk({ text: "!cat notes.txt\n\nhow many lines are that?", channel: at.used });
  await talk.answered(2);
  expect(talk.answers()).toEqual([expect.stringContaining("line one\nline two"), "Two lines."]);
  expect(at.model.requests).toHaveLength(1);
});

test("a command that fails says so; the working directory stays for the next one, as in a shell", async () => {
  await using at = await office({ mode: "write" });
  const talk = at.talk({ text: "!mkdir -p deep && cd deep", channel: at.used });
  expect(await talk.answered(1)).toContain("no output");
  talk.say("!pwd");
  expect(await talk.answered(2)).toContain("/workspace/deep");
  talk.say("!cat nowhere.txt");
  expect(await talk.answered(3)).toMatch(/^✗ `\$ cat nowhere\.txt` · exit code 1/u);
});

test("in read mode nothing is run", async () => {
  await using at = await office({ mode: "read" });
  const talk = at.talk({ text: "!rm notes.txt", channel: at.used });
  expect(await talk.answered(1)).toContain("not available in read mode");
});
