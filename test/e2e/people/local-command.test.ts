import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { text } from "../../support/model/model-script.ts";
import { rootOf } from "../../support/talk/approval-talk.ts";
import { useSlackOffice } from "../../support/talk/shared-office.ts";
import { conversationOf, type SlackOffice, slackOffice, type Talk } from "../../support/talk/slack-talk.ts";

const writing = useSlackOffice({ settings: { mode: "write" } });

/** A thread that begins so, in a channel with a file. */
function begin(at: SlackOffice, words: string): Talk {
  const channel = at.channel();
  writeFileSync(path.join(rootOf(at, channel), "notes.txt"), "line one\nline two\n");
  at.model.script(() => text("Two lines."));
  return at.talk({ text: words, channel });
}

test("a shell command after a mention runs as typed, without a model and without asking; the model reads it later", async () => {
  const at = writing();
  const talk = begin(at, "!wc -l < notes.txt");
  expect(await talk.answered(1)).toMatch(/^✓ `\$ wc -l < notes\.txt`\s+```\s*2\s*```$/u);
  expect(at.model.requests).toHaveLength(0);
  talk.say("how many lines are that?");
  expect(await talk.answered(2)).toBe("Two lines.");
  const seen = conversationOf(at.model.requests[0]?.body);
  expect(seen).toContain("<local_command_output>");
  expect(seen).toContain("wc -l < notes.txt");
});

test("words after an empty line are for the model, who answers below the output", async () => {
  const at = writing();
  const talk = begin(at, "!cat notes.txt\n\nhow many lines are that?");
  await talk.answered(2);
  expect(talk.answers()).toEqual([expect.stringContaining("line one\nline two"), "Two lines."]);
  expect(at.model.requests).toHaveLength(1);
});

test("a command that fails says so; the working directory stays for the next one, as in a shell", async () => {
  const at = writing();
  const talk = begin(at, "!mkdir -p deep && cd deep");
  expect(await talk.answered(1)).toContain("no output");
  talk.say("!pwd");
  expect(await talk.answered(2)).toContain("/workspace/deep");
  talk.say("!cat nowhere.txt");
  expect(await talk.answered(3)).toMatch(/^✗ `\$ cat nowhere\.txt` · exit code 1/u);
});

test("in read mode nothing is run", async () => {
  await using at = await slackOffice({ settings: { mode: "read" } });
  await at.bot.start();
  const talk = begin(at, "!rm notes.txt");
  expect(await talk.answered(1)).toContain("not available in read mode");
});
