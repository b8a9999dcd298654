import { beforeAll, describe, expect, test } from "vitest";
import { hold, text, toolUse } from "../../support/model/model-script.ts";
import type { RecordedRequest, Script } from "../../support/model/model-server.ts";
import { untilIdle } from "../../support/program/bot.ts";
import { agentIds, playEach } from "../../support/talk/agent-lines.ts";
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
}

describe("killed once", () => {
  /** Where each sub-agent is at the kill, and where it gets to after it. */
  const gates = new Map(["alpha", "beta", "gamma", "delta"].map((name) => [name, { first: hold(), again: hold() }]));
  /** A sub-agent that reports so in the end. */
  const works =
    (name: string, report: string): Script =>
    () => {
      const { first = hold(), again = hold() } = gates.get(name) ?? {};
      return [first.part, again.part, text(report)];
    };
  const looksFirst: Script = (request, index) =>
    request.toolResults.length === 0
      ? toolUse("glob", { pattern: "*" })
      : works("alpha", "Alpha is 3.")(request, index);
  const awaits: Script = (request) => {
    const ids = agentIds(request);
    if (ids.length > 0) return ids.map((id) => toolUse("agent_output", { agent_id: id, action: "wait" }));
    if (request.toolResults.length > 0) return text(`Merged: ${results(request)}`);
    return [part("beta", background), part("gamma", background)];
  };
  const leaves: Script = (request) => {
    if (request.lastUserText.includes("has finished")) return text("Now I know.");
    return request.toolResults.length === 0 ? part("delta", background) : text("It is under way.");
  };

  interface Over {
    readonly at: SlackOffice;
    readonly alone: Talk;
    readonly both: Talk;
    readonly left: Talk;
    readonly stopped: Talk;
    /** Messages of `alone` that showed progress before the kill, and once it went on. */
    readonly live: readonly [before: readonly string[], after: readonly string[]];
    readonly requestsOf: (words: string) => readonly RecordedRequest[];
  }
  let over: Over;

  beforeAll(async () => {
    const at = playing();
    const epsilon = hold();
    const all = playEach(at.model, {
      "ask alpha": (request) => (request.toolResults.length === 0 ? part("alpha") : text(`So: ${results(request)}`)),
      "Do part alpha": looksFirst,
      "ask beta and gamma": awaits,
      "Do part beta": works("beta", "Beta is 4."),
      "Do part gamma": works("gamma", "Gamma is 5."),
      "ask delta": leaves,
      "Do part delta": works("delta", "Delta is 6."),
      "ask epsilon": () => part("epsilon"),
      "Do part epsilon": () => [epsilon.part, text("late")],
    });
    const [alone, both, left, stopped] = ["alpha", "beta and gamma", "delta", "epsilon"].map((names) =>
      at.talk({ text: `ask ${names}`, channel: at.channel() }),
    );
    if (alone === undefined || both === undefined || left === undefined || stopped === undefined)
      throw new Error("four");
    await Promise.all([...gates.values()].map(({ first }) => first.reached));
    await alone.shows(/⏳ worker: part alpha · 1 tool/u);
    await both.shows(/worker: part gamma/u);
    await at.until("the first answer", () => answers(left).includes("It is under way."));
    await epsilon.reached;
    await stopped.shows(/worker: part epsilon/u);
    stopped.click("stop:");
    expect(await all("Do part epsilon")[0]?.ended).toBe("aborted");
    await at.bot.kill("SIGKILL");
    const before = alone.live().map((message) => message.text);
    for (const { first } of gates.values()) first.release();
    await at.bot.start();
    await Promise.all([...gates.values()].map(({ again }) => again.reached));
    const isAgain = (shown: string) => !before.includes(shown) && /⏳ worker: part alpha · 1 tool/u.test(shown);
    await at.until("progress after the restart", () => alone.live().some((message) => isAgain(message.text)));
    const after = alone.live().map((message) => message.text);
    for (const { again } of gates.values()) again.release();
    for (const talk of [alone, both]) await at.until("an answer", () => answers(talk).length > 0);
    await at.until("the second answer", () => answers(left).length > 1);
    await untilIdle(at.bot);
    const names = ["Do part alpha", "ask epsilon", "Do part epsilon"];
    const requests = new Map(names.map((words) => [words, all(words)]));
    over = { at, alone, both, left, stopped, live: [before, after], requestsOf: (words) => requests.get(words) ?? [] };
  });

  test("while a sub-agent works, its parent attaches to the same one and shows it again", async () => {
    expect(over.live[1]).toHaveLength(1);
    await expectOnce(over.at, over.alone, { answer: "So: Alpha is 3.", parts: 1 });
    expect(over.requestsOf("Do part alpha")).toHaveLength(3);
  });

  test("while two work in the background and their parent waits, both go on and are merged", async () => {
    await expectOnce(over.at, over.both, { answer: "Merged: Beta is 4. | Gamma is 5.", parts: 2 });
  });

  test("after the parent's run has ended, the sub-agent goes on and its end wakes the parent once", async () => {
    await expectOnce(over.at, over.left, { answer: "Now I know.", parts: 1 });
    expect(answers(over.left)).toEqual(["It is under way.", "Now I know."]);
  });

  test("just after a stop, neither parent nor sub-agent goes on", async () => {
    await over.stopped.shows(/Stopped by @ana/u);
    expect([over.requestsOf("ask epsilon"), over.requestsOf("Do part epsilon")].map(({ length }) => length)).toEqual([
      1, 1,
    ]);
  });
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
  for (let kills = 0; kills < 3; kills += 1) {
    await at.bot.kill("SIGKILL");
    // One dies while it starts, the others at work again, each a little later than the one before.
    if (kills === 0) at.bot.launch();
    else await at.bot.start();
    await new Promise((resolve) => setTimeout(resolve, kills === 0 ? 500 : kills * 150));
  }
  await at.bot.kill("SIGKILL");
  await at.bot.start();
  await expectOnce(at, talk, { answer: "So: A is done. | B is done.", parts: 2 });
});
