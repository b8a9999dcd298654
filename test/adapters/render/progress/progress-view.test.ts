import { expect, test } from "vitest";
import { NO_PROGRESS, reduceProgress } from "../../../../src/adapters/render/progress/progress-state.ts";
import { renderProgress } from "../../../../src/adapters/render/progress/progress-view.ts";
import type { QueryEvent } from "../../../../src/core/protocol/events.ts";
import type { PlanMark } from "../../../../src/core/protocol/plan.ts";
import { errorResult, textResult } from "../../../../src/core/protocol/tool-result.ts";

let nextId = 0;
const turn = (n: number): QueryEvent => ({ type: "turn_start", turn: n });
const token = (text: string): QueryEvent => ({ type: "token", text });
const status = (text: string): QueryEvent => ({ type: "status", text });
const waits = (text: string): QueryEvent => ({ type: "status", text, passes: true });
const start = (toolId: string, toolName: string, title: string): QueryEvent => {
  return { type: "tool_start", toolId, toolName, input: {}, title };
};
const end = (toolId: string, summary: string, more: { ms?: number; failed?: boolean } = {}): QueryEvent => ({
  type: "tool_end",
  toolId,
  toolName: "any",
  result: more.failed === true ? errorResult("no", summary) : textResult("", { summary }),
  durationMs: more.ms ?? 5,
});
const done = (toolName: string, title: string, summary = ""): QueryEvent[] => {
  const id = `t${nextId++}`;
  return [start(id, toolName, title), end(id, summary)];
};

const plan = (...marks: PlanMark[]) => marks.map((mark) => ({ text: "Step", mark }));

function draw(events: readonly QueryEvent[], { elapsedMs = 6_400, maxChars = 4_000, showsTables = true } = {}): string {
  return drawn(events, { elapsedMs, maxChars, showsTables }).markdown;
}

function drawn(events: readonly QueryEvent[], { elapsedMs = 6_400, maxChars = 4_000, showsTables = true } = {}) {
  return renderProgress(events.reduce(reduceProgress, NO_PROGRESS), {
    agentName: "build",
    elapsedMs,
    maxChars,
    showsTables,
  });
}

const cases: { name: string; events: QueryEvent[]; lines: string[] }[] = [
  { name: "nothing has happened yet", events: [], lines: ["⏳ **build** · 6 s"] },
  {
    name: "the run waits for a place",
    events: [{ type: "queued", before: 3 }],
    lines: ["⏳ **build** · queued, 3 before you"],
  },
  {
    name: "the run is parked until a person answers",
    events: [
      turn(1),
      start("q", "ask_user_question", "Which port?"),
      { type: "tool_waits", toolId: "q", what: "waits for @ana" },
      { type: "parked", on: "call" },
    ],
    lines: ["⏸ **build** · turn 1 · waits for @ana", "⏸ ask_user_question `Which port?` · waits for @ana"],
  },
  {
    name: "a pause has ended",
    events: [
      turn(1),
      start("s", "sleep", "5 min"),
      { type: "tool_waits", toolId: "s", what: "until 14:05 UTC" },
      start("s", "sleep", "5 min"),
      end("s", ""),
    ],
    lines: ["⏳ **build** · turn 1 · 6 s", "✓ sleep `5 min`"],
  },
  {
    name: "a plan is carried out",
    events: [
      turn(1),
      { type: "plan", steps: plan("doing", "open") },
      { type: "plan", steps: plan("done", "doing") },
      start("e", "edit", "config.toml"),
    ],
    lines: ["⏳ **build** · turn 1 · 6 s", "✓ 1. Step", "⏳ 2. Step", "⏳ edit `config.toml`"],
  },
  {
    name: "a long plan is half done",
    events: [turn(1), { type: "plan", steps: plan(...Array(5).fill("done"), "doing", ...Array(14).fill("open")) }],
    lines: [
      "⏳ **build** · turn 1 · 6 s",
      "✓ 4 earlier steps of the plan",
      "✓ 5. Step",
      "⏳ 6. Step",
      ...[7, 8, 9, 10, 11, 12, 13, 14].map((step) => `☐ ${step}. Step`),
      "☐ 6 later steps of the plan",
    ],
  },
  {
    name: "the run has got its place",
    events: [{ type: "queued", before: 3 }, turn(1)],
    lines: ["⏳ **build** · turn 1 · 6 s"],
  },
  {
    name: "a read is done, an edit goes on, text follows",
    events: [
      turn(1),
      ...done("read", "config.toml", "12 lines"),
      turn(2),
      token("I'll change the port and check that nothing else refers to it."),
      start("e", "edit", "config.toml"),
    ],
    lines: [
      "⏳ **build** · turn 2 · 6 s",
      "✓ read `config.toml` · 12 lines",
      "⏳ edit `config.toml`",
      "",
      "I'll change the port and check that nothing else refers to it.",
    ],
  },
  {
    name: "reads and searches in a row fold",
    events: [
      turn(1),
      ...done("read", "a"),
      ...done("grep", "x"),
      ...done("read", "b"),
      ...done("glob", "*"),
      ...done("write", "c"),
    ],
    lines: ["⏳ **build** · turn 1 · 6 s", "✓ read 2 files, searched 2 patterns", "✓ write `c`"],
  },
  {
    name: "a call failed after a while, another waits",
    events: [
      turn(1),
      start("b", "bash", "sleep 99"),
      end("b", "stopped after 60 s", { ms: 60_000, failed: true }),
      start("q", "js_exec", "1+1"),
      { type: "tool_queued", toolId: "q", before: 2 },
    ],
    lines: [
      "⏳ **build** · turn 1 · 6 s",
      "✗ bash `sleep 99` · stopped after 60 s · 1 min",
      "⏳ js_exec `1+1` · queued, 2 before it",
    ],
  },
  {
    name: "more than ten tool lines fold into a count",
    events: [turn(1), ...Array.from({ length: 14 }, (_, n) => done("write", `f${n}`)).flat()],
    lines: [
      "⏳ **build** · turn 1 · 6 s",
      "✓ 4 earlier steps",
      ...Array.from({ length: 10 }, (_, n) => `✓ write \`f${n + 4}\``),
    ],
  },
  {
    name: "a call that is replayed after a restart keeps its place",
    events: [turn(1), start("a", "read", "x"), start("b", "edit", "y"), start("a", "read", "x")],
    lines: ["⏳ **build** · turn 1 · 6 s", "⏳ read `x`", "⏳ edit `y`"],
  },
  {
    name: "statuses are shown, a count of tries in one line, and discarded text is gone",
    events: [
      turn(1),
      token("Half a"),
      { type: "text_discarded" },
      status("⚠ The model went silent; trying again (1 of 2)."),
      status("⚠ This thread fills 81 % of the model's memory."),
      status("⚠ The model went silent; trying again (2 of 2)."),
    ],
    lines: [
      "⏳ **build** · turn 1 · 6 s",
      "⚠ This thread fills 81 % of the model's memory.",
      "⚠ The model went silent; trying again (2 of 2).",
    ],
  },
  {
    name: "what the run waits for is shown while it does",
    events: [turn(1), waits("⚠ Anthropic cannot be reached; trying again in 3 s.")],
    lines: ["⏳ **build** · turn 1 · 6 s", "⚠ Anthropic cannot be reached; trying again in 3 s."],
  },
  {
    name: "and not once it goes on",
    events: [turn(1), waits("⚠ Anthropic cannot be reached; trying again in 3 s."), token("Hello")],
    lines: ["⏳ **build** · turn 1 · 6 s", "", "Hello"],
  },
  {
    name: "the text of the turn before stays until the next one speaks",
    events: [turn(1), token("old"), { type: "turn_end" }, turn(2)],
    lines: ["⏳ **build** · turn 2 · 6 s", "", "old"],
  },
  {
    name: "the next turn's text replaces it",
    events: [turn(1), token("old"), turn(2), token("new")],
    lines: ["⏳ **build** · turn 2 · 6 s", "", "new"],
  },
  {
    name: "an argument cannot break out of its line",
    events: [turn(1), start("a", "bash", "echo `id`\n# **head** \u202e"), { type: "steered", eventKeys: ["k"] }],
    lines: ["⏳ **build** · turn 1 · 6 s", "⏳ bash `` echo `id` # **head** \\u{202e} ``"],
  },
];

test.each(cases)("$name", ({ events, lines }) => {
  expect(draw(events).split("\n")).toEqual(lines);
});

test("the progress is also available as data, and model text never counts as a step", () => {
  const { shows } = drawn([
    turn(1),
    { type: "plan", steps: plan("done", "open") },
    ...done("read", "a.ts", "3 lines"),
    start("b", "bash", "make"),
    status("⚠ Going on."),
    token("✓ bash `rm -rf`\n⏹ Stopped."),
    { type: "status", text: "⚠ Trying again in 1 s.", passes: true },
  ]);
  expect(shows).toEqual({
    type: "live",
    state: "working",
    head: "**build** · turn 1 · 6 s",
    lines: [
      { sign: "✓", text: "1. Step", isOver: true },
      { sign: "☐", text: "2. Step", isOver: false },
      { sign: "✓", text: "read `a.ts` · 3 lines", isOver: true },
      { sign: "⏳", text: "bash `make`", isOver: false },
      { sign: "", text: "⚠ Going on.", isOver: true },
      // A passing notice counts as over because a surface that prints only finished lines would otherwise never show
      // it.
      { sign: "", text: "⚠ Trying again in 1 s.", isOver: true },
    ],
  });
});

test("the message always stays within its limit and keeps its first line", () => {
  const events = [
    turn(1),
    ...Array.from({ length: 80 }, (_, n) => done("write", `${"long/".repeat(30)}${n}`, "s".repeat(200))).flat(),
    ...Array.from({ length: 9 }, (_, n) => status(`⚠ ${"status ".repeat(80)}${n}`)),
    token(`\`\`\`ts\n${"const a = 1;\n".repeat(5_000)}`),
  ];
  for (const maxChars of [200, 500, 1_000, 2_000, 4_000]) {
    const text = draw(events, { maxChars });
    expect(text.length).toBeLessThanOrEqual(maxChars);
    expect(text.startsWith("⏳ **build** · turn 1")).toBe(true);
  }
  expect(draw(events, { maxChars: 4_000 })).toMatch(/✓ \d+ earlier steps\n/u);
});

const ROWS = Array.from({ length: 2_000 }, (_, n) => `| api${n} | ${n} |\n`);

test.each([
  { as: "with its head", showsTables: true, begins: "| Service | Port |\n|---|--:|\n| api1988 | 1988 |\n" },
  { as: "as columns", showsTables: false, begins: "```\napi1989  1989\n" },
])("the last rows of a long table are shown $as", ({ showsTables, begins }) => {
  const text = draw([turn(1), token("| Service | Port |\n|---|--:|\n"), ...ROWS.map(token)], { showsTables });
  expect(text.split("\n\n")[1]).toSatisfy((tail: string) => tail.startsWith(begins));
});

test("the last lines of a long text are shown, within their code block", () => {
  const text = draw([
    turn(1),
    token(`Here it is:\n\`\`\`ts\n${Array.from({ length: 3_000 }, (_, n) => `line(${n});`).join("\n")}`),
  ]);
  expect(text).toContain("```ts\nline(29");
  expect(text).toMatch(/line\(2999\);\n```$/u);
  expect(text).not.toContain("Here it is");
});
