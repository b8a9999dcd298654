import { createHash } from "node:crypto";
import { readdirSync, symlinkSync, utimesSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { fileSession, text, useSandbox } from "./file-session.ts";

const sandbox = useSandbox();
const sha256 = (content: string): string => createHash("sha256").update(content).digest("hex");

const edits = [
  { name: "one occurrence", file: "port = 80\n", old: "80", put: "9090", after: "port = 9090\n", summary: "+1 −1" },
  {
    name: "CRLF text that is given with LF",
    file: "a\r\nb\r\nc\r\n",
    old: "a\nb\n",
    put: "x\ny\nz\n",
    after: "x\r\ny\r\nz\r\nc\r\n",
    summary: "+3 −2",
  },
  { name: "inside a CRLF line", file: "a\r\nb\r\n", old: "b", put: "c\nd", after: "a\r\nc\r\nd\r\n", summary: "+2 −1" },
  {
    name: "LF lines of a mixed file",
    file: "a\nb\r\nc\n",
    old: "a\nb",
    put: "x\ny",
    after: "x\ny\r\nc\n",
    summary: "+2 −2",
  },
  {
    name: "LF text that is given with CRLF",
    file: "a\nb\n",
    old: "a\r\nb",
    put: "x\r\ny",
    after: "x\ny\n",
    summary: "+2 −2",
  },
  {
    name: "behind a byte order mark",
    file: "\uFEFFa\r\nb\r\n",
    old: "b",
    put: "c",
    after: "\uFEFFa\r\nc\r\n",
    summary: "+1 −1",
  },
  {
    name: "the first line behind a byte order mark",
    file: "\uFEFFa\nb\n",
    old: "a\nb",
    put: "c",
    after: "\uFEFFc\n",
    summary: "+1 −2",
  },
  { name: "a file without final line end", file: "a\nb", old: "b", put: "c", after: "a\nc", summary: "+1 −1" },
  { name: "UTF-8", file: "čaj 🍵 x\n", old: "🍵", put: "☕️ž", after: "čaj ☕️ž x\n", summary: "+1 −1" },
  { name: "text away", file: "a\nb\nc\n", old: "b\n", put: "", after: "a\nc\n", summary: "+0 −1" },
  {
    name: "text that looks like a replacement pattern",
    file: "x\n",
    old: "x",
    put: "$& $1",
    after: "$& $1\n",
    summary: "+1 −1",
  },
  {
    name: "every occurrence",
    file: "a b a\r\na\r\n",
    old: "a",
    put: "c",
    after: "c b c\r\nc\r\n",
    summary: "+3 −3",
    all: true,
  },
];

test.each(edits)("edit replaces $name", async ({ file, old, put, after, summary, all }) => {
  const session = fileSession(sandbox);
  session.put("f.txt", file);
  await session.run("read", { path: "f.txt" });
  const input = { path: "f.txt", old_string: old, new_string: put, replace_all: all ?? false };
  const result = await session.run("edit", input);
  expect(text(result)).toMatch(/f\.txt,? at lines? \d/);
  expect(session.bytes("f.txt").toString()).toBe(after);
  expect(result).toMatchObject({
    isError: false,
    summary,
    files: [{ path: "f.txt", sha256: sha256(after), action: "wrote" }],
  });
  expect(session.intents).toEqual([{ path: "f.txt", before: sha256(file), after: sha256(after) }]);
});

const refusedEdits = [
  { name: "text that is not there", old: "zzz", put: "y", says: "does not occur in f.txt" },
  { name: "text with other white space, naming the line", old: "   two", put: "y", says: "A similar line is line 2" },
  { name: "an ambiguous text, naming the lines", old: "same", put: "y", says: "occurs 2 times in f.txt (lines 3, 4)" },
  {
    name: "numbers before lines",
    old: "1\tone\n2\t  two",
    put: "y",
    says: "with the numbers that read adds: leave them out",
  },
  { name: "what is escaped too often", old: "one\\n  two", put: "y", says: "escaped once too often" },
  {
    name: "look-alikes, naming them",
    old: "'four'",
    put: "y",
    says: "Line 5 looks the same, but has U+2018 where old_string has U+0027",
  },
  { name: "a change of nothing", old: "one", put: "one", says: "nothing would change" },
  { name: "an empty text", old: "", put: "y", says: "old_string is empty" },
];

test.each(refusedEdits)("edit refuses $name", async ({ old, put, says }) => {
  const session = fileSession(sandbox);
  session.put("f.txt", "one\n  two\nsame\nsame\n‘four’\n");
  await session.run("read", { path: "f.txt" });
  const result = await session.run("edit", { path: "f.txt", old_string: old, new_string: put });
  expect(result.isError).toBe(true);
  expect(text(result)).toContain(says);
  expect(session.intents).toEqual([]);
});

test("edit refuses a file that is not UTF-8 and leaves it as it is", async () => {
  const session = fileSession(sandbox);
  const bytes = Buffer.from("caf\xe9 80\n", "latin1");
  session.put("f.txt", bytes);
  await session.run("read", { path: "f.txt" });
  const result = await session.run("edit", { path: "f.txt", old_string: "80", new_string: "90" });
  expect(text(result)).toContain("not valid UTF-8");
  expect(session.bytes("f.txt")).toEqual(bytes);
});

const changes = [
  { tool: "edit", input: { path: "f.txt", old_string: "a", new_string: "b" } },
  { tool: "write", input: { path: "f.txt", content: "b" } },
];

test.each(changes)("$tool requires that an existing file was read before", async ({ tool, input }) => {
  const session = fileSession(sandbox);
  session.put("f.txt", "a");
  const result = await session.run(tool, input);
  expect(text(result)).toContain("Read f.txt first");
  expect(session.bytes("f.txt").toString()).toBe("a");
});

test.each(changes)("$tool refuses a file that changed since it was read", async ({ tool, input }) => {
  const session = fileSession(sandbox);
  session.put("f.txt", "a");
  await session.run("read", { path: "f.txt" });
  session.put("f.txt", "a, but of someone else");
  const result = await session.run(tool, input);
  expect(text(result)).toContain("changed since it was read");
  expect(session.bytes("f.txt").toString()).toBe("a, but of someone else");
});

test.each(changes)("$tool refuses a file that changes between preview and commit", async ({ tool, input }) => {
  const session = fileSession(sandbox);
  session.put("f.txt", "a");
  await session.run("read", { path: "f.txt" });
  const context = { ...session.context, intend: async () => session.put("f.txt", "a, but of someone else") };
  const result = await session.tool(tool).execute(input, context, new AbortController().signal);
  expect(text(result)).toContain("changed in the meantime");
  expect(session.bytes("f.txt").toString()).toBe("a, but of someone else");
});

test.each(changes)("a change by $tool outside the root is refused before anybody is asked", async ({ tool, input }) => {
  const session = fileSession(sandbox);
  const call = { ...input, path: "/etc/hosts" };
  const seen = await session.tool(tool).preview?.(call, session.context, new AbortController().signal);
  expect(seen).toEqual({ refused: "/etc/hosts is outside the sandbox; use a path relative to its root." });
});

test("write creates a file with its directories, and edit may follow without reading", async () => {
  const session = fileSession(sandbox);
  const result = await session.run("write", { path: "src/deep/new.ts", content: "one\ntwo\n" });
  expect(result).toMatchObject({ isError: false, summary: "2 lines" });
  await session.run("edit", { path: "src/deep/new.ts", old_string: "two", new_string: "three" });
  expect(session.bytes("src/deep/new.ts").toString()).toBe("one\nthree\n");
  expect(session.intents.map(({ before }) => before)).toEqual([null, sha256("one\ntwo\n")]);
});

test("write does not replace a file that appears while it creates one", async () => {
  const session = fileSession(sandbox);
  const context = { ...session.context, intend: async () => session.put("new.txt", "theirs") };
  const input = { path: "new.txt", content: "ours" };
  const result = await session.tool("write").execute(input, context, new AbortController().signal);
  expect(text(result)).toContain("already exists");
  expect(session.bytes("new.txt").toString()).toBe("theirs");
});

test("a change through a link inside the root changes the file and keeps the link", async () => {
  const session = fileSession(sandbox);
  session.put("real.txt", "a");
  symlinkSync("real.txt", path.join(session.root, "link.txt"));
  await session.run("read", { path: "link.txt" });
  await session.run("write", { path: "link.txt", content: "b" });
  expect(session.bytes("real.txt").toString()).toBe("b");
  expect(
    readdirSync(session.root, { withFileTypes: true })
      .find(({ name }) => name === "link.txt")
      ?.isSymbolicLink(),
  ).toBe(true);
});

test("changes leave no temporary files, and remove those of interrupted writes", async () => {
  const session = fileSession(sandbox);
  const stale = ".deckhand-0123456789abcdef.tmp";
  session.put(stale, "half");
  utimesSync(path.join(session.root, stale), 1, 1);
  session.put(".deckhand-fedcba9876543210.tmp", "being written");
  await session.run("write", { path: "f.txt", content: "a" });
  expect(readdirSync(session.root).sort()).toEqual([".deckhand-fedcba9876543210.tmp", "f.txt"]);
  expect(text(await session.run("glob", { pattern: "{.*,*}" }))).toBe("f.txt");
});

test.each(["AGENTS.md", "sub/CLAUDE.md", ".claude/settings.json", ".agents/x", "extensions/tools/x.json", "agents.MD"])(
  "no tool writes %s, which instructs agents",
  async (file) => {
    const session = fileSession(sandbox);
    const result = await session.run("write", { path: file, content: "Obey." });
    expect(text(result)).toContain("instructs agents");
    expect(readdirSync(session.root)).toEqual([]);
    expect(session.intents).toEqual([]);
  },
);

/** A root whose AGENTS.md imports files: one imports another, one is a link, and one does not exist. */
function withImported() {
  const session = fileSession(sandbox);
  session.put("AGENTS.md", "Follow @docs/style.md and @docs/linked.md, then @later.md, not `@docs/code.md`.");
  session.put("docs/style.md", "Tabs. See @deep.md.");
  for (const name of ["docs/deep.md", "docs/code.md", "docs/other.md", "elsewhere/real.md"]) session.put(name, "Mine.");
  symlinkSync("../elsewhere/real.md", path.join(session.root, "docs/linked.md"));
  return session;
}

const importedFiles = ["docs/style.md", "docs/deep.md", "docs/linked.md", "elsewhere/real.md", "later.md"];

test.each(importedFiles)("no tool writes %s, which AGENTS.md imports, without a person's decision", async (file) => {
  const session = withImported();
  await session.run("read", { path: file });
  expect(text(await session.run("write", { path: file, content: "Obey." }))).toContain("instructs agents");
  for (const command of [`echo Obey. > ${file}`, `mv docs/other.md ${file}`, `cp docs/other.md ${file}`]) {
    expect(text(await session.run("bash", { command }))).toContain("instructs agents");
  }
  if (file === "docs/linked.md") return; // a link cannot be written by its own name, even with an approval
  const decided = fileSession(sandbox, { context: { sandboxRoot: session.root, approved: true } });
  await decided.run("read", { path: file });
  expect((await decided.run("write", { path: file, content: "Obey." })).isError).toBe(false);
  expect(session.bytes(file).toString()).toBe("Obey.");
});

test.each(["[the guide](docs/guide.md#style)", "See [guide].\n\n[guide]: <docs/guide.md>", "@docs/style.md"])(
  "a file that AGENTS.md links to by %j counts as imported",
  async (words) => {
    const session = fileSession(sandbox);
    session.put("AGENTS.md", words);
    session.put("docs/style.md", "Read [this](guide.md).");
    session.put("docs/other.md", "[x](https://example.com/README.md)");
    const result = await session.run("write", { path: "docs/guide.md", content: "Obey." });
    expect(text(result)).toContain("instructs agents");
    expect((await session.run("write", { path: "docs/free.md", content: "Fine." })).isError).toBe(false);
  },
);

const PACKAGE = { name: "heron", scripts: { test: "vitest" }, dependencies: {} };
const EVIL = JSON.stringify({ ...PACKAGE, scripts: { postinstall: "evil" } });
const OTHER = JSON.stringify({ ...PACKAGE, dependencies: { zod: "4" } });

test("changes to scripts that a package would run need a person's decision, other changes to package.json do not", async () => {
  const session = fileSession(sandbox);
  session.put("package.json", JSON.stringify(PACKAGE));
  session.put("evil.json", EVIL);
  await session.run("read", { path: "package.json" });
  const place = { mode: "agi", sandboxRoot: session.root, allowedHosts: [], blockedUrls: [] } as const;
  const asks = (content: string) => session.tool("write").rule?.({ path: "package.json", content }, place);
  expect(asks(EVIL)).toMatchObject({ type: "ask", always: true });
  expect(asks("{")).toMatchObject({ type: "ask", always: true });
  expect(asks(OTHER)).toBeNull();
  const edit = { path: "package.json", old_string: "vitest", new_string: "evil" };
  expect(session.tool("edit").rule?.(edit, place)).toMatchObject({ type: "ask", always: true });
  expect(session.tool("edit").rule?.({ ...edit, old_string: "heron" }, place)).toBeNull();
  // An edit that the guest would refuse needs an approval, because its result is unknown.
  for (const old_string of ["", "nowhere", "e"]) {
    expect(session.tool("edit").rule?.({ ...edit, old_string }, place)).toMatchObject({ type: "ask", always: true });
  }

  expect(text(await session.run("write", { path: "package.json", content: EVIL }))).toContain("instructs agents");
  for (const command of [
    "mv evil.json package.json",
    "cp evil.json package.json",
    "sed -i s/vitest/evil/ package.json",
  ]) {
    expect(text(await session.run("bash", { command }))).toContain("instructs agents");
  }
  const program = await session.run("js_exec", { code: `fs.writeFileSync("package.json", '${EVIL}')`, hosts: [] });
  expect(text(program)).toContain("instructs agents");
  expect(session.bytes("package.json").toString()).toBe(JSON.stringify(PACKAGE));
  expect((await session.run("write", { path: "package.json", content: OTHER })).isError).toBe(false);
  expect(
    (await session.run("bash", { command: "mkdir -p node_modules/x && cp evil.json node_modules/x/package.json" }))
      .isError,
  ).toBe(false);

  const decided = fileSession(sandbox, { context: { sandboxRoot: session.root, approved: true } });
  await decided.run("read", { path: "package.json" });
  expect((await decided.run("write", { path: "package.json", content: EVIL })).isError).toBe(false);
  expect(session.bytes("package.json").toString()).toBe(EVIL);
});

test("a directory with an imported file can be neither moved, removed, nor replaced by a move", async () => {
  const session = withImported();
  session.put("new/style.md", "Obey.");
  for (const command of ["mv docs away", "rm -r docs", "rm -r elsewhere"]) {
    expect(text(await session.run("bash", { command }))).toContain("instructs agents");
  }
  session.put("AGENTS.md", "@soon/style.md");
  expect(text(await session.run("bash", { command: "mv new soon" }))).toContain("instructs agents");
});

test("no tool writes an instruction file through a link", async () => {
  const session = fileSession(sandbox);
  session.put(".claude/settings.json", "{}");
  symlinkSync(".claude", path.join(session.root, "innocent"));
  await session.run("read", { path: "innocent/settings.json" });
  const result = await session.run("write", { path: "innocent/settings.json", content: "mine" });
  expect(text(result)).toContain("instructs agents");
  expect(session.bytes(".claude/settings.json").toString()).toBe("{}");
});

const interrupted = [
  { name: "had happened", current: "new\n", is: "new\n", isError: false },
  { name: "had not happened", current: "old\n", is: "new\n", isError: false },
  { name: "met someone else's", current: "other\n", is: "other\n", isError: true },
];

test.each(interrupted)(
  "after a restart a change that $name is completed correctly",
  async ({ current, is, isError }) => {
    const session = fileSession(sandbox);
    session.put("f.txt", current);
    const intent = { path: "f.txt", before: sha256("old\n"), after: sha256("new\n") };
    for (const [name, input] of [
      ["edit", { path: "f.txt", old_string: "old", new_string: "new" }],
      ["write", { path: "f.txt", content: "new\n" }],
    ] as const) {
      session.put("f.txt", current);
      const result = await session
        .tool(name)
        .reconcile?.({ input, intent }, session.context, new AbortController().signal);
      expect(result?.isError).toBe(isError);
      expect(session.bytes("f.txt").toString()).toBe(is);
    }
  },
);

test("after a restart an interrupted file creation is completed", async () => {
  const session = fileSession(sandbox);
  const call = {
    input: { path: "n.txt", content: "new\n" },
    intent: { path: "n.txt", before: null, after: sha256("new\n") },
  };
  const result = await session.tool("write").reconcile?.(call, session.context, new AbortController().signal);
  expect(result?.files).toEqual([{ path: "n.txt", sha256: sha256("new\n"), action: "wrote", before: null }]);
  expect(session.bytes("n.txt").toString()).toBe("new\n");
});

test.each([
  { asked: "AGENTS.md", always: true },
  { asked: "./docs/../AGENTS.md", always: true },
  { asked: "extensions/skills/a/SKILL.md", always: true },
  { asked: "/workspace/extensions/skills/a/SKILL.md", always: true },
  { asked: "<root>/extensions/skills/a/SKILL.md", always: true },
  { asked: "docs/extensions/a.md", always: false },
  { asked: "docs/style.md", always: true },
  { asked: "<root>/docs/./style.md", always: true },
  { asked: "DOCS/Style.md", always: true },
  { asked: "docs/deep.md", always: true },
  { asked: "docs/linked.md", always: true },
  { asked: "elsewhere/real.md", always: true },
  { asked: "later.md", always: true },
  { asked: "docs/code.md", always: false },
  { asked: "docs/other.md", always: false },
])("writing $asked needs a person's decision each time: $always", ({ asked, always }) => {
  const { root } = withImported();
  const place = { mode: "agi", sandboxRoot: root, allowedHosts: [], blockedUrls: [] } as const;
  const rule = fileSession(sandbox)
    .tool("write")
    .rule?.({ path: asked.replace("<root>", root), content: "x" }, place);
  expect((rule ?? null) !== null).toBe(always);
});
