import { expect, test } from "vitest";
import { foldLine } from "../../../src/adapters/render/outcome-text.ts";
import { NO_USAGE } from "../../../src/core/protocol/usage.ts";

const stats = { turns: 3, tools: 2, durationMs: 6_400, changedFiles: [] };

test.each([
  { name: "costs money", costUsd: 0.0042, line: "✓ 3 turns · 2 tools · 6 s · $0.004" },
  { name: "costs next to nothing", costUsd: 0.0001, line: "✓ 3 turns · 2 tools · 6 s · < $0.001" },
  { name: "is free", costUsd: 0, line: "✓ 3 turns · 2 tools · 6 s" },
  { name: "has no known price", costUsd: null, line: "✓ 3 turns · 2 tools · 6 s" },
])("a run that $name folds into “$line”", ({ costUsd, line }) => {
  const partial = { id: "m", role: "assistant" as const, content: [], createdAt: 0 };
  const outcome = { type: "end_turn" as const, message: partial, usage: NO_USAGE };
  expect(foldLine(outcome, { ...stats, costUsd })).toBe(line);
});
