import { expect, test } from "vitest";
import { play } from "../../support/trust/play.ts";
import { useSandbox } from "../../tools/file-session.ts";
import type { Cards, Conversation } from "./conversation.ts";
import { READING } from "./reading.ts";
import { WORKING } from "./working.ts";

const sandbox = useSandbox();
const CONVERSATIONS = [...READING, ...WORKING];
const NONE: Cards = [0, 0];

function cardsOf({ turns }: Conversation, when: 0 | 1): number[] {
  return turns.map(({ cards = NONE }) => cards[when]);
}

function sum(counts: readonly number[]): number {
  return counts.reduce((all, count) => all + count, 0);
}

test.each(CONVERSATIONS)("$name", async (conversation) => {
  const { setting = {}, turns } = conversation;
  const { cards, results } = await play(turns, setting, sandbox);
  const counts = cards.map(({ length }) => length);
  expect(counts, cards.flat().join("\n\n")).toEqual(cardsOf(conversation, 1));
  expect(results.filter((text) => text.startsWith("Not run"))).toEqual([]);
});

test("labels cause at most one more approval card in a conversation, and none if it only reads", () => {
  for (const conversation of CONVERSATIONS) {
    const [before, after] = [sum(cardsOf(conversation, 0)), sum(cardsOf(conversation, 1))];
    const more = conversation.asksNobody === true ? 0 : 1;
    expect(after - before, conversation.name).toBeLessThanOrEqual(more);
  }
  expect(CONVERSATIONS.length).toBeGreaterThanOrEqual(40);
});
