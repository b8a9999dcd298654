import { beforeEach, expect, test } from "vitest";
import { hold, type Reply, text } from "../../support/model/model-script.ts";
import type { RecordedRequest } from "../../support/model/model-server.ts";
import { untilIdle } from "../../support/program/bot.ts";
import {
  asked,
  isAllLearned,
  isLesson,
  notes,
  type ProposedNote,
  privateChannel,
  rowsOf,
  spentOnLessons,
  typed,
} from "../../support/talk/memory-talk.ts";
import { useSlackOffice } from "../../support/talk/shared-office.ts";
import type { SlackOffice } from "../../support/talk/slack-talk.ts";

const office = useSlackOffice({ settings: { mode: "agi", memory: { learnAfterMinutes: 0 } } });

let at: SlackOffice;
/** What a model proposes to remember of a thread. */
let proposed: (request: RecordedRequest) => readonly ProposedNote[];
let answer: (request: RecordedRequest) => Reply;

beforeEach(() => {
  proposed = () => [];
  answer = () => text("Done.");
  at = office((request) => (isLesson(request) ? notes(request, proposed(request)) : answer(request)));
});

const lessons = () => at.model.requests.filter(isLesson);

/** A thread with these words has been learned from, and all others that were due. */
async function learned(words: string): Promise<RecordedRequest> {
  const isThere = () => lessons().some(({ lastUserText }) => lastUserText.includes(JSON.stringify(words).slice(1, -1)));
  await at.until("the lesson", () => isThere() && isAllLearned(at));
  return lessons().at(-1) ?? expect.fail("there was a lesson");
}

/** Says something in a new thread, and waits until it has been learned from. */
async function told(words: string, channel: string, user = "U0ANA"): Promise<RecordedRequest> {
  await at.talk({ text: words, channel, user }).answered(1);
  return learned(words);
}

test("a decision from a thread that has gone quiet is recalled in the next thread without anybody's request", async () => {
  const channel = at.channel();
  const words = "we have decided: the heron is deployed on Thursdays from now on";
  proposed = () => [{ text: "The heron is deployed on Thursdays", kind: "decision", says: "heron" }];
  const lesson = await told(words, channel);
  expect(lesson.body).toMatchObject({ model: "claude-haiku-5-5" });
  expect(lesson.lastUserText).toContain(words);

  const request = await asked(at, "on which day is the heron deployed?", { channel });
  expect(request).toMatch(/#\d+ · ana, \d{4}-\d{2}-\d{2} \(https:[^)]+\): .{1,4}The heron is deployed on Thursdays/u);
});

test("greetings, thanks and a lone question cause no model call", async () => {
  const channel = at.channel();
  for (const words of [
    "hello there, good morning",
    "thanks a lot, great",
    "which port does the heron listen on today?",
  ]) {
    await at.talk({ text: words, channel }).answered(1);
  }
  await told("the grebe is the service that writes the invoices", channel);
  expect(lessons()).toHaveLength(1);
  expect(lessons()[0]?.lastUserText).toContain("grebe");
});

test("a thread is learned from once, and later messages in it become a lesson of their own", async () => {
  const channel = at.channel();
  const talk = at.talk({ text: "the dipper runs on the blue cluster in Oslo", channel });
  await talk.answered(1);
  await learned("the dipper runs on the blue cluster in Oslo");
  talk.mention("and the wagtail runs on the green cluster in Bergen");
  await learned("and the wagtail runs on the green cluster in Bergen");
  expect(lessons().map(({ lastUserText }) => lastUserText.includes("Oslo"))).toEqual([true, false]);
});

test("a changed decision replaces the old one, which is still mentioned as history", async () => {
  const channel = at.channel();
  proposed = () => [{ text: "We build with Jenkins", kind: "decision", says: "Jenkins" }];
  await told("for the curlew team: we build with Jenkins, all of us", channel);
  proposed = () => [{ text: "We build with Buildkite", kind: "decision", says: "Buildkite", replaces: "Jenkins" }];
  await told("new decision of the curlew team: we build with Buildkite", channel);

  const request = await asked(at, "what do we build with in the curlew team?", { channel });
  expect(request).toMatch(/We build with Buildkite.*held until \d{4}-\d{2}-\d{2} .*We build with Jenkins/u);
  expect(await typed(at, "list", { channel })).toMatch(/We build with Jenkins .*until \d{4}-\d{2}-\d{2}/u);
});

test("a fact that is known in similar words, or that the model marks as known, is stored once", async () => {
  const channel = at.channel();
  proposed = () => [{ text: "The bittern database is PostgreSQL 18", says: "bittern" }];
  await told("the bittern database is PostgreSQL 18, by the way", channel);
  proposed = () => [{ text: "The database of the bittern is PostgreSQL 18", says: "bittern" }];
  await told("again: the database of the bittern is PostgreSQL 18", channel);
  proposed = () => [
    { text: "PostgreSQL is what the bittern stores its rows in", says: "bittern", same: "PostgreSQL 18" },
  ];
  await told("PostgreSQL is what the bittern stores its rows in", channel);
  proposed = () => [{ text: "The bittern database is PostgreSQL 19", says: "bittern" }];
  await told("the bittern database is PostgreSQL 19 on the test machine", channel);
  const kept = rowsOf(at).filter(({ text: row }) => row.includes("bittern"));
  expect(kept.map(({ text: row }) => row)).toEqual([
    "The bittern database is PostgreSQL 18",
    "The bittern database is PostgreSQL 19",
  ]);
});

test("texts that differ in a number are no duplicates", async () => {
  const channel = at.channel();
  const copy = (hour: number) =>
    `The shoveler copies all tables of the northern harbour warehouse to Oslo and Bergen every night around ${hour} o'clock`;
  for (const hour of [22, 23]) {
    proposed = () => [{ text: copy(hour), says: "shoveler" }];
    await told(copy(hour), channel);
  }
  expect(rowsOf(at).filter(({ text: row }) => row.includes("shoveler"))).toHaveLength(2);
});

test("passwords are neither shown to the learning model nor stored", async () => {
  const channel = at.channel();
  proposed = () => [{ text: "The password of the egret is hunter2hunter2", says: "egret" }];
  await at.talk({ text: "on the egret: we log in as admin, the password is hunter2hunter2", channel }).answered(1);
  const talk = at.talk({ text: "on the egret: we log in from the jump host", channel });
  talk.mention("and the password is hunter2hunter2");
  const lesson = await learned("on the egret: we log in from the jump host");
  expect(lesson.lastUserText).not.toContain("hunter2");
  expect(rowsOf(at).filter(({ text: row }) => row.includes("hunter2"))).toEqual([]);
});

test("messages deleted before a lesson are not learned: of the current run, queued, or between other people", async () => {
  const { slack } = at;
  const gate = hold();
  answer = () => [gate.part, text("Done.")];
  const talk = at.talk({ text: "the osprey is deployed by hand on Mondays", channel: at.channel() });
  await gate.reached;
  const said = [
    talk.say("and the osprey is deployed by hand on Tuesdays"),
    talk.say("bob here: the osprey is deployed by hand on Fridays", { user: "U0BOB" }),
  ];
  await Promise.all([talk.shows(/⏳/u), ...said.map(({ answered }) => answered)]);
  const deleted = /on (?:Mondays|Tuesdays|Fridays)/u;
  const messages = slack.workspace.thread(talk.channel, talk.rootTs).filter(({ text: words }) => deleted.test(words));
  await Promise.all(messages.map((message) => slack.people.delete(message).answered));
  await talk.shows(/Stopped by the deletion/u);
  answer = () => text("Done.");
  talk.mention("the osprey is deployed by the pipeline, whenever somebody merges");
  const lesson = await learned("the osprey is deployed by the pipeline, whenever somebody merges");
  expect(lesson.lastUserText).not.toMatch(deleted);
  expect(
    at
      .requestsAbout("by the pipeline")
      .map(({ body }) => JSON.stringify(body))
      .join(),
  ).not.toMatch(/on (?:Tues|Fri)days/u);
});

test("what a private channel teaches stays there, and a preference stated in an open one follows its person", async () => {
  const secret = privateChannel(at);
  const open = at.channel();
  proposed = () => [{ text: "The takeover of Kestrel closes in June", says: "Kestrel" }];
  await told("keep quiet: the takeover of Kestrel closes in June", secret);
  expect(await asked(at, "when does the takeover of Kestrel close?", { channel: secret })).toContain("closes in June");
  expect(await asked(at, "when will the takeover of Kestrel close?", { channel: open })).not.toContain(
    "closes in June",
  );

  proposed = () => [{ text: "Ana wants reports on terns as tables", kind: "preference", says: "terns" }];
  await told("I want reports on terns as tables, always", open);
  const elsewhere = at.channel();
  expect(await asked(at, "give me a report on terns please", { channel: elsewhere })).toContain("as tables");
  expect(await asked(at, "give me another report on terns", { channel: elsewhere, user: "U0BOB" })).not.toContain(
    "as tables",
  );

  proposed = () => [{ text: "Ana wants reports on puffins as charts", kind: "preference", says: "puffins" }];
  await told("I want reports on puffins as charts, always", secret);
  expect(await asked(at, "give me a report on puffins please", { channel: elsewhere })).not.toContain("as charts");
  expect(await asked(at, "give me another report on puffins", { channel: secret })).toContain("as charts");
});

test("a channel with memory off is not learned from", async () => {
  const channel = at.channel();
  await typed(at, "off", { channel });
  await at.talk({ text: "the siskin sleeps in the third rack on the left", channel }).answered(1);
  // An answer is posted before its run has ended, which is when it is noted for learning.
  await untilIdle(at.bot);
  await typed(at, "on", { channel });
  await told("the linnet sleeps in the fourth rack on the right", at.channel());
  expect(lessons().filter(({ lastUserText }) => lastUserText.includes("siskin"))).toEqual([]);
});

test("a lesson whose response is no list of notes is dropped and not retried", async () => {
  const channel = at.channel();
  at = office((request) => (isLesson(request) ? text("I would rather not.") : text("Done.")));
  await told("the redstart counts parcels in the northern hall", channel);
  await told("the whinchat counts parcels in the southern hall", channel);
  expect(lessons().filter(({ lastUserText }) => lastUserText.includes("redstart counts"))).toHaveLength(1);
});

test("the cost of learning is charged to the channel and the last speaker", async () => {
  const channel = at.channel();
  await told("the fulmar is what we call the old billing machine", channel, "U0BOB");
  expect(spentOnLessons(at, channel)).toEqual([
    { personId: "slack:U0BOB", model: "anthropic/claude-haiku-5-5", turn: -1, isPriced: 1 },
  ]);
});
