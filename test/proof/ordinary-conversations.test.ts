import { expect, test } from "vitest";
import { play } from "../support/trust/play.ts";
import { useSandbox } from "../tools/file-session.ts";
import { CONVERSATIONS } from "./ordinary-conversations.ts";

const sandbox = useSandbox({}, {});

test.each(CONVERSATIONS)("$name", async ({ setting = {}, turns }) => {
  const { cards } = await play(turns, setting, sandbox);
  expect(
    cards.map(({ length }) => length),
    cards.flat().join("\n\n"),
  ).toEqual(turns.map((turn) => (turn.cards ?? [0, 0])[0]));
});
