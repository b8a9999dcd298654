import { expect, test } from "vitest";
import { collapseReads } from "../../../src/core/context/collapse-reads.ts";
import { renderBlock, toneOf } from "../../../src/core/context/render-block.ts";
import type { ContentBlock } from "../../../src/core/protocol/messages.ts";

const ORIGIN = { provider: "anthropic", model: "one" };

function use(name: string, input: object): ContentBlock {
  return { type: "tool_use", id: name, name, input };
}

const cases: { block: ContentBlock; shown: string; tone?: string }[] = [
  { block: { type: "text", text: "**Hi**" }, shown: "**Hi**" },
  { block: { type: "image", mediaType: "image/png", data: "", name: "a.png" }, shown: "[image: a.png]" },
  { block: { type: "document", mediaType: "application/pdf", name: "a.pdf" }, shown: "[document: a.pdf]" },
  { block: { type: "thinking", thinking: "secret", origin: ORIGIN }, shown: "" },
  { block: { type: "redacted_thinking", data: "x", origin: ORIGIN }, shown: "" },
  { block: use("bash", { command: "ls" }), shown: '**bash**\n```json\n{\n  "command": "ls"\n}\n```' },
  {
    block: { type: "tool_result", toolUseId: "1", content: [{ type: "text", text: "```" }], isError: true },
    shown: "✗ Result\n````\n```\n````",
  },
  { block: { type: "user_command", command: "skill", args: "review" }, shown: "`/skill review`" },
  {
    block: { type: "user_local_command_output", command: "ls", stdout: "a\n", stderr: "no\n", exitCode: 1 },
    shown: "✗ `$ ls` · exit code 1\n```\na\nno\n```",
  },
  {
    block: { type: "user_local_command_output", command: "true", stdout: "", stderr: "", exitCode: 0 },
    shown: "✓ `$ true` · no output",
  },
  {
    block: { type: "system_api_error", code: "overloaded", text: "✗ Both models are overloaded.", retryAfterS: 30 },
    shown: "✗ Both models are overloaded. I was asked to wait 30 s.",
    tone: "error",
  },
  {
    block: { type: "document", name: "spec.pdf", mediaType: "application/pdf", context: "attachments/spec.pdf" },
    shown: "[document: spec.pdf · attachments/spec.pdf]",
  },
  { block: { type: "user_memory_input", text: "We deploy on Mondays." }, shown: "We deploy on Mondays." },
  {
    block: { type: "collapsed_read_search", reads: 6, searches: 1, labels: ["a", "b", "c", "d"] },
    shown: "✓ read 6 files, searched 1 pattern: `a`, `b`, `c`, …",
  },
  {
    block: { type: "task_assignment", agent: "explorer", description: "Find the port", sessionId: "ses_2" },
    shown: "→ **explorer**: Find the port",
    tone: "task",
  },
  { block: { type: "approval_request", approvalId: "a", callIds: [] }, shown: "" },
];

test.each(cases)("$block.type is rendered as “$shown”", ({ block, shown, tone = "plain" }) => {
  expect(renderBlock(block)).toBe(shown);
  expect(toneOf(block)).toBe(tone);
});

test("long output keeps its head and tail", () => {
  const stdout = `first\n${"x".repeat(10_000)}\nlast`;
  const shown = renderBlock({ type: "user_local_command_output", command: "cat", stdout, stderr: "", exitCode: 0 });
  expect(shown.length).toBeLessThan(4_200);
  expect(shown).toContain("first\n");
  expect(shown).toContain("6011 characters");
  expect(shown.endsWith("last\n```")).toBe(true);
});

test("consecutive reads and searches are merged into one block, a single one is unchanged", () => {
  const text: ContentBlock = { type: "text", text: "Then:" };
  const blocks = [
    use("read", { path: "a" }),
    use("grep", { pattern: "b", path: "src" }),
    text,
    use("glob", { pattern: "c" }),
  ];
  expect(collapseReads(blocks)).toEqual([
    { type: "collapsed_read_search", reads: 1, searches: 1, labels: ["a", "b"] },
    text,
    blocks[3],
  ]);
});
