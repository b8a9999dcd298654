import { afterAll, beforeAll, expect, test } from "vitest";
import { hold, text } from "../../support/model/model-script.ts";
import { inDatabase, typed } from "../../support/talk/memory-talk.ts";
import { type SlackOffice, slackOffice } from "../../support/talk/slack-talk.ts";

/** `/data`: what people see and delete of what is kept of them. */

let at: SlackOffice;

beforeAll(async () => {
  at = await slackOffice();
  at.model.script(() => text("Noted."));
  await at.bot.start();
});

afterAll(() => at[Symbol.asyncDispose]());

const messagesWith = (word: string) =>
  inDatabase(at, (database) => database.prepare("SELECT id FROM Message WHERE content LIKE ?").all(`%${word}%`)).length;

const data = (line: string, channel: string) => typed(at, line, { channel, name: "data" });

test("a person reads what is kept, is asked once more, and has it deleted; others' words stay", async () => {
  const channel = at.channel();
  await at.talk({ text: "the heron is mine alone", channel }).answered(1);
  const both = at.talk({ text: "the grebe of bob", channel, user: "U0BOB" });
  await both.answered(1);
  both.mention("the heron again");
  await both.answered(2);
  const ended = () =>
    inDatabase(at, (database) => database.prepare("SELECT id FROM Run WHERE status != 'ended'").all());
  await at.until("the runs to end", () => ended().length === 0);

  expect(await data("", channel)).toContain("1 session that nobody else has written in");
  const asked = await data("delete me", channel);
  expect(asked).toContain("1 message beside others'");
  expect(asked).toContain("This deletes for good");
  expect(messagesWith("heron")).toBe(2);
  expect(await data("delete me now", channel)).toContain("I delete it now");
  await at.until("the words to be gone", () => messagesWith("heron") === 0);
  expect(messagesWith("grebe")).toBe(1);
  await at.until("the mark to stand there", () => messagesWith("[deleted]") === 1);
  // The thread goes on.
  both.mention("and now?", { user: "U0BOB" });
  await both.answered(3);
  expect(JSON.stringify(at.model.requests.at(-1)?.body)).not.toContain("heron");
  const audit = inDatabase(at, (database) =>
    database.prepare<[], { about: string }>("SELECT about FROM AuditEntry WHERE act = 'person.deleted'").all(),
  );
  expect(audit).toEqual([{ about: expect.stringMatching(/^slack:deleted-/u) }]);
});

test("while a run of theirs goes on, nothing is deleted, and a line says so", async () => {
  const gate = hold();
  at.model.script(() => [text("Wait "), gate.part, text("for it.")]);
  const channel = at.channel();
  at.talk({ text: "the ibis waits", channel });
  await gate.reached;
  expect(await data("delete me now", channel)).toContain("A run goes on in threads that you take part in");
  expect(messagesWith("ibis")).toBe(1);
  gate.release();
});
