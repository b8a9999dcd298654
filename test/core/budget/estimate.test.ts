import { expect, test } from "vitest";
import { inputTokensAtMost } from "../../../src/core/budget/estimate.ts";
import type { ContentBlock } from "../../../src/core/protocol/messages.ts";

const DATA = "QUJD".repeat(25_000);

test.each<{ name: string; block: ContentBlock; least: number; most: number }>([
  { name: "text", block: { type: "text", text: "a".repeat(30_000) }, least: 10_000, most: 10_100 },
  { name: "Chinese", block: { type: "text", text: "字".repeat(10_000) }, least: 10_000, most: 10_100 },
  { name: "an image", block: { type: "image", mediaType: "image/png", data: DATA }, least: 4_800, most: 4_900 },
  {
    name: "a PDF",
    block: { type: "document", mediaType: "application/pdf", name: "a.pdf", data: DATA },
    least: 5_000,
    most: 5_100,
  },
  {
    name: "more than the window holds",
    block: { type: "text", text: "a".repeat(900_000) },
    least: 200_000,
    most: 200_000,
  },
])("a request with $name counts between $least and $most tokens", ({ block, least, most }) => {
  const message = { id: "m", role: "user" as const, content: [block], createdAt: 0 };
  const request = { model: "m", system: [], messages: [message], tools: [], maxTokens: 1 };
  const tokens = inputTokensAtMost(request, 200_000);
  expect(tokens).toBeGreaterThanOrEqual(least);
  expect(tokens).toBeLessThanOrEqual(most);
});
