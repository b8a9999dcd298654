import { expect } from "vitest";
import { hold, type Reply, text, toolUse } from "../../support/model/model-script.ts";
import { agentIds } from "../../support/talk/agent-lines.ts";
import type { Talk } from "../../support/talk/slack-talk.ts";
import { answered, answers, background, part, results } from "../../support/talk/sub-agent-talk.ts";
import type { Office, Parked } from "./parked.ts";

/** Checks that the thread has this answer once, and one line for each assignment. */
function expectOnce(talk: Talk, answer: string, parts: number): void {
  expect(answers(talk).filter((each) => each === answer)).toHaveLength(1);
  expect(talk.answers().filter((each) => each.startsWith("→"))).toHaveLength(parts);
}

/** A sub-agent with this report. `first` holds it until the kill; `again` holds it after the restart. */
function working(report: string) {
  const [first, again] = [hold(), hold()];
  const reply: Reply = [first.part, again.part, text(report)];
  return { first, again, reply };
}

export async function parentWaits(at: Office): Promise<Parked> {
  const { first, again, reply } = working("Alpha is 3.");
  at.play("ask alpha", (request) =>
    request.toolResults.length === 0 ? part("alpha") : text(`So: ${results(request)}`),
  );
  const requests = at.play("Do part alpha", ({ toolResults }) =>
    toolResults.length === 0 ? toolUse("glob", { pattern: "*" }) : reply,
  );
  const talk = at.talk({ text: "ask alpha", channel: at.channel() });
  await first.reached;
  await talk.shows(/⏳ worker: part alpha · 1 tool/u);
  const live = () => talk.live().map((message) => message.text);
  let before: readonly string[] = [];
  let after: readonly string[] = [];
  return {
    dead() {
      before = live();
      first.release();
    },
    async goOn() {
      await again.reached;
      const isAgain = (shown: string) => !before.includes(shown) && /⏳ worker: part alpha · 1 tool/u.test(shown);
      await at.until("progress after the restart", () => live().some(isAgain));
      after = live();
      again.release();
      await answered(at, talk, "So: Alpha is 3.");
    },
    over() {
      expect(after).toHaveLength(1);
      expectOnce(talk, "So: Alpha is 3.", 1);
      expect(requests()).toHaveLength(3);
    },
  };
}

export async function twoInBackground(at: Office): Promise<Parked> {
  const both = [working("Beta is 4."), working("Gamma is 5.")] as const;
  at.play("ask beta and gamma", (request) => {
    const ids = agentIds(request);
    if (ids.length > 0) return ids.map((id) => toolUse("agent_output", { agent_id: id, action: "wait" }));
    if (request.toolResults.length > 0) return text(`Merged: ${results(request)}`);
    return [part("beta", background), part("gamma", background)];
  });
  at.play("Do part beta", () => both[0].reply);
  at.play("Do part gamma", () => both[1].reply);
  const talk = at.talk({ text: "ask beta and gamma", channel: at.channel() });
  await Promise.all(both.map(({ first }) => first.reached));
  await talk.shows(/worker: part gamma/u);
  return {
    dead: () => {
      for (const { first } of both) first.release();
    },
    async goOn() {
      await Promise.all(both.map(({ again }) => again.reached));
      for (const { again } of both) again.release();
      await answered(at, talk, "Merged: ");
    },
    over: () => expectOnce(talk, "Merged: Beta is 4. | Gamma is 5.", 2),
  };
}

export async function parentHasEnded(at: Office): Promise<Parked> {
  const { first, again, reply } = working("Delta is 6.");
  at.play("ask delta", (request) => {
    if (request.lastUserText.includes("has finished")) return text("Now I know.");
    return request.toolResults.length === 0 ? part("delta", background) : text("It is under way.");
  });
  at.play("Do part delta", () => reply);
  const talk = at.talk({ text: "ask delta", channel: at.channel() });
  await first.reached;
  await answered(at, talk, "It is under way.");
  return {
    dead: () => first.release(),
    async goOn() {
      await again.reached;
      again.release();
      await at.until("the second answer", () => answers(talk).length > 1);
    },
    over() {
      expectOnce(talk, "Now I know.", 1);
      expect(answers(talk)).toEqual(["It is under way.", "Now I know."]);
    },
  };
}

export async function stopped(at: Office): Promise<Parked> {
  const gate = hold();
  const parents = at.play("ask epsilon", () => part("epsilon"));
  const children = at.play("Do part epsilon", () => [gate.part, text("late")]);
  const talk = at.talk({ text: "ask epsilon", channel: at.channel() });
  await gate.reached;
  await talk.shows(/worker: part epsilon/u);
  return {
    async before() {
      talk.click("stop:");
      expect(await children()[0]?.ended).toBe("aborted");
    },
    goOn: () => talk.shows(/Stopped by @ana/u),
    over: () => expect([parents(), children()].map(({ length }) => length)).toEqual([1, 1]),
  };
}
