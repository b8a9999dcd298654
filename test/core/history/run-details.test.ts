import { expect, onTestFinished, test } from "vitest";
import { runDetails } from "../../../src/core/history/run-details.ts";
import { type ToolResult, textResult } from "../../../src/core/protocol/tool-result.ts";
import { openFileStore } from "../../support/database/empty-database.ts";
import { tempDirectory } from "../../support/temp-directory.ts";

interface Call {
  readonly name: string;
  readonly input: object;
  /** Null if the call is still in progress. */
  readonly result: ToolResult | null;
  readonly durationMs?: number;
}

/** The details of a run with these calls. */
async function detailsOf(calls: readonly Call[], maxChars: number) {
  const store = await openFileStore(`${tempDirectory()}/details.db`);
  onTestFinished(() => store.close());
  const thread = { platform: "slack", workspaceId: "T1", channelId: "C1", threadId: "1" } as const;
  const run = { id: "run_1", sessionId: "ses_1" };
  await store.transaction(async (tx) => {
    const channel = { name: "ops", kind: "channel" };
    const about = { workspaceName: "Acme", channel, agent: "build", createdBy: "slack:U1", at: 1 };
    await tx.sessions.create({ ...about, id: run.sessionId, key: "slack:T1:C1:1", thread });
    await tx.runs.begin({ ...run, eventSeq: 1, at: 1 });
    const uses = calls.map(({ name, input }, index) => ({ type: "tool_use" as const, id: `c${index}`, name, input }));
    await tx.toolCalls.add(run, 1, uses);
    for (const [index, { result, durationMs = 5 }] of calls.entries())
      if (result !== null) await tx.toolCalls.ended(run.id, `c${index}`, { result, durationMs, at: 2 });
  });
  const details = await runDetails(store, run.id, maxChars);
  const file = details?.files[0];
  return { text: details?.markdown ?? "", file: file === undefined ? null : new TextDecoder().decode(file.data) };
}

const read = (path: string): Call => ({ name: "read", input: { path }, result: textResult(`1\tcontent of ${path}`) });
const LOG = Array.from({ length: 40 }, (_, index) => `line ${index}`).join("\n");

test("each step shows its input, its duration and the beginning of its result if there is room", async () => {
  const bash: Call = { name: "bash", input: { command: "make" }, result: textResult(LOG), durationMs: 1_240 };
  const edit: Call = {
    name: "edit",
    input: { path: "a", old_string: "b" },
    result: { ...textResult("no"), isError: true },
  };
  const { text, file } = await detailsOf([bash, edit, { ...read("x"), result: null }], 10_000);
  expect(text).toContain(`✓ **bash** \`make\` · 1.2 s\n\`\`\`\nline 0\nline 1`);
  expect(text).toMatch(/line 11\n… \d+ more characters\n```/);
  expect(text).toContain('✗ **edit** `{"path":"a","old_string":"b"}`\n```\nno\n```');
  expect(text).toContain("⏳ **read** `x`");
  expect(file).toContain("line 39");
});

test("with less room each result takes one line, and consecutive reads share one", async () => {
  const calls = ["a", "b", "c", "d", "e", "f", "g", "h"].map((name) => read(`${name.repeat(60)}.txt`));
  const short = await detailsOf(calls.slice(0, 2), 1_900);
  expect(short.text).toContain(`✓ **read** \`${"a".repeat(60)}.txt\`\n`);
  const { text, file } = await detailsOf(
    [...calls, { name: "bash", input: { command: "ls" }, result: textResult("x") }],
    1_000,
  );
  expect(text).toContain("✓ read 8 files: `aaa");
  expect(text).toContain("✓ **bash** `ls`\n   `x`");
  expect(text.length).toBeLessThanOrEqual(1_000);
  expect(file).toContain("content of hhh");
});

test("steps that do not fit are counted and are in the attached file", async () => {
  const calls = Array.from(
    { length: 60 },
    (_, index): Call => ({ name: "bash", input: { command: `echo ${index}` }, result: textResult(LOG) }),
  );
  const { text, file } = await detailsOf(calls, 1_900);
  expect(text.length).toBeLessThanOrEqual(1_900);
  expect(text).toMatch(/… \d+ more in the file$/);
  expect(file).toContain("echo 59");
});

test("a result's text cannot break out of its line or block", async () => {
  const hostile: Call = { name: "bash", input: { command: "cat `x`" }, result: textResult("```\n@everyone `x`") };
  const { text } = await detailsOf([hostile], 10_000);
  expect(text).toContain("`` cat `x` ``");
  expect(text).toContain("````\n```\n@everyone `x`\n````");
});

test("a run without tools says so, and has no file", async () => {
  expect(await detailsOf([], 1_900)).toEqual({ text: expect.stringContaining("No tools were used."), file: null });
});
