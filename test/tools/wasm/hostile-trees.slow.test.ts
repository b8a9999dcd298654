import { Buffer } from "node:buffer";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { isInstructionFile } from "../../../src/tools/instructions/instruction-files.ts";
import { isGitName } from "../../../src/tools/wasm/workspace/path-rules.ts";
import { fileSession, text, useSandbox } from "../file-session.ts";
import { heldBy } from "../quotas/quota-session.ts";

const sandbox = useSandbox();

const instructing = [
  "AGENTS.md",
  "a/b/agents.MD",
  "AGENT\u017f.md", // the long s, which case folding makes an s
  "AGENTS\u200c.md",
  "CLAUDE\u00ad.md",
  "\ufe0fCLAUDE.md",
  "AGENTS.md.",
  "CLAUDE.md . ",
  "AGENTS.md::$DATA",
  ".claude /settings.json",
  ".AGENTS/skills/x",
  "CLAUDE~1.MD",
  "sub/AGENTS~2/x",
  "extension\u017f/tools",
  "EXTENS~1/tools",
  "./extensions/x",
  ".mcp.json",
  "web/.Cursor/rules/x.mdc",
  "GEMINI.md",
  ".github/copilot-instructions.md",
  ".github/workflows/ci.yml",
  ".github/instructions/ts.instructions.md",
  ".vscode/tasks.json",
  ".husky/pre-commit",
  ".envrc",
  "Jenkinsfile",
];
const plain = [
  "AGENTS.txt",
  "agents/list.md",
  "src/extensions/x",
  "claude.md.txt",
  "a.md",
  "AGENTS-old.md",
  "",
  ".github/CODEOWNERS",
  "workflows/ci.yml",
  "node_modules/x/.vscode/tasks.json",
];

test.each(instructing)(
  "the name %j is treated as instructions for agents, because some file systems fold it",
  (file) => {
    expect(isInstructionFile(file)).toBe(true);
  },
);

test.each(plain)("the name %j is not treated as instructions", (file) => {
  expect(isInstructionFile(file)).toBe(false);
});

test.each([
  ".git",
  ".GIT",
  ".git.",
  ".git ",
  ".git::$INDEX_ALLOCATION",
  ".g\u200cit",
  ".gi\u00adt",
  "GIT~1",
  ".\ufe0fgit",
])("the name %j is treated as a repository, because some file systems fold it", (name) =>
  expect(isGitName(name)).toBe(true),
);

test("programs cannot write names that file systems fold to AGENTS.md", async () => {
  const session = fileSession(sandbox);
  const result = await session.run("bash", {
    command:
      "echo x > AGENT\u017f.md; echo x > ok.txt; mv ok.txt AGENTS\u200c.md; mkdir '.claude '; cp ok.txt CLAUDE.md.",
  });
  expect(text(result)).toContain("instructs agents");
  expect(readdirSync(session.root)).toEqual(["ok.txt"]);
});

test("no move can make a tree too deep for the tools", async () => {
  const session = fileSession(sandbox);
  session.put("plain.txt", "needle");
  const result = await session.run("js_exec", {
    code: `
      const deep = ("d".repeat(100) + "/").repeat(25);
      fs.mkdirSync("a/" + deep, { recursive: true });
      fs.mkdirSync("b/" + deep, { recursive: true });
      try { fs.renameSync("a", "b/" + deep + "a"); "moved" } catch (error) { error.code }`,
  });
  expect(text(result)).toContain("EPERM");
  await session.run("bash", { command: "rm -rf a b" });
  expect(readdirSync(session.root)).toEqual(["plain.txt"]);
});

test("a tree that is too deep does not fail searches, and its size is still measured", async () => {
  const session = fileSession(sandbox);
  session.put("plain.txt", "needle");
  const before = process.cwd();
  let deep = session.root;
  process.chdir(session.root);
  try {
    for (let depth = 0; depth < 20; depth++) {
      mkdirSync("n".repeat(200));
      process.chdir("n".repeat(200));
      deep = path.join(deep, "n".repeat(200));
    }
    writeFileSync("deep.txt", "needle");
  } finally {
    process.chdir(before);
  }
  expect(text(await session.run("glob", { pattern: "**/*.txt" }))).toContain("plain.txt");
  expect(text(await session.run("grep", { pattern: "needle" }))).toContain("plain.txt");
  expect(await heldBy(session.root)).toBeGreaterThan(0);
});

test("names with arbitrary bytes are listed, and a directory with one is not moved or removed", async () => {
  const session = fileSession(sandbox);
  session.put("odd/new\nline", "1");
  session.put("odd/-rf", "2");
  const unreadable = Buffer.concat([Buffer.from(path.join(session.root, "odd/bad")), Buffer.from([0xff])]);
  writeFileSync(unreadable, "3");
  expect(text(await session.run("glob", { pattern: "odd/*" }))).toContain("odd/new\\u{a}line");
  const result = await session.run("bash", { command: "rm -rf odd" });
  expect(text(result)).toContain("not valid Unicode");
  expect(readdirSync(path.join(session.root, "odd"))).toHaveLength(3);
  expect(existsSync(unreadable)).toBe(true);
});

/** Thousands of entries take a slow disk minutes. */
const FLOOD_MS = 300_000;
const UNHURRIED = { limits: { programs: { timeoutMs: FLOOD_MS } } };

/** Leaves 4 MiB of the 256 that a call may write: 1,024 entries, which are removed sooner than 65,536. */
const NEARLY_ALL =
  'fs.writeFileSync("a", "x".repeat(4_194_304)); for (let n = 0; n < 62; n++) fs.copyFileSync("a", "b");';

const floods = [
  { name: "files", code: 'for (let n = 0; ; n++) fs.writeFileSync("d/" + n, "");' },
  {
    name: "directories at once",
    code: 'for (let n = 0; ; n++) fs.mkdirSync("d/" + n + "/a/b/c", { recursive: true });',
  },
];

test.each(floods)(
  "a program that creates $name endlessly cannot exhaust the file system",
  async ({ code }) => {
    const session = fileSession(sandbox, UNHURRIED);
    mkdirSync(path.join(session.root, "d"));
    const result = await session.run("js_exec", { code: `${NEARLY_ALL}\n${code}` });
    expect(text(result)).toContain("A call can write at most");
    expect(readdirSync(path.join(session.root, "d")).length).toBeLessThanOrEqual(1_025);
  },
  FLOOD_MS,
);

test(
  "existing directories do not count towards the limit",
  async () => {
    const session = fileSession(sandbox, UNHURRIED);
    const code = `${NEARLY_ALL}\nfor (let n = 0; n < 1_500; n++) fs.mkdirSync("c/d", { recursive: true }); "done"`;
    expect(text(await session.run("js_exec", { code }))).toContain("done");
  },
  FLOOD_MS,
);
