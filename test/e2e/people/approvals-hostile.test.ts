import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { text, toolUse } from "../../support/model/model-script.ts";
import { asks, cards, rootOf } from "../../support/talk/approval-talk.ts";
import { useSlackOffice } from "../../support/talk/shared-office.ts";
import { conversationOf, type Talk } from "../../support/talk/slack-talk.ts";

// Models and people who try to have run what nobody has allowed.
const office = useSlackOffice({
  settings: { mode: "write", maxConcurrentRuns: 4, approvals: { requester: false, approvers: ["slack:U0ANA"] } },
});

test("what is always allowed is what the card showed, not a call beside it that could not succeed", async () => {
  const at = office();
  const channel = at.channel();
  writeFileSync(path.join(rootOf(at, channel), "b.txt"), "old\n");
  at.model.script((_request, index) => {
    if (index === 0) {
      return [
        toolUse("write", { path: "a.txt", content: "a" }),
        toolUse("edit", { path: "b.txt", old_string: "not there", new_string: "x" }),
      ];
    }
    if (index === 1) return toolUse("read", { path: "b.txt" });
    if (index === 2) return toolUse("edit", { path: "b.txt", old_string: "old", new_string: "new" });
    return text("Done.");
  });
  const talk = at.talk({ text: "write it", channel });
  await asks(at, talk);
  expect(cards(talk)[0]?.text).not.toContain("b.txt");
  talk.click("approve:A");
  await at.until("the question about b.txt", () => cards(talk).some(({ text: shown }) => shown.includes("b.txt")));
  expect(readFileSync(path.join(rootOf(at, channel), "b.txt"), "utf8")).toBe("old\n");
});
test("a program in a file that is not there is no question to anybody", async () => {
  const at = office();
  at.model.script((_request, index) => (index === 0 ? toolUse("js_exec", { file: "nowhere.js" }) : text("No file.")));
  const talk = at.talk({ text: "run it", channel: at.channel() });
  expect(await talk.answered(1)).toBe("No file.");
  expect(conversationOf(at.model.requests.at(-1)?.body)).toContain("nowhere.js");
});
test("a call that was denied is not run, although the mode has come to ask for nothing since", async () => {
  const at = office();
  at.model.script((_request, index) =>
    index === 0 ? toolUse("write", { path: "a.txt", content: "a" }) : text(`Denied ${index}`),
  );
  const talk = at.talk({ text: "write it", channel: at.channel() });
  await asks(at, talk);
  await talk.mention("/mode agi").answered;
  await at.until("the new mode", () => at.ephemeralsTo("U0ANA").some((said) => said.includes("Mode **agi**")));
  talk.click("approve:n");
  await talk.answered(2);
  expect(existsSync(path.join(rootOf(at, talk.channel), "a.txt"))).toBe(false);
});
test("who may not decide cannot type past the approval", async () => {
  const at = office();
  const channel = at.channel();
  writeFileSync(path.join(rootOf(at, channel), "a.txt"), "a\n");
  at.model.script(() => text("Done."));
  const talk = at.talk({ text: "!rm a.txt", channel, user: "U0BOB" });
  expect(await talk.answered(1)).toContain("@bob may not make it. An approver may.");
  expect(existsSync(path.join(rootOf(at, channel), "a.txt"))).toBe(true);
  talk.mention("!rm a.txt", { user: "U0ANA" });
  expect(await talk.answered(2)).toContain("✓");
  expect(existsSync(path.join(rootOf(at, channel), "a.txt"))).toBe(false);
});

test("twenty cards, decided at once after kill -9: the calls run at once, however few edits Slack takes", async () => {
  const at = office(({ body }) => {
    const conversation = conversationOf(body);
    const [, number = ""] = /number (\d+)/u.exec(conversation) ?? [];
    if (conversation.includes("tool_result")) return text(`Finished ${number}.`);
    return toolUse("write", { path: "a.txt", content: number });
  });
  const talks = Array.from({ length: 20 }, (_, index) => at.talk({ text: `number ${index}`, channel: at.channel() }));
  await at.until("all cards", () => talks.every((talk) => cards(talk).length === 1));
  await at.bot.kill("SIGKILL");
  await at.bot.start();
  for (const talk of talks) talk.click("approve:y");
  const finished = (talk: Talk) => talk.answers().filter((answer) => answer.startsWith("Finished"));
  await at.until("all answers", () => talks.every((talk) => finished(talk).length === 1));
  expect(at.slack.rateLimited()).toBe(0);
});

test("a program in a file runs as people saw it, or not at all", async () => {
  const at = office();
  const channel = at.channel();
  const program = path.join(rootOf(at, channel), "tidy.js");
  const made = path.join(rootOf(at, channel), "made.txt");
  writeFileSync(program, "1 + 1");
  const call = { file: "tidy.js", hosts: ["api.example"] };
  at.model.script((_request, index) => (index % 2 === 0 ? toolUse("js_exec", call) : text("Done.")));
  const talk = at.talk({ text: "run it", channel });
  await asks(at, talk);
  expect(cards(talk)[0]?.text).toContain("1 + 1");
  expect(cards(talk)[0]?.text).toContain("api.example is not on the list of allowed hosts.");
  expect(cards(talk)[0]?.text).toContain("may change files in the sandbox of this channel · api.example · ");
  writeFileSync(program, "fs.writeFileSync('made.txt', 'x')");
  talk.click("approve:y");
  await talk.answered(2);
  expect(conversationOf(at.model.requests.at(-1)?.body)).toContain("tidy.js is not what it was when it was allowed");
  expect(existsSync(made)).toBe(false);
  talk.say("again");
  await asks(at, talk);
  talk.click("approve:y");
  await talk.answered(4);
  expect(existsSync(made)).toBe(true);
});
