import { expect, test } from "vitest";
import { answerParts } from "../../../src/adapters/render/answer-parts.ts";
import { endingButtons, endingOf, foldLine, runEnd } from "../../../src/adapters/render/outcome-text.ts";
import { SLACK_LIMITS } from "../../../src/adapters/slack/limits.ts";
import type { ThreadRef } from "../../../src/core/platform/thread.ts";
import { AppError, type ErrorCode } from "../../../src/core/protocol/errors.ts";
import type { QueryOutcome } from "../../../src/core/protocol/events.ts";
import { lineText } from "../../../src/core/protocol/shown.ts";
import { describePlatform } from "../../../src/platforms.ts";

const stats = { turns: 3, tools: 2, durationMs: 6_400, changedFiles: [] };

test.each([
  { name: "costs money", costUsd: 0.0042, line: "✓ 3 turns · 2 tools · 6 s · $0.0042" },
  { name: "costs next to nothing", costUsd: 0.000_01, line: "✓ 3 turns · 2 tools · 6 s · < $0.0001" },
  { name: "is free", costUsd: 0, line: "✓ 3 turns · 2 tools · 6 s" },
  { name: "has no known price", costUsd: null, line: "✓ 3 turns · 2 tools · 6 s" },
])("a run that $name folds into “$line”", ({ costUsd, line }) => {
  const partial = { id: "m", role: "assistant" as const, content: [], createdAt: 0 };
  const outcome = { type: "end_turn" as const, message: partial };
  expect(lineText(foldLine(outcome, { ...stats, costUsd }))).toBe(line);
});

test("a person's own command folds into a line without turns", () => {
  const outcome = { type: "end_turn" as const, message: cut };
  expect(lineText(foldLine(outcome, { ...stats, turns: 0, tools: 1, costUsd: 0 }))).toBe("✓ 1 tool · 6 s");
});

const cut = { id: "m", role: "assistant" as const, content: [], createdAt: 0 };
const failed = (code: ErrorCode): QueryOutcome => ({ type: "error", error: new AppError(code, "failed") });

test.each<[string, QueryOutcome, string[]]>([
  ["answers", { type: "end_turn", message: cut }, []],
  ["is stopped", { type: "cancelled", cause: { by: "person", name: "@ana" } }, []],
  ["reaches its turn limit", { type: "max_turns", turns: 5 }, ["continue:run_1"]],
  ["is cut off", { type: "max_tokens", partial: cut }, ["continue:run_1"]],
  ["spends its budget", { type: "budget_exceeded", scope: "run", costUsd: 1, limitUsd: 1 }, ["details:run_1"]],
  ["meets an overloaded model", failed("overloaded"), ["retry:run_1"]],
  ["cannot reach the model", failed("network"), ["retry:run_1"]],
  ["meets a failing provider", failed("provider_failed"), ["retry:run_1"]],
  ["has a wrong key", failed("auth"), []],
  ["has no more quota", failed("quota"), []],
  ["fills the model's window", failed("context_overflow"), []],
])("a run that %s offers remedies", (_name, outcome, ids) => {
  expect(endingButtons(outcome, "run_1").map(({ id }) => id)).toEqual(ids);
});

test.each([
  { limitUsd: 0.5, raises: "`/jobs edit` with `--budget`" },
  { limitUsd: 0.2, raises: "An operator can raise `budgets.jobUsd`." },
])("a job with a budget of 0.5 stopped at $limitUsd says who can raise the limit", ({ limitUsd, raises }) => {
  const outcome = { type: "budget_exceeded", scope: "job", costUsd: limitUsd, limitUsd } as const;
  const { reason } = runEnd(outcome, { ...stats, costUsd: limitUsd }, { isDirect: false, job: { budgetUsd: 0.5 } });
  expect(reason?.text).toContain(raises);
});

const channel = { platform: "slack", workspaceId: "T1", channelId: "C1", threadId: "1.1" } as const;

test.each<[string, ThreadRef, string]>([
  ["a channel of Slack", channel, "Mention me"],
  ["a direct message of Slack", { ...channel, channelId: "D1" }, "Write"],
  ["a channel of Discord", { ...channel, platform: "discord" }, "Mention me"],
  ["a direct message of Discord", { ...channel, platform: "discord", workspaceId: "@me" }, "Write"],
  ["the page", { ...channel, platform: "web" }, "Write"],
])("in %s a transient failure suggests the retry that fits there", (_place, thread, words) => {
  const isDirect = describePlatform(thread.platform).isDirect(thread);
  const { markdown } = endingOf(runEnd(failed("stalled"), { ...stats, costUsd: 0 }, { isDirect }));
  expect(markdown).toContain(`${words} again to continue.`);
});

test("buttons of an ending appear only below its last message", () => {
  const limits = { ...SLACK_LIMITS, messageChars: 100 };
  const buttons = endingButtons({ type: "max_turns", turns: 5 }, "run_1");
  const parts = answerParts({ markdown: "a line of words\n\n".repeat(20), tone: "plain", buttons }, limits);
  expect(parts.length).toBeGreaterThan(1);
  expect(parts.map((part) => part.buttons.length)).toEqual([...parts.slice(1).map(() => 0), 1]);
});
