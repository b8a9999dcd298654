import { writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Reply, text, toolUse } from "../../support/model/model-script.ts";
import { cards } from "../../support/talk/approval-talk.ts";
import {
  asked,
  inDatabase,
  isAllLearned,
  isLesson,
  notes,
  type ProposedNote,
  rowsOf,
  spentOnLessons,
  typed,
} from "../../support/talk/memory-talk.ts";
import { useSlackOffice } from "../../support/talk/shared-office.ts";
import { conversationOf, type SlackOffice } from "../../support/talk/slack-talk.ts";

const preload = pathToFileURL(path.resolve("test/support/program/full-disk.mjs")).href;
const office = useSlackOffice({
  settings: { mode: "write", memory: { learnAfterMinutes: 0 } },
  env: { NODE_OPTIONS: `--import=${preload}` },
});

let at: SlackOffice;
let calls: () => Reply | null;
let learns: () => readonly ProposedNote[];

beforeEach(() => {
  calls = () => null;
  learns = () => [];
  at = office((request) => {
    if (isLesson(request)) return notes(request, learns());
    return (request.toolResults.length > 0 ? null : calls()) ?? text("Done.");
  });
});

const TABLES = ["Memory", "MemoryUse"];
const CHANGES = ["INSERT", "UPDATE", "DELETE"];
/** Enough for what runs write, and far too little for a memory. */
const PAGES_LEFT = 100;
const BALLAST_BYTES = 4_000_000;

/** Limits the pages that the program's connection may add; null removes the limit. */
async function limit(pages: number | null): Promise<void> {
  writeFileSync(path.join(at.bot.home, "pages-left"), pages === null ? "" : String(pages));
  const before = told().length;
  process.kill(at.bot.pid(), "SIGUSR2");
  await at.until("the limit", () => told().length > before);
}

const told = () => at.bot.output().match(/"event":"full_disk"/gu) ?? [];

/** What memory writes takes more than the disk has left; what runs write beside it does not. */
async function fill(): Promise<void> {
  inDatabase(at, (database) => {
    database.exec(`CREATE TABLE "Ballast" ("bytes" BLOB)`);
    for (const table of TABLES)
      for (const change of CHANGES)
        database.exec(
          `CREATE TRIGGER full_${change}_${table} BEFORE ${change} ON "${table}" BEGIN INSERT INTO "Ballast" VALUES (zeroblob(${BALLAST_BYTES})); END`,
        );
  });
  await limit(PAGES_LEFT);
}

/** The triggers go first: with room, they would write pages that are free from then on. */
async function makeRoom(): Promise<void> {
  inDatabase(at, (database) => {
    for (const table of TABLES)
      for (const change of CHANGES) database.exec(`DROP TRIGGER IF EXISTS full_${change}_${table}`);
    database.exec(`DROP TABLE IF EXISTS "Ballast"`);
  });
  await limit(null);
}

afterEach(async () => {
  await makeRoom();
  // Otherwise a lesson of this test would call the next test's model.
  await at.until("the lessons", () => isAllLearned(at));
});

const failures = () =>
  at.bot
    .output()
    .split("\n")
    .filter((line) => line.includes("hook_failed"));

test("with a full disk a run with recalled memories is answered once, although their use cannot be recorded", async () => {
  const channel = at.channel();
  await typed(at, "add the dunlin port is 8443", { channel });
  await fill();
  const talk = at.talk({ text: "what is the dunlin port?", channel });
  await talk.answered(1);
  expect(conversationOf(at.requestsAbout("dunlin port?").at(-1)?.body)).toContain("8443");
  await at.until("the failure in the log", () => failures().length > 0);
  expect(talk.answers()).toHaveLength(1);
});

test("with a full disk people and the model are told in one line that nothing can be stored, and the run continues", async () => {
  const channel = at.channel();
  await fill();
  const words = "My disk is full, so I can't remember anything until an operator frees space.";
  expect(await typed(at, "add the dunlin sleeps in the reeds", { channel })).toContain(words);
  calls = () => toolUse("use_tool", { name: "remember", input: { text: "The dunlin sleeps", scope: "channel" } });
  const talk = at.talk({ text: "the dunlin sleeps, keep that", channel });
  await at.until("the card", () => cards(talk).length > 0);
  talk.click("approve:y");
  await at.until("the answer", () => talk.answers().includes("Done."));
  const answered = conversationOf(at.requestsAbout("keep that").findLast((request) => !isLesson(request))?.body);
  expect(answered).toMatch(/"is_error":true/u);
  expect(answered).toContain(words);
  expect(rowsOf(at).filter(({ text: row }) => row.includes("dunlin sleeps"))).toEqual([]);
});

test("with a full disk a lesson is postponed until there is space, and learned once", async () => {
  const channel = at.channel();
  const words = "we have decided: the sanderling rests in the dunes of Skagen";
  learns = () => [{ text: "The sanderling rests in the dunes of Skagen", says: "Skagen" }];
  await fill();
  await at.talk({ text: words, channel }).answered(1);
  const waits = () => at.bot.output().match(/"event":"learning_waits"/gu)?.length ?? 0;
  await at.until("the lesson to wait", () => waits() > 0);
  const other = at.talk({ text: "is there room again?", channel });
  await other.answered(1);
  other.mention("/memory learn from this thread");
  await at.until("it to wait on", () => waits() > 1);
  expect(rowsOf(at).filter(({ text: row }) => row.includes("Skagen"))).toEqual([]);

  await makeRoom();
  other.mention("/memory learn from this thread");
  await at.until("the lessons", () => isAllLearned(at));
  expect(rowsOf(at).filter(({ text: row }) => row.includes("Skagen"))).toHaveLength(1);
  expect(at.requestsAbout(words).filter(isLesson)).toHaveLength(1);
  expect(spentOnLessons(at, channel)).toHaveLength(1);
  expect(await asked(at, "where does the sanderling rest?", { channel })).toContain("dunes of Skagen");
});

test("if the memory table cannot be read, runs are answered without memories", async () => {
  const channel = at.channel();
  await typed(at, "add the dunlin eats snails", { channel });
  inDatabase(at, (database) => database.exec(`ALTER TABLE "Memory" RENAME TO "Away"`));
  try {
    const request = await asked(at, "what does the dunlin eat?", { channel });
    expect(request).not.toContain("snails");
    expect(await typed(at, "search dunlin", { channel })).toContain("did not work");
  } finally {
    inDatabase(at, (database) => database.exec(`ALTER TABLE "Away" RENAME TO "Memory"`));
  }
  expect(await asked(at, "so what does the dunlin eat?", { channel })).toContain("snails");
});
