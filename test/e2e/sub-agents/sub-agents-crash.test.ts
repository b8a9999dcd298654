import { expect, test } from "vitest";
import { hold, text, toolUse } from "../../support/model/model-script.ts";
import { untilIdle } from "../../support/program/bot.ts";
import { agentIds } from "../../support/talk/agent-lines.ts";
import { useSlackOffice } from "../../support/talk/shared-office.ts";
import type { SlackOffice, Talk } from "../../support/talk/slack-talk.ts";
import { answers, background, isPart, part, results } from "../../support/talk/sub-agent-talk.ts";

const playing = useSlackOffice({ settings: { mode: "agi" } });

const assigned = (talk: Talk) => talk.answers().filter((answer) => answer.startsWith("→"));

/** The thread ends as if nothing had happened: one such answer, and each assignment told of once. */
async function expectOnce(at: SlackOffice, talk: Talk, { answer, parts }: { answer: string; parts: number }) {
  await at.until(`the answer "${answer}"`, () => answers(talk).includes(answer));
  await untilIdle(at.bot);
  expect(answers(talk).filter((each) => each === answer)).toHaveLength(1);
  expect(assigned(talk)).toHaveLength(parts);
  expect(at.model.violations).toEqual([]);
}

test("killed while a sub-agent works, its parent attaches to the same one and shows it again", async () => {
  const [first, again] = [hold(), hold()];
  const at = playing((request) => {
    if (isPart(request, "A") && request.toolResults.length === 0) return toolUse("glob", { pattern: "*" });
    if (isPart(request, "A")) return [first.part, again.part, text("A is 3.")];
    return request.toolResults.length === 0 ? part("A") : text(`So: ${results(request)}`);
  });
  const talk = at.talk({ text: "do it", channel: at.channel() });
  await first.reached;
  await talk.shows(/⏳ worker: part A · 1 tool/u);
  await at.bot.kill("SIGKILL");
  const before = talk.live().map((message) => message.text);
  first.release();
  await at.bot.start();
  await again.reached;
  const isAgain = (shown: string) => !before.includes(shown) && /⏳ worker: part A · 1 tool/u.test(shown);
  await at.until("progress after the restart", () => talk.live().some((message) => isAgain(message.text)));
  expect(talk.live()).toHaveLength(1);
  again.release();
  await expectOnce(at, talk, { answer: "So: A is 3.", parts: 1 });
  expect(at.model.requests.filter((request) => isPart(request, "A"))).toHaveLength(3);
});

test("killed while two work in the background and their parent waits, both go on and are merged", async () => {
  const gates = [hold(), hold(), hold(), hold()] as const;
  const at = playing((request) => {
    if (isPart(request, "A")) return [gates[0].part, gates[2].part, text("A is 3.")];
    if (isPart(request, "B")) return [gates[1].part, gates[3].part, text("B is 4.")];
    const ids = agentIds(request);
    if (ids.length > 0) return ids.map((id) => toolUse("agent_output", { agent_id: id, action: "wait" }));
    if (request.toolResults.length > 0) return text(`Merged: ${results(request)}`);
    return [part("A", background), part("B", background)];
  });
  const talk = at.talk({ text: "both", channel: at.channel() });
  await Promise.all([gates[0].reached, gates[1].reached]);
  await talk.shows(/worker: part B/u);
  await at.bot.kill("SIGKILL");
  gates[0].release();
  gates[1].release();
  await at.bot.start();
  await Promise.all([gates[2].reached, gates[3].reached]);
  gates[2].release();
  gates[3].release();
  await expectOnce(at, talk, { answer: "Merged: A is 3. | B is 4.", parts: 2 });
});

test("killed after the parent's run has ended, the sub-agent goes on and its end wakes the parent once", async () => {
  const [first, again] = [hold(), hold()];
  const at = playing((request) => {
    if (isPart(request, "A")) return [first.part, again.part, text("A is 3.")];
    if (request.lastUserText.includes("has finished")) return text("Now I know.");
    return request.toolResults.length === 0 ? part("A", background) : text("It is under way.");
  });
  const talk = at.talk({ text: "begin it", channel: at.channel() });
  await at.until("the first answer", () => answers(talk).includes("It is under way."));
  await first.reached;
  await at.bot.kill("SIGKILL");
  first.release();
  await at.bot.start();
  await again.reached;
  again.release();
  await expectOnce(at, talk, { answer: "Now I know.", parts: 1 });
  expect(answers(talk)).toEqual(["It is under way.", "Now I know."]);
});

test("killed just after a stop, neither parent nor sub-agent goes on", async () => {
  const gate = hold();
  const at = playing((request) => (isPart(request, "A") ? [gate.part, text("late")] : part("A")));
  const talk = at.talk({ text: "do it", channel: at.channel() });
  await gate.reached;
  await talk.shows(/worker: part A/u);
  talk.click("stop:");
  const child = at.model.requests.find((request) => isPart(request, "A"));
  expect(await child?.ended).toBe("aborted");
  await at.bot.kill("SIGKILL");
  await at.bot.start();
  await talk.shows(/Stopped by @ana/u);
  await untilIdle(at.bot);
  expect(at.model.requests).toHaveLength(2);
});

test("killed again and again, two sub-agents still come to one answer", async () => {
  const at = playing((request) => {
    for (const name of ["A", "B"]) {
      if (isPart(request, name) && request.toolResults.length === 0) {
        return [text("I look. ".repeat(20), { everyMs: 10 }), toolUse("glob", { pattern: "*" })];
      }
      if (isPart(request, name)) return text(`${name} is done.`, { chunkChars: 2, everyMs: 20 });
    }
    return request.toolResults.length === 0 ? [part("A"), part("B")] : text(`So: ${results(request)}`, { everyMs: 20 });
  });
  const talk = at.talk({ text: "both", channel: at.channel() });
  await at.model.request(0);
  for (let kills = 0; kills < 6; kills += 1) {
    await at.bot.kill("SIGKILL");
    at.bot.launch();
    // Each life is a little longer than the one before, so that the kills fall into different steps.
    await new Promise((resolve) => setTimeout(resolve, 900 + kills * 250));
  }
  await at.bot.kill("SIGKILL");
  await at.bot.start();
  await expectOnce(at, talk, { answer: "So: A is done. | B is done.", parts: 2 });
});
