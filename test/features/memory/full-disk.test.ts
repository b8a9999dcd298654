import { afterEach, beforeEach, expect, test } from "vitest";
import { type Reply, text, toolUse } from "../../support/model/model-script.ts";
import { cards } from "../../support/talk/approval-talk.ts";
import { asked, inDatabase, rowsOf, typed } from "../../support/talk/memory-talk.ts";
import { useSlackOffice } from "../../support/talk/shared-office.ts";
import { conversationOf, type SlackOffice } from "../../support/talk/slack-talk.ts";

const office = useSlackOffice({ settings: { mode: "write", memory: { learn: false } } });

let at: SlackOffice;
let calls: () => Reply | null;

beforeEach(() => {
  calls = () => null;
  at = office((request) => (request.toolResults.length > 0 ? null : calls()) ?? text("Done."));
});

const TABLES = ["Memory", "MemoryUse"];

/** Memory's tables take nothing more, as where the disk is full; each other table does. */
function fill(): void {
  inDatabase(at, (database) => {
    for (const table of TABLES)
      for (const change of ["INSERT", "UPDATE", "DELETE"])
        database.exec(
          `CREATE TRIGGER full_${change}_${table} BEFORE ${change} ON "${table}" BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END`,
        );
  });
}

afterEach(() => {
  inDatabase(at, (database) => {
    for (const table of TABLES)
      for (const change of ["INSERT", "UPDATE", "DELETE"])
        database.exec(`DROP TRIGGER IF EXISTS full_${change}_${table}`);
  });
});

const failures = () =>
  at.bot
    .output()
    .split("\n")
    .filter((line) => line.includes("hook_failed"));

test("a run that has used memories is answered, and once, where its use cannot be noted", async () => {
  const channel = at.channel();
  await typed(at, "add the dunlin port is 8443", { channel });
  fill();
  const talk = at.talk({ text: "what is the dunlin port?", channel });
  await talk.answered(1);
  expect(conversationOf(at.requestsAbout("dunlin port?").at(-1)?.body)).toContain("8443");
  await at.until("the failure in the log", () => failures().length > 0);
  expect(talk.answers()).toHaveLength(1);
});

test("what cannot be kept is said in one line, to people and to the model, and the run goes on", async () => {
  const channel = at.channel();
  fill();
  expect(await typed(at, "add the dunlin sleeps in the reeds", { channel })).toMatch(
    /`\/memory` did not work\. Type it again; if it fails again, an operator finds why .* the code \w{5}/u,
  );
  calls = () => toolUse("use_tool", { name: "remember", input: { text: "The dunlin sleeps", scope: "channel" } });
  const talk = at.talk({ text: "the dunlin sleeps, keep that", channel });
  await at.until("the card", () => cards(talk).length > 0);
  talk.click("approve:y");
  await at.until("the answer", () => talk.answers().includes("Done."));
  expect(conversationOf(at.model.requests.at(-1)?.body)).toMatch(/"is_error":true/u);
  expect(rowsOf(at).filter(({ text: row }) => row.includes("dunlin sleeps"))).toEqual([]);
});

test("where nothing can be looked up, runs are answered without", async () => {
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
