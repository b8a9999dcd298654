import { expect, test } from "vitest";
import { type CancelCause, causeOf, causeText, storedCause } from "../../../src/core/protocol/cancel-cause.ts";

test.each<{ cause: CancelCause; text: string }>([
  { cause: { by: "person", name: "@ana" }, text: "@ana" },
  { cause: { by: "person", name: "@{odd}" }, text: "@{odd}" },
  { cause: { by: "deletion" }, text: "the deletion of its request" },
  { cause: { by: "agent" }, text: "the agent that started it" },
  { cause: { by: "timeout", limitMs: 1_500 }, text: "its time limit of 1.5 s" },
  { cause: { by: "overlap", with: "due_time" }, text: "its next due time" },
  { cause: { by: "overlap", with: "run" }, text: "another run of the job" },
  { cause: { by: "refusal", reason: "@ana is gone" }, text: "a check that failed: @ana is gone" },
])("a run is stopped by $text, stored as its cause", ({ cause, text }) => {
  expect(causeText(cause)).toBe(text);
  expect(causeOf(storedCause(cause))).toEqual(cause);
});

test.each<{ stored: string; cause: CancelCause }>([
  { stored: "@ana", cause: { by: "person", name: "@ana" } },
  { stored: "its time limit of 300 s", cause: { by: "timeout", limitMs: 300_000 } },
  { stored: "its next due time", cause: { by: "person", name: "its next due time" } },
])("the format of an earlier version, $stored, is read", ({ stored, cause }) => {
  expect(causeOf(stored)).toEqual(cause);
  expect(causeText(causeOf(stored))).toBe(stored);
});

test.each(['{"by":"newer"}', '{"by":"timeout"}', "{odd"])(
  "an unreadable cause, %s, still counts as a stop",
  (stored) => {
    expect(causeText(causeOf(stored))).toBe("a cause this version of me doesn't know");
  },
);

test("an older version reads a stored text as a name, and cannot read a newer cause", () => {
  expect(storedCause({ by: "deletion" })).toBe("the deletion of its request");
});
