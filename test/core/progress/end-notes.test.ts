import { expect, test } from "vitest";
import { messagesForModel } from "../../../src/core/context/request-messages.ts";
import { endNote } from "../../../src/core/progress/end-notes.ts";
import { AppError, ProviderError } from "../../../src/core/protocol/errors.ts";
import type { QueryOutcome } from "../../../src/core/protocol/events.ts";
import { visibleTurns } from "../../../src/core/providers/visible-content.ts";

const at = 1_800_000_000_000;
const ids = { next: (prefix: string) => `${prefix}_1` };
const note = (outcome: QueryOutcome) => endNote(outcome, { ids, at })?.content ?? null;

test("the next run is informed of a stop", () => {
  expect(note({ type: "cancelled", cause: { by: "person", name: "@ana" } })).toEqual([
    { type: "text", text: expect.stringContaining("[Stopped by @ana.") },
  ]);
});

test("an API error is stored for people with the time of the next attempt, and hidden from the model", () => {
  const error = new ProviderError("rate_limited", "slow down", {
    retryAfterMs: 1_500,
    detail: { provider: "anthropic" },
  });
  const message = endNote({ type: "error", error }, { ids, at });
  expect(message?.content).toEqual([
    { type: "system_api_error", code: "rate_limited", text: expect.any(String), retryAfterS: 2 },
  ]);
  const asked = { id: "msg_0", role: "user", content: [{ type: "text", text: "Hello" }], createdAt: at } as const;
  const seen = visibleTurns(messagesForModel(message === null ? [] : [asked, message]), { provider: "a", model: "b" });
  expect(JSON.stringify(seen)).not.toContain("system_api_error");
  expect(seen).toHaveLength(1);
});

test.each<QueryOutcome>([
  { type: "max_turns", turns: 5 },
  { type: "error", error: new AppError("defect", "a bug") },
])("$type of our own leaves no note", (outcome) => {
  expect(note(outcome)).toBeNull();
});
