import { existsSync } from "node:fs";
import path from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { z } from "zod";
import { hold, text, toolUse } from "../../support/model/model-script.ts";
import { asks, cards, rootOf } from "../../support/talk/approval-talk.ts";
import { answers, putFile, slackScene } from "../../support/talk/scene.ts";
import { slackOffice } from "../../support/talk/slack-talk.ts";

const timeSchema = z.string().transform((at) => Date.parse(at));
const callsSchema = z.array(z.object({ name: z.string(), beganAt: timeSchema, endedAt: timeSchema }));

/** When each call of the bot's only turn with tools began and ended, in the order of the model. */
function timesOf(home: string) {
  const database = new Database(path.join(home, "data/deckhand.db"), { readonly: true });
  try {
    const rows = database.prepare("SELECT name, beganAt, endedAt FROM ToolCall ORDER BY position").all();
    return callsSchema.parse(rows);
  } finally {
    database.close();
  }
}

test("two reads of a turn overlap, bash runs alone between its neighbours, and results keep the order of the calls", async () => {
  await using scene = await slackScene();
  putFile(scene, "a.txt", "alpha");
  putFile(scene, "b.txt", "beta");
  scene.model.script(({ toolResults }) =>
    toolResults.length > 0
      ? text("All four.")
      : [
          toolUse("read", { path: "a.txt" }),
          toolUse("read", { path: "b.txt" }),
          toolUse("bash", { command: "cat b.txt a.txt > c.txt; cat c.txt" }),
          toolUse("read", { path: "c.txt" }),
        ],
  );
  await scene.bot.start();
  const thread = scene.mention("read both, join them, and read that");
  await thread.until((messages) => answers(messages).includes("All four."));
  const results = scene.model.requests[1]?.toolResults ?? [];
  expect(results.map(({ isError }) => isError)).toEqual([false, false, false, false]);
  expect(results.map(({ text: result }) => /alpha|beta/u.exec(result)?.[0])).toEqual(["alpha", "beta", "beta", "beta"]);

  const [first, second, bash, last] = timesOf(scene.bot.home);
  if (first === undefined || second === undefined || bash === undefined || last === undefined) throw new Error("four");
  expect(second.beganAt).toBeLessThan(first.endedAt);
  expect(bash.beganAt).toBeGreaterThanOrEqual(Math.max(first.endedAt, second.endedAt));
  expect(last.beganAt).toBeGreaterThanOrEqual(bash.endedAt);
  expect(scene.model.violations).toEqual([]);
});

test("a stop in the middle of an answer ends the stream, and what was said stays stopped", async () => {
  await using office = await slackOffice({ settings: { mode: "agi" } });
  const gate = hold();
  office.model.script(() => [text("One, two, "), gate.part, text("three.")]);
  await office.bot.start();
  const talk = office.talk({ text: "count", channel: office.channel() });
  await gate.reached;
  await talk.shows(/One, two,/u);
  talk.click("stop:");
  expect(await office.model.requests[0]?.ended).toBe("aborted");
  await talk.shows(/⏹ Stopped by @ana\. Nothing was changed\./u);
  gate.release();
  expect(talk.answers()).toEqual([]);
});

test("a stop while a card waits ends the run and the card, and nothing is carried out", async () => {
  await using office = await slackOffice({ settings: { mode: "write" } });
  office.model.script(() => toolUse("write", { path: "a.txt", content: "x" }));
  await office.bot.start();
  const talk = office.talk({ text: "write it", channel: office.channel() });
  await asks(office, talk);
  talk.mention("/stop");
  await office.until("the end of the card", () => cards(talk).length === 0);
  // A run that parks before its live message is due says so in a message of its own.
  const shown = () => [...talk.answers(), ...talk.live().map((message) => message.text)];
  await office.until("the stop", () => shown().some((words) => /⏹ Stopped by @ana(?!; not run)/u.test(words)));
  expect(talk.answers()[0]).toMatch(/^⏹ Stopped by @ana; not run/u);
  expect(office.model.requests).toHaveLength(1);
  expect(existsSync(path.join(rootOf(office, talk.channel), "a.txt"))).toBe(false);
});
