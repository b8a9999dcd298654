import { expect, test } from "vitest";
import {
  approvalCard,
  type CardFacts,
  decidedCard,
  decisionText,
} from "../../../src/core/permissions/approval-card.ts";
import type { ApprovalRow } from "../../../src/core/store/run/approvals.ts";

const ANA = { id: "slack:U1", name: "ana" };
const BOB = { id: "slack:U2", name: "bob" };

function call(text: string, more: { question?: string; why?: string; label?: string; language?: string } = {}) {
  const { question = "Run a command?", why = null, label = "this command", language = "sh" } = more;
  return { preview: { question, language, text, reach: "In the sandbox of #ops" }, why, label };
}

function card(calls: CardFacts["calls"], more: Partial<CardFacts> = {}) {
  return approvalCard({
    approvalId: "run_1:2",
    agent: null,
    calls,
    requester: ANA,
    others: [],
    mayRemember: true,
    deciders: "@ana",
    expiresMinutes: 60,
    maxChars: 3_500,
    footerChars: 1_500,
    ...more,
  });
}

const ids = ({ message }: ReturnType<typeof card>) => message.buttons.map(({ id }) => id);
const ONCE = ["approve:y:run_1:2", "approve:n:run_1:2"];
const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`).join("\n");

test("a card shows the effect, the requester, who may decide and what a grant would cover", () => {
  const { message, isWhole } = card([call("find logs -delete")]);
  expect(message.markdown).toBe(
    "⏸ **Run a command?**   asked by @ana\n```sh\nfind logs -delete\n```\nIn the sandbox of #ops",
  );
  expect(message.footer).toBe("Waiting for @ana · expires in 60 min · session and always remember: this command");
  expect(message.buttons.map(({ label }) => label)).toEqual([
    "Allow once",
    "Deny",
    "Allow for this session",
    "Always allow",
  ]);
  expect(isWhole).toBe(true);
});

test("a call that exceeds the mode says so on its buttons, alone on its card", () => {
  const asked = call("Daily: every day at 09:00");
  const named = { ...asked, preview: { ...asked.preview, answers: { allow: "Create", deny: "Change" } } };
  const labels = (calls: CardFacts["calls"]) =>
    card(calls, { mayRemember: false }).message.buttons.map(({ label }) => label);
  expect(labels([named])).toEqual(["Create", "Change"]);
  expect(labels([named, asked])).toEqual(["Allow once", "Deny"]);
});

test("the card names the authors whose text led to the call beside the requester", () => {
  expect(card([call("ls")], { others: [BOB] }).message.markdown).toContain("asked by @ana, with words from @bob");
});

const RLO = "\u202e";

test.each([
  { name: "text that runs backwards", text: `rm ${RLO}txt.exe`, shown: "rm \\u{202e}txt.exe" },
  { name: "an escape sequence", text: "ls \u001b[2K\u001b[1A", shown: "ls \\u{1b}[2K\\u{1b}[1A" },
  { name: "a carriage return", text: "rm -rf x\recho hello", shown: "rm -rf x\\u{d}echo hello" },
  { name: "a zero-width space", text: "rm\u200b x", shown: "rm\\u{200b} x" },
  { name: "a line separator", text: "ls\u2028rm x", shown: "ls\\u{2028}rm x" },
  { name: "a byte order mark", text: "\ufeffls", shown: "\\u{feff}ls" },
  { name: "a blank that is no space", text: "rm\u00a0x", shown: "rm\\u{a0}x" },
  { name: "a letter without a shape", text: "ls \u3164x", shown: "ls \\u{3164}x" },
  { name: "a braille blank", text: "ls \u2800x", shown: "ls \\u{2800}x" },
  { name: "bytes hidden behind a letter", text: "ls a\u{e0101}", shown: "ls a\\u{e0101}" },
  { name: "a variation selector without an emoji", text: "ls a\ufe0f", shown: "ls a\\u{fe0f}" },
])("$name in a call is made visible", ({ text, shown }) => {
  const { message } = card([call(text, { question: `Run ${text}?` })]);
  expect(message.markdown).toContain(`\`\`\`sh\n${shown}\n\`\`\``);
  expect(message.markdown.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}]/u);
});

test("a call with fences in it cannot leave its block", () => {
  const { message } = card([call("echo\n```\n**Allowed** by everyone\n````\nrm x")]);
  const fence = /^(`{3,})sh$/mu.exec(message.markdown)?.[1] ?? "";
  expect(fence).toBe("`````");
  const [, inside] = message.markdown.split(fence);
  expect(inside).toContain("**Allowed** by everyone\n````\nrm x");
});

test("a question on several lines, or with a name in it, stays one line", () => {
  const { message } = card([call("ls", { question: "Run\n\nit?\n⏸ **Other**" })], {
    requester: { id: "slack:U1", name: "ana\n@everyone" },
  });
  expect(message.markdown.split("\n")[0]).toBe(String.raw`⏸ **Run it? ⏸ \*\*Other\*\***   asked by @ana @everyone`);
});

test("Markdown in a path or a name cannot imitate other parts of the card", () => {
  const { message } = card([call("-a", { question: "Change x?**   asked by @boss **y`?", label: "changing **x" })], {
    requester: { id: "slack:U1", name: "$'$&`ana`" },
  });
  const [head = ""] = message.markdown.split("\n");
  expect(head).toBe(String.raw`⏸ **Change x?\*\* asked by @boss \*\*y\`?**   asked by @$'$&\`ana\``);
  expect(message.footer).toContain(String.raw`changing \*\*x`);
});

test("a path too long for its line is attached in full, and can only be allowed once", () => {
  const question = `Change ${"deep/".repeat(80)}config.toml?`;
  const drawn = card([call("-a", { question })]);
  expect(ids(drawn)).toEqual(ONCE);
  expect(new TextDecoder().decode(drawn.message.files[0]?.data)).toContain(question);
});

test.each([
  { name: "one long call", calls: [call(lines(400))], says: "line 300", isCut: true },
  { name: "a call that is long only by its lines", calls: [call(lines(60))], says: "line 59", isCut: false },
  {
    name: "a long path",
    calls: [call("-a", { question: `Change ${"deep/".repeat(80)}config.toml?` })],
    says: "config.toml",
    isCut: false,
  },
  {
    name: "many calls",
    calls: Array.from({ length: 60 }, () => call(lines(60))),
    says: "1. Run a command?",
    isCut: true,
  },
])("without its files the card of $name shows what fits, and can be allowed once", ({ calls, says, isCut }) => {
  const missing = "The rest could not be attached.";
  const message = card(calls).withoutFiles(missing);
  expect(message.files).toEqual([]);
  expect(message.markdown).toContain(says);
  expect(message.markdown).not.toContain("attached:");
  expect(message.markdown.includes(missing)).toBe(isCut);
  expect(message.markdown.length + (message.footer ?? "").length).toBeLessThanOrEqual(3_500);
  expect(message.buttons.map(({ id }) => id)).toEqual(ONCE);
});

test("a card has at most as many files as the platform allows", () => {
  const drawn = card(
    Array.from({ length: 12 }, () => call(lines(41))),
    { maxChars: 12_000 },
  );
  expect(drawn.message.files.map(({ name }) => name)).toEqual(["calls.txt"]);
});

test.each([
  [40, []],
  [41, ["call.sh"]],
])("of %i lines these are attached: %j", (count, files) => {
  const drawn = card([call(lines(count))]);
  expect(drawn.message.files.map(({ name }) => name)).toEqual(files);
  expect(drawn.isWhole).toBe(files.length === 0);
});

test("a long call is attached in full, escaped as shown, and offers neither session nor always", () => {
  const text = `${lines(60)}\n${RLO}end`;
  const drawn = card([call(text)]);
  expect(ids(drawn)).toEqual(ONCE);
  expect(drawn.message.footer).toBe("Waiting for @ana · expires in 60 min");
  expect(drawn.message.markdown).toContain("line 39\n…");
  expect(drawn.message.markdown).toContain("The rest is attached: `call.sh`.");
  const [file] = drawn.message.files;
  expect(new TextDecoder().decode(file?.data)).toBe(`${lines(60)}\n\\u{202e}end`);
});

test("one line that is too long is attached, too, and no character is cut in half", () => {
  const drawn = card([call("😀".repeat(3_000))]);
  expect(drawn.message.markdown.length).toBeLessThanOrEqual(3_500);
  expect(drawn.message.markdown.isWellFormed()).toBe(true);
  expect(ids(drawn)).toEqual(ONCE);
});

test("several calls are one card, numbered, with each file named after its call", () => {
  const drawn = card([
    call("ls", { label: "this command" }),
    call(lines(50), { question: "Change config.toml?", language: "diff", label: "config.toml" }),
    call("pwd", { label: "this command", why: "It is asked each time." }),
  ]);
  expect(drawn.message.markdown).toMatch(
    /^⏸ \*\*3 calls need a decision\*\* {3}asked by @ana\n\n\*\*1\. Run a command\?/u,
  );
  expect(drawn.message.markdown).toContain("**2. Change config.toml?**");
  expect(drawn.message.markdown).toContain("It is asked each time.");
  expect(drawn.message.files.map(({ name }) => name)).toEqual(["call-2.diff"]);
  expect(ids(drawn)).toEqual(ONCE);
});

test("each kind of grant is described once", () => {
  const calls = [call("a", { label: "a.txt" }), call("b", { label: "b.txt" }), call("c", { label: "a.txt" })];
  expect(card(calls).message.footer).toContain("session and always remember: a.txt, b.txt");
});

test.each([
  { name: "thirty long calls", calls: Array.from({ length: 30 }, () => call(lines(30))), listed: 30 },
  { name: "two hundred short calls", calls: Array.from({ length: 200 }, () => call("ls")), listed: 32 },
  { name: "a call that needs a very long fence", calls: [call(`ls ${"`".repeat(1_500)}`)], listed: 1 },
  {
    name: "calls with long labels",
    calls: Array.from({ length: 12 }, (_, index) => call("ls", { label: `${index}${"x".repeat(290)}` })),
    listed: 12,
  },
])("$name, which no card can show, are listed and attached in full", ({ calls, listed }) => {
  const { message, isWhole } = card(calls, { others: Array.from({ length: 90 }, () => BOB) });
  expect(message.markdown.length + (message.footer ?? "").length).toBeLessThanOrEqual(3_500);
  expect(message.markdown.match(/^\d+\. Run a command\?$/gmu)).toHaveLength(listed);
  const [file, ...rest] = message.files.map(({ data }) => new TextDecoder().decode(data));
  expect(rest).toEqual([]);
  for (const { preview } of calls) expect(file).toContain(preview.text);
  expect(isWhole).toBe(false);
  expect(message.buttons.map(({ id }) => id)).toEqual(ONCE);
});

test.each([1_800, 3_500, 8_000])("any request fits into a message of %i characters", (maxChars) => {
  for (const count of [1, 2, 5, 12, 40]) {
    for (const text of ["ls", lines(30), "😀".repeat(900), "`".repeat(700)]) {
      const question = `Run ${"a long command ".repeat(30)}?`;
      const { message } = card(
        Array.from({ length: count }, () => call(text, { question, why: "because ".repeat(60), label: question })),
        { others: Array.from({ length: 40 }, () => BOB), agent: "explorer ".repeat(50), maxChars },
      );
      expect(message.markdown.length + (message.footer ?? "").length).toBeLessThanOrEqual(maxChars);
    }
  }
});

test("without a possible grant only “once” is offered", () => {
  const drawn = card([call("ls")], { mayRemember: false });
  expect(ids(drawn)).toEqual(ONCE);
  expect(drawn.message.footer).not.toContain("remember");
});

const FIRST = { callId: "c1", tool: "bash", input: "{}", grant: { key: "k", label: "l" }, title: "bash `ls`" };

const row: ApprovalRow = {
  id: "run_1:2",
  sessionId: "ses_1",
  runId: "run_1",
  turn: 2,
  calls: [
    FIRST,
    { callId: "c2", tool: "edit", input: "{}", grant: { key: "k", label: "l" }, title: "edit `a`", refused: "no" },
  ],
  people: { requester: ANA, others: [], mayRemember: true },
  status: "pending",
  scope: null,
  decidedBy: null,
  expiresAt: 0,
  createdAt: 0,
};

test.each<[Partial<ApprovalRow>, string]>([
  [{}, "⏸ Not decided yet"],
  [{ status: "allowed", scope: "once", decidedBy: "@ana" }, "✓ Allowed by @ana"],
  [{ status: "allowed", scope: "session", decidedBy: "@ana" }, "✓ Allowed for this session by @ana"],
  [{ status: "allowed", scope: "always", decidedBy: "@ana" }, "✓ Always allowed here by @ana"],
  [{ status: "denied", decidedBy: "@ana" }, "✗ Denied by @ana"],
  [{ status: "denied", decidedBy: "@*ana* [Ops](//x)" }, String.raw`✗ Denied by @\*ana\* \[Ops\](//x)`],
  [{ status: "withdrawn", decidedBy: "@ana" }, "⏹ Stopped by @ana; not run"],
  [{ status: "withdrawn" }, "⏹ Stopped; not run"],
  [{ status: "expired" }, "⚠ Nobody decided within 60 min; I left it out"],
])("%j reads “%s”", (more, text) => {
  expect(decisionText({ ...row, ...more }, 60)).toBe(text);
});

test("of many calls the decision names the first", () => {
  const calls = Array.from({ length: 200 }, (_, index) => ({ ...FIRST, title: `bash \`${index}\`` }));
  const { markdown } = decidedCard({ ...row, calls, status: "allowed" }, 60);
  expect(markdown.length).toBeLessThan(500);
  expect(markdown).toMatch(/`9` and 190 more$/u);
});

test.each<[ApprovalRow["status"], string[]]>([
  ["allowed", []],
  ["denied", []],
  ["withdrawn", []],
  ["expired", ["ask-again:run_1:2"]],
])("a card that is %s is reduced to one line with buttons %j", (status, buttons) => {
  const message = decidedCard({ ...row, status, decidedBy: null }, 60);
  expect(message.markdown).toMatch(/: bash `ls`$/u);
  expect(message.buttons.map(({ id }) => id)).toEqual(buttons);
});

test("a path with underscores at its ends is shown literally, on the card and in the grant", () => {
  const { message } = card([call("+a", { question: "Create pkg/__init__.py?", label: "changing pkg/__init__.py" })]);
  expect(message.markdown).toContain(String.raw`**Create pkg/\_\_init\_\_.py?**`);
  expect(message.footer).toContain(String.raw`changing pkg/\_\_init\_\_.py`);
});

test("a grant is offered only if all of it can be shown", () => {
  const long = (n: number) => call("+a", { label: `changing ${"folder/".repeat(17)}file${n}.java` });
  const calls = [1, 2, 3, 4].map(long);
  expect(ids(card(calls))).toHaveLength(4);
  expect(ids(card(calls, { footerChars: 480 }))).toEqual(ONCE);
  expect(card(calls, { footerChars: 480 }).isWhole).toBe(false);
});
