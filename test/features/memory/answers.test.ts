import { beforeEach, expect, test } from "vitest";
import { type Reply, text, toolUse } from "../../support/model/model-script.ts";
import type { RecordedRequest } from "../../support/model/model-server.ts";
import { untilIdle } from "../../support/program/bot.ts";
import { cards } from "../../support/talk/approval-talk.ts";
import {
  asked,
  isAllLearned,
  isLesson,
  notes,
  type ProposedNote,
  rowsOf,
  typed,
} from "../../support/talk/memory-talk.ts";
import { useSlackOffice } from "../../support/talk/shared-office.ts";
import { conversationOf, type SlackOffice, type Talk } from "../../support/talk/slack-talk.ts";

const IN_MODE_WRITE = ["C0WRITE1", "C0WRITE2"] as const;
const settings = {
  mode: "agi",
  memory: { learn: false, learnAfterMinutes: 0 },
  access: { deny: ["slack:U0EVE"] },
  channels: Object.fromEntries(IN_MODE_WRITE.map((channel) => [`slack:${channel}`, { mode: "write" }])),
};
const office = useSlackOffice({ settings });

let at: SlackOffice;
/** What the model calls before it answers. */
let calls: (request: RecordedRequest) => Reply | null;
let proposed: readonly ProposedNote[];

beforeEach(() => {
  calls = () => null;
  proposed = [];
  at = office((request) => {
    if (isLesson(request)) return notes(request, proposed);
    // A run with a tool has a live message, which folds and has buttons.
    return (request.toolResults.length > 0 ? null : calls(request)) ?? text("Done.");
  });
});

/** The folded line of a run that has used a tool. */
async function folded(talk: Talk): Promise<string> {
  await talk.answered(1);
  const fold = () => talk.live().findLast(({ buttons }) => buttons.some(({ id }) => id.startsWith("details:")));
  await at.until("the fold", () => fold() !== undefined);
  await untilIdle(at.bot);
  return fold()?.text ?? "";
}

/** Clicks a button and returns the ephemeral message that it is answered with. */
async function clicked(talk: Talk, prefix: string, user = "U0ANA"): Promise<string> {
  const before = at.ephemeralsTo(user).length;
  talk.click(prefix, user);
  await at.until(`an answer to ${prefix}`, () => at.ephemeralsTo(user).length > before);
  return at.ephemeralsTo(user).at(-1) ?? "";
}

const looking = () => toolUse("glob", { pattern: "*" });
const remembering = (words: string) => toolUse("use_tool", { name: "remember", input: { text: words } });

test("a run's Details list the memories that it used, with their authors and threads", async () => {
  const channel = at.channel();
  await typed(at, "add the avocet is deployed by carla", { channel, user: "U0BOB" });
  calls = looking;
  const talk = at.talk({ text: "who deploys the avocet?", channel });
  await folded(talk);
  const details = await clicked(talk, "details:");
  expect(details).toMatch(/From memory[\s\S]*#\d+[\s\S]*the avocet is deployed by carla · bob · \d{4}-\d{2}-\d{2}/u);

  const other = at.talk({ text: "who washes the dishes?", channel });
  await folded(other);
  expect(await clicked(other, "details:")).not.toContain("From memory");
});

test("the Details also list memories from other open channels", async () => {
  await typed(at, "add the gadwall is deployed by carla", { channel: at.channel(), user: "U0BOB" });
  calls = looking;
  const talk = at.talk({ text: "who deploys the gadwall?", channel: at.channel() });
  await folded(talk);
  expect(await clicked(talk, "details:")).toMatch(/From memory[\s\S]*the gadwall is deployed by carla · bob/u);
});

test("the Details omit memories that only another person may read", async () => {
  const channel = at.channel();
  await typed(at, "add --scope me I want summaries on godwits in Welsh", { channel });
  calls = looking;
  const talk = at.talk({ text: "a summary on godwits please", channel });
  await folded(talk);
  expect(await clicked(talk, "details:")).toContain("in Welsh");
  expect(await clicked(talk, "details:", "U0BOB")).not.toContain("in Welsh");
});

test("a 👎 lowers the rating of the memories used, a 👍 raises it, and each person's latest vote counts", async () => {
  const channel = at.channel();
  await typed(at, "add the ruff is kept by the harbour team", { channel });
  await typed(at, "add the dotterel is kept by the forest team", { channel });
  calls = looking;
  const talk = at.talk({ text: "who keeps the ruff?", channel });
  await folded(talk);
  const helped = () => rowsOf(at).find(({ text: row }) => row.includes("the ruff"))?.helped;
  await clicked(talk, "bad:");
  expect(helped()).toBe(-1);
  await clicked(talk, "bad:");
  expect(helped()).toBe(-1);
  await clicked(talk, "good:");
  expect(helped()).toBe(1);
  expect(rowsOf(at).find(({ text: row }) => row.includes("dotterel"))?.helped).toBe(0);
});

test("a run's collapsed line counts new memories; the Details list them, and their author can remove them there", async () => {
  const channel = at.channel();
  calls = () => remembering("The sanderling sleeps on Sundays");
  const talk = at.talk({ text: "keep in mind: the sanderling sleeps on Sundays", channel });
  expect(await folded(talk)).toMatch(/ · 1 remembered$/u);
  calls = looking;
  expect(await folded(at.talk({ text: "what is here?", channel }))).not.toContain("remembered");

  const newest = () => at.slack.workspace.ephemerals.at(-1);
  expect(await clicked(talk, "details:", "U0BOB")).toMatch(/Remembered[\s\S]*The sanderling sleeps on Sundays/u);
  expect(JSON.stringify(newest())).not.toContain("hook:memory");
  await clicked(talk, "details:");
  const ephemeral = newest();
  const undo = JSON.stringify(ephemeral).match(/hook:memory:run_\w+/u)?.[0] ?? "";
  const said = at.ephemeralsTo("U0ANA").length;
  at.slack.people.clickEphemeral(ephemeral, undo);
  await at.until("that it is forgotten", () => at.ephemeralsTo("U0ANA").length > said);
  expect(at.ephemeralsTo("U0ANA").at(-1)).toContain("✓ Forgotten: 1 memory from this run.");
  expect(rowsOf(at).filter(({ text: row }) => row.includes("sanderling"))).toEqual([]);
});

test("memories learned afterwards are added to the collapsed line, and removing one in the Details restores what it replaced", async () => {
  const channel = at.channel();
  await typed(at, "add the stilt is built with Jenkins", { channel });
  proposed = [{ text: "The stilt is built with Buildkite", says: "Buildkite", replaces: "Jenkins" }];
  calls = looking;
  const talk = at.talk({ text: "from now on the stilt is built with Buildkite", channel });
  await folded(talk);
  talk.mention("/memory learn from this thread");
  await talk.shows(/^✓ .* · 1 remembered$/mu);
  const stilts = () => rowsOf(at).filter(({ text: row }) => row.includes("the stilt") || row.includes("The stilt"));
  expect(stilts().map(({ endedAt }) => endedAt === null)).toEqual([false, true]);
  await clicked(talk, "details:");
  const ephemeral = at.slack.workspace.ephemerals.at(-1);
  const undo = JSON.stringify(ephemeral).match(/hook:memory:run_\w+/u)?.[0] ?? "";
  at.slack.people.clickEphemeral(ephemeral, undo);
  await at.until("the old one alone", () => stilts().length === 1);
  expect(stilts()).toMatchObject([{ text: "the stilt is built with Jenkins", endedAt: null }]);
});

test("/remember stores a memory for the thread and later ones", async () => {
  const channel = at.channel();
  const talk = at.talk({ text: "begin", channel });
  await talk.answered(1);
  talk.mention("/remember the turnstone pays in guilders");
  await at.until("that it is kept", () => at.ephemeralsTo("U0ANA").some((told) => told.includes(" as #")));
  expect(await asked(at, "how does the turnstone pay?", { channel })).toContain("guilders");
  expect(await typed(at, "the whimbrel pays in kroner", { channel, name: "remember" })).toContain(" as #");
  expect(await asked(at, "how does the whimbrel pay?", { channel })).toContain("kroner");
});

test("on Slack a form adds and edits a memory, with validation errors under its field", async () => {
  const { people, workspace } = at.slack;
  const channel = at.channel();
  const form = () => [...workspace.forms.values()].at(-1);
  await people.command("/memory", "add", { channel }).answered;
  await at.until("the form", () => form()?.inputs.some(({ block_id }) => block_id === "scope") === true);
  await people.submit({ text: "the password is hunter2hunter2" }).answered;
  expect(JSON.stringify(form())).toContain("looks like a password");
  await people.submit({ text: "the knot flies to Wales", scope: "workspace" }).answered;
  expect(rowsOf(at).at(-1)).toMatchObject({ text: "the knot flies to Wales", scope: "workspace:slack:T0001" });

  const [, number = ""] = /#(\d+)\*\* the knot/u.exec(await typed(at, "list", { channel })) ?? [];
  await people.command("/memory", `edit ${number}`, { channel }).answered;
  await at.until("the form of the change", () => JSON.stringify(form() ?? "").includes("the knot flies to Wales"));
  await people.submit({ text: "the knot flies to Iceland" }).answered;
  await at.until("the change", () => rowsOf(at).at(-1)?.text === "the knot flies to Iceland");
});

test("a thread can be learned from on request, also with automatic learning off, and other threads cost no call", async () => {
  const channel = at.channel();
  const lessons = () => at.model.requests.filter(isLesson);
  await at.talk({ text: "from now on the gadwall is deployed on Thursdays", channel }).answered(1);
  const talk = at.talk({ text: "the pintail starts with the night train", channel });
  await talk.answered(1);
  expect(isAllLearned(at)).toBe(true);
  proposed = [{ text: "The pintail starts with the night train", says: "pintail" }];
  talk.mention("/memory learn from this thread");
  await at.until("the memory", () => rowsOf(at).some(({ text: row }) => row.includes("pintail")));
  // Lessons that were due earlier would have been learned first.
  await at.until("all to be learned", () => isAllLearned(at));
  expect(lessons().map(({ lastUserText }) => lastUserText.includes("gadwall"))).toEqual([false]);
  expect(await typed(at, "learn", { channel })).toContain("This works only in a thread");
});

test("a denied person can neither ask nor read memories by commands", async () => {
  const channel = at.channel();
  await typed(at, "add the smew is the canary of production", { channel });
  for (const line of ["list", "search smew", "export", "forget me"]) {
    const told = await typed(at, line, { channel, user: "U0EVE" });
    expect(told).not.toContain("canary");
    expect(told).not.toContain("Forgotten");
  }
  const requests = at.model.requests.length;
  await at.talk({ text: "what is the smew?", channel, user: "U0EVE" }).said.answered;
  expect(at.model.requests).toHaveLength(requests);
});

const telling = (words: string, scope: string) =>
  toolUse("use_tool", { name: "remember", input: { text: words, scope } });

test("in mode write the model remembers for others only after approval, separately for each scope", async () => {
  const [channel] = IN_MODE_WRITE;
  calls = () => telling("The siskin ships on Fridays", "channel");
  const talk = at.talk({ text: "the siskin ships on Fridays", channel });
  await at.until("the card", () => cards(talk).length > 0);
  const siskins = () => rowsOf(at).filter(({ text: row }) => /siskin/iu.test(row));
  expect(siskins()).toEqual([]);
  talk.click("approve:A");
  await at.until("it to be kept", () => siskins().length === 1);
  await untilIdle(at.bot);

  calls = () => telling("Everybody feeds the siskin", "workspace");
  talk.mention("everybody feeds the siskin");
  await at.until("a card of its own", () => cards(talk).length > 0);
  expect(siskins()).toHaveLength(1);
  talk.click("approve:n");
  await at.until("no card", () => cards(talk).length === 0);
  await untilIdle(at.bot);
  expect(siskins()).toHaveLength(1);
});

test("in mode write the model forgets only after approval, separately for each memory", async () => {
  const [, channel] = IN_MODE_WRITE;
  await typed(at, "add the twite eats seeds", { channel });
  await typed(at, "add the twite sings at noon", { channel });
  const twites = () => rowsOf(at).flatMap(({ text: row }) => (/twite/iu.test(row) ? [row] : []));
  const listed = await typed(at, "list", { channel });
  const numberOf = (words: string) => Number(new RegExp(`#(\\d+)[^#]*${words}`, "u").exec(listed)?.[1]);
  const forget = (words: string) => () => toolUse("use_tool", { name: "forget", input: { number: numberOf(words) } });

  calls = forget("eats seeds");
  const talk = at.talk({ text: "forget what it eats", channel });
  await at.until("the card", () => cards(talk).length > 0);
  expect(twites()).toHaveLength(2);
  talk.click("approve:A");
  await at.until("one to be left", () => twites().length === 1);
  // Slack takes so many edits a minute, and the file's other threads have had theirs.
  await at.until("the card to close", () => cards(talk).length === 0);
  await untilIdle(at.bot);

  calls = forget("sings at noon");
  talk.mention("forget when it sings");
  await at.until("a card of its own", () => cards(talk).length > 0);
  talk.click("approve:n");
  await at.until("no card", () => cards(talk).length === 0);
  await untilIdle(at.bot);
  expect(twites()).toEqual(["the twite sings at noon"]);
});

test("where memory is off the recall tool finds nothing", async () => {
  const channel = at.channel();
  await typed(at, "add the brambling nests in the attic", { channel });
  await typed(at, "off", { channel });
  calls = () => toolUse("use_tool", { name: "recall", input: { query: "brambling nests" } });
  await at.talk({ text: "look up where it nests", channel }).answered(1);
  const told = conversationOf(at.model.requests.at(-1)?.body);
  expect(told).toContain("Memory is off in this channel");
  expect(told).not.toContain("attic");
});

test.each(["thanks!", "ok, great", "👍", "hello", "yes please do"])(
  "the message %s triggers no recall",
  async (words) => {
    const channel = at.channel();
    await typed(at, "add thanks go to the bakery on Fridays, and the great gate is closed", { channel });
    expect(await asked(at, words, { channel })).not.toContain("<memories");
  },
);
