import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { hold, text, toolUse } from "../../support/model/model-script.ts";
import type { Script } from "../../support/model/model-server.ts";
import { asks, cards, rootOf } from "../../support/talk/approval-talk.ts";
import { PLATFORMS, useBothPlatforms } from "../../support/talk/both-platforms.ts";
import { oneByOne } from "../../support/talk/one-by-one.ts";
import { answers, type SceneMessage } from "../../support/talk/scene.ts";
import { conversationOf, type SlackOffice, type Talk } from "../../support/talk/slack-talk.ts";

const ASK = toolUse("ask_user_question", { question: "Which port?", options: ["8080", "9090"] });

/** Asks the question first, then repeats its answer. */
const asksOnce: Script = (request, index) => (index === 0 ? ASK : text(`Heard: ${newestAnswerIn(request.body)}`));

/** The newest tool result that names an answer to a question. */
function newestAnswerIn(body: unknown): string {
  const said = conversationOf(body).match(/\w+ (?:chose|answered): [^"\\]+/gu) ?? [];
  return said.at(-1) ?? "nothing";
}

const PLACES = 4;
/** Channels in which calls need approval by ana; elsewhere nothing needs approval. */
const DECIDED = Array.from({ length: 30 }, (_, index) => `C9${String(index).padStart(3, "0")}`);
const both = useBothPlatforms({
  settings: {
    mode: "agi",
    maxConcurrentRuns: PLACES,
    approvals: { requester: false, approvers: ["slack:U0ANA"] },
    channels: Object.fromEntries(DECIDED.map((id) => [`slack:${id}`, { mode: "write" }])),
  },
});
const office = both.slack;
/** Gives out these channels one by one. */
const decided = oneByOne(DECIDED);

const withButton = (talk: Talk, prefix: string) =>
  talk.seen().filter(({ byBot, buttons }) => byBot && buttons.some(({ id }) => id.startsWith(prefix)));
const waitsFor = (at: SlackOffice, talk: Talk, prefix: string) =>
  at.until(`a button ${prefix}`, () => withButton(talk, prefix).length > 0);
const cardReads = (at: SlackOffice, talk: Talk, words: RegExp) =>
  at.until(String(words), () => talk.seen().some(({ byBot, text: shown }) => byBot && words.test(shown)));
const isSaid = (at: SlackOffice, talk: Talk, words: string) =>
  at.until(words, () => talk.answers().some((answer) => answer.includes(words)));

test.each(PLATFORMS)("on %s a question has its options as buttons, and a click answers it", async (platform) => {
  const scene = both.scene(platform);
  scene.model.script(asksOnce);
  const thread = scene.mention("set it up");
  const asked = await thread.until((all) => all.some(({ buttons }) => buttons.some((id) => id.startsWith("answer:"))));
  const card = asked.find(({ buttons }) => buttons.some((id) => id.startsWith("answer:")));
  expect(card?.text).toContain("Which port?");
  thread.click(card?.buttons[1] ?? "");
  const isClosed = ({ text: shown }: SceneMessage) => /Which port\?\s+✓ 9090 — @[Aa]na/u.test(shown);
  const messages = await thread.until(
    (all) => answers(all).some((answer) => answer.includes("Heard:")) && all.some(isClosed),
  );
  expect(messages.some(({ text: shown }) => /Heard: [Aa]na chose: 9090/u.test(shown))).toBe(true);
  expect(messages.find(isClosed)?.buttons).toEqual([]);
  expect(scene.model.requests).toHaveLength(2);
});

test("the asked person's reply is the answer; other messages wait, and a stranger's click has no effect", async () => {
  const at = office();
  at.model.script(asksOnce);
  const talk = at.talk({ text: "set it up", channel: at.channel() });
  await waitsFor(at, talk, "answer:");
  talk.click("answer:0", "U0BOB");
  await at.until("bob's refusal", () => at.ephemeralsTo("U0BOB").length === 1);
  expect(at.ephemeralsTo("U0BOB")[0]).toContain("Only the person I asked");
  await talk.mention("make it quick", { user: "U0BOB" }).answered;
  talk.say("4711, please");
  await isSaid(at, talk, "Heard: ana answered: 4711, please");
  expect(conversationOf(at.model.requests.at(-1)?.body)).toContain("make it quick");
  expect(at.model.requests).toHaveLength(2);
});

test("of two clicks one answers, and the second person is told so", async () => {
  const at = office();
  at.model.script(asksOnce);
  const talk = at.talk({ text: "set it up", channel: at.channel() });
  await waitsFor(at, talk, "answer:");
  talk.click("answer:0");
  talk.click("answer:1");
  await at.until("the second click's reply", () => at.ephemeralsTo("U0ANA").length === 1);
  expect(at.ephemeralsTo("U0ANA")[0]).toMatch(/Already answered: ✓ (8080|9090) — @ana/u);
  await isSaid(at, talk, "Heard: ana chose:");
  expect(at.model.requests).toHaveLength(2);
});

test("a stop during a question ends the run, and the buttons disappear", async () => {
  const at = office();
  at.model.script(asksOnce);
  const talk = at.talk({ text: "set it up", channel: at.channel() });
  await waitsFor(at, talk, "answer:");
  talk.mention("/stop");
  await cardReads(at, talk, /Which port\?\s+⏹ Stopped by @ana/u);
  expect(withButton(talk, "answer:")).toEqual([]);
  at.model.script(() => text("A new request."));
  talk.say("8080");
  await isSaid(at, talk, "A new request.");
});

const PLAN = toolUse("exit_plan_mode", { intro: "Two files.", steps: ["Write a.txt", "Write b.txt"] });
const write = (name: string) => toolUse("write", { path: name, content: name });

test("plan mode changes nothing until the plan is accepted; then it is carried out and its steps are checked off", async () => {
  const at = office();
  const gate = hold();
  at.model.script((_request, index) => {
    const turns = [
      [toolUse("enter_plan_mode", {}), write("early.txt")],
      write("early.txt"),
      PLAN,
      [toolUse("update_plan", { steps: [{ step: 1, mark: "doing" }] }), write("a.txt")],
      toolUse("update_plan", {
        steps: [
          { step: 1, mark: "done" },
          { step: 2, mark: "doing" },
        ],
      }),
      [gate.part, text("Done.")],
    ];
    return turns[index] ?? text("?");
  });
  const talk = at.talk({ text: "write both", channel: at.channel() });
  await waitsFor(at, talk, "answer:go:");
  const root = at.bot.sandboxRoot(`slack-${talk.channel}`);
  expect(existsSync(path.join(root, "early.txt"))).toBe(false);
  expect(conversationOf(at.model.requests.at(-1)?.body)).toContain("plan mode is on");
  const offered = at.model.requests.map(({ body }) => JSON.stringify(toolsOf(body)));
  talk.click("answer:go:");
  await talk.shows(/⏳ \*\*build\*\*[^\n]*\n✓ 1\. Write a\.txt\n⏳ 2\. Write b\.txt\n/u);
  gate.release();
  await isSaid(at, talk, "Done.");
  expect(existsSync(path.join(root, "a.txt"))).toBe(true);
  expect(new Set([...offered, JSON.stringify(toolsOf(at.model.requests.at(-1)?.body))]).size).toBe(1);
  expect(systemOf(at.model.requests.at(-1)?.body)).toContain("☐ 2. Write b.txt");
  await cardReads(at, talk, /✓ Accepted — @ana/u);

  at.model.script(() => text("Still there."));
  talk.say("how far are you?");
  await isSaid(at, talk, "Still there.");
  expect(systemOf(at.model.requests.at(-1)?.body)).toContain("✓ 1. Write a.txt\\n⏳ 2. Write b.txt");
});

function toolsOf(body: unknown): unknown {
  return typeof body === "object" && body !== null && "tools" in body ? body.tools : null;
}

function systemOf(body: unknown): string {
  return JSON.stringify(typeof body === "object" && body !== null && "system" in body ? body.system : null);
}

test("a dropped plan is not carried out, and plan mode ends", async () => {
  const at = office();
  at.model.script(
    (_request, index) =>
      [toolUse("enter_plan_mode", {}), PLAN, text("Left it."), write("c.txt"), text("Wrote it.")][index] ?? text("?"),
  );
  const talk = at.talk({ text: "write both", channel: at.channel() });
  await waitsFor(at, talk, "answer:drop:");
  talk.click("answer:drop:");
  await isSaid(at, talk, "Left it.");
  expect(conversationOf(at.model.requests.at(-1)?.body)).toContain("ana dropped the plan");
  talk.say("then write c.txt");
  await isSaid(at, talk, "Wrote it.");
  expect(existsSync(path.join(at.bot.sandboxRoot(`slack-${talk.channel}`), "c.txt"))).toBe(true);
});

function awake(body: unknown): string {
  return /(?:The pause of|A message ended)[^"]+?\./u.exec(conversationOf(body))?.[0] ?? "no pause";
}

test("a message ends a sleep early, and /stop ends the sleeping run", async () => {
  const at = office();
  at.model.script((request, index) => (index === 1 ? text(awake(request.body)) : toolUse("sleep", { seconds: 3_600 })));
  const talk = at.talk({ text: "wait an hour", channel: at.channel() });
  await talk.shows(/until \d\d:\d\d UTC/u);
  talk.say("no, now");
  await isSaid(at, talk, "A message ended the pause");
  expect(conversationOf(at.model.requests[1]?.body)).toContain("no, now");

  const other = at.talk({ text: "wait an hour", channel: at.channel() });
  await other.shows(/until \d\d:\d\d UTC/u);
  other.mention("/stop");
  await other.shows(/^⏹ Stopped by @ana/u);
});

test("notes and files reach the thread before the answer", async () => {
  const at = office();
  at.model.script((_request, index) => {
    return (
      [
        toolUse("brief", { text: "Half done.", files: ["r.txt"] }),
        toolUse("attach", { path: "r.txt" }),
        text("All done."),
      ][index] ?? text("?")
    );
  });
  const channel = at.channel();
  const root = at.bot.sandboxRoot(`slack-${channel}`);
  mkdirSync(root, { recursive: true });
  writeFileSync(path.join(root, "r.txt"), "report\n");
  const talk = at.talk({ text: "report", channel });
  await isSaid(at, talk, "All done.");
  expect(talk.answers()).toEqual(["Half done.", "`r.txt`", "All done."]);
  const sent = talk.seen().filter(({ byBot }) => byBot);
  expect(sent.flatMap(({ files }) => files.map(({ name }) => name))).toEqual(["r.txt", "r.txt"]);
});

// Models and people who try to run calls that nobody has allowed.

test("“always allow” covers the call shown on the card, not another one beside it that would have failed", async () => {
  const at = office();
  const channel = decided();
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
test("a program in a missing file fails without asking for approval", async () => {
  const at = office();
  at.model.script((_request, index) => (index === 0 ? toolUse("js_exec", { file: "nowhere.js" }) : text("No file.")));
  const talk = at.talk({ text: "run it", channel: decided() });
  expect(await talk.answered(1)).toBe("No file.");
  expect(conversationOf(at.model.requests.at(-1)?.body)).toContain("nowhere.js");
});
test("a denied call is not run even if the mode has become agi meanwhile", async () => {
  const at = office();
  at.model.script((_request, index) =>
    index === 0 ? toolUse("write", { path: "a.txt", content: "a" }) : text(`Denied ${index}`),
  );
  const talk = at.talk({ text: "write it", channel: decided() });
  await asks(at, talk);
  await talk.mention("/mode agi").answered;
  await at.until("the new mode", () => at.ephemeralsTo("U0ANA").some((said) => said.includes("Mode **agi**")));
  talk.click("approve:n");
  await talk.answered(2);
  expect(existsSync(path.join(rootOf(at, talk.channel), "a.txt"))).toBe(false);
});
test("a person who may not decide cannot bypass the approval by typing a shell command", async () => {
  const at = office();
  const channel = decided();
  writeFileSync(path.join(rootOf(at, channel), "a.txt"), "a\n");
  at.model.script(() => text("Done."));
  const talk = at.talk({ text: "!rm a.txt", channel, user: "U0BOB" });
  expect(await talk.answered(1)).toContain("that @bob can't make. Only an approver can.");
  expect(existsSync(path.join(rootOf(at, channel), "a.txt"))).toBe(true);
  talk.mention("!rm a.txt", { user: "U0ANA" });
  expect(await talk.answered(2)).toContain("✓");
  expect(existsSync(path.join(rootOf(at, channel), "a.txt"))).toBe(false);
});

test("an approved program from a file runs as it was shown, or not at all", async () => {
  const at = office();
  const channel = decided();
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
  expect(conversationOf(at.model.requests.at(-1)?.body)).toContain(
    "tidy.js, or a file that it imports, has changed since it was allowed",
  );
  expect(existsSync(made)).toBe(false);
  talk.say("again");
  await asks(at, talk);
  talk.click("approve:y");
  await talk.answered(4);
  expect(existsSync(made)).toBe(true);
});

test("one person's twenty slow threads do not delay other people", async () => {
  const gate = hold();
  const at = office(({ lastUserText }) =>
    lastUserText.includes("slow") ? [gate.part, text("Slow.")] : text("Quick."),
  );
  const slow = Array.from({ length: 20 }, () => at.talk({ text: "the slow one", channel: at.channel() }));
  await Promise.all(slow.map(({ said }) => said.answered));
  await slow.at(-1)?.shows(/queued, \d+ before you/u);
  const beside = at.talk({ text: "the quick one", channel: at.channel(), user: "U0BOB" });
  expect(await beside.answered(1)).toBe("Quick.");
  expect(at.requestsAbout("the slow one").length).toBeLessThan(PLACES);
  gate.release();
  await Promise.all(slow.map((talk) => talk.answered(1)));
});
