import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, utimesSync, watch, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { textOf } from "../../../src/core/protocol/messages.ts";
import { findRepository } from "../../../src/tools/git/repository.ts";
import { findGit, GIT_PROGRAMS, gitRunner, type RunGit } from "../../../src/tools/git/run-git.ts";
import { readSettings } from "../../../src/tools/git/settings.ts";
import { createGitTool } from "../../../src/tools/git.ts";
import { tempDirectory } from "../../support/temp-directory.ts";
import { commit, type GitSession, gitSession } from "./git-session.ts";

/** Two commits; then a change that is staged, one that is not, and a new file. */
function withHistory(): GitSession {
  const session = gitSession();
  session.put("src/main.txt", "one\ntwo\nthree\n");
  session.put("src/other.txt", "other\n");
  commit(session, "First words");
  session.put("src/main.txt", "one\ntwo and a half\nthree\n");
  commit(session, "Second thoughts");
  session.put("src/other.txt", "staged\n");
  session.git(["add", "src/other.txt"]);
  session.put("src/main.txt", "one\ntwo and a half\nthree\nfour\n");
  session.put("notes.txt", "new\n");
  return session;
}

const looks = [
  { input: { action: "status" }, shows: ["## main", " M src/main.txt", "M  src/other.txt", "?? notes.txt"], hides: [] },
  { input: { action: "status", path: "src" }, shows: [" M src/main.txt"], hides: ["notes.txt"] },
  { input: { action: "diff" }, shows: ["+four", "src/main.txt | 1 +"], hides: ["staged"] },
  { input: { action: "diff", staged: true }, shows: ["-other", "+staged"], hides: ["four"] },
  { input: { action: "diff", revision: "HEAD~1" }, shows: ["+four", "+staged", "+two and a half"], hides: [] },
  { input: { action: "diff", revision: "HEAD~1..HEAD" }, shows: ["+two and a half"], hides: ["four", "staged"] },
  { input: { action: "diff", path: "src/other.txt" }, shows: ["There are no differences."], hides: [] },
  { input: { action: "log" }, shows: ["Second thoughts", "First words", "Ada <ada@example.org>"], hides: [] },
  { input: { action: "log", count: 1 }, shows: ["Second thoughts"], hides: ["First words"] },
  { input: { action: "log", path: "src/other.txt" }, shows: ["First words"], hides: ["Second thoughts"] },
  { input: { action: "log", revision: "HEAD~1" }, shows: ["First words"], hides: ["Second thoughts"] },
  { input: { action: "show" }, shows: ["Second thoughts", "-two", "+two and a half"], hides: ["four"] },
  { input: { action: "show", revision: "HEAD~1:src/main.txt" }, shows: ["one\ntwo\nthree"], hides: ["commit"] },
  { input: { action: "show", revision: "HEAD~1", path: "src/other.txt" }, shows: ["+other"], hides: ["main.txt"] },
  { input: { action: "blame", path: "src/main.txt" }, shows: ["Ada", "two and a half", "four"], hides: [] },
  {
    input: { action: "blame", path: "src/main.txt", lines: "2-2" },
    shows: ["two and a half"],
    hides: ["one", "three"],
  },
  { input: { action: "blame", path: "src/main.txt", revision: "HEAD~1" }, shows: [") two"], hides: ["half", "four"] },
];

test.each(looks)("git $input shows the expected output", async ({ input, shows, hides }) => {
  const result = await withHistory().run(input);
  const text = textOf(result.content);
  expect(result.isError).toBe(false);
  for (const part of shows) expect(text).toContain(part);
  for (const part of hides) expect(text).not.toContain(part);
});

const mistakes = [
  { input: { action: "status", revision: "HEAD" }, says: "status does not take revision." },
  { input: { action: "show", staged: true, count: 3 }, says: "show does not take staged or count." },
  { input: { action: "blame" }, says: "blame needs the path of a file." },
  { input: { action: "show", revision: "nowhere" }, says: "nowhere" },
  { input: { action: "blame", path: "absent.txt" }, says: "absent.txt does not exist." },
  { input: { action: "blame", path: "notes.txt", revision: "HEAD" }, says: "no such path" },
  { input: { action: "log", path: "../beside" }, says: "outside the sandbox" },
  { input: { action: "show", path: ".git/config" }, says: "Tools cannot read, write or create `.git`" },
];

test.each(mistakes)("git $input explains what is wrong", async ({ input, says }) => {
  const result = await withHistory().run(input);
  expect(result.isError).toBe(true);
  expect(textOf(result.content)).toContain(says);
});

test("a clean work tree is reported as such", async () => {
  const session = gitSession();
  commit(session, "Nothing");
  const result = await session.run({ action: "status" });
  expect(textOf(result.content)).toBe("## main\nNothing has changed.");
  expect(result.summary).toBe("clean");
});

test("a missing repository is reported, also beneath a repository outside the root", async () => {
  const session = gitSession({ empty: true });
  session.put("a.txt", "");
  session.git(["init", "--quiet", ".."]);
  const result = await session.run({ action: "status", path: "a.txt" });
  expect(result.isError).toBe(true);
  expect(textOf(result.content)).toBe("There is no git repository here.");
});

test("a session's directory that does not exist yet has no repository", async () => {
  const session = gitSession({ empty: true });
  rmSync(session.root, { recursive: true });
  expect(textOf((await session.run({ action: "log" })).content)).toBe("There is no git repository here.");
});

test("files ignored by the repository's .git/info/exclude are omitted", async () => {
  const session = withHistory();
  session.put(".git/info/exclude", "notes.txt\n");
  expect(textOf((await session.run({ action: "status" })).content)).not.toContain("notes.txt");
});

test("the path selects one of several repositories", async () => {
  const session = gitSession({ empty: true });
  for (const name of ["front", "back"]) {
    session.put(`${name}/src/${name}.txt`, name);
    session.git(["init", "--quiet", name]);
    session.git(["add", "."], name);
    session.git(["commit", "--quiet", "--message", `about ${name}`], name);
  }
  expect(textOf((await session.run({ action: "log", path: "back" })).content)).toContain("about back");
  expect(textOf((await session.run({ action: "log", path: "front/src/front.txt" })).content)).toContain("about front");
});

test("linked work trees, submodules, shallow clones and packed refs beneath the root can be read", async () => {
  const session = withHistory();
  session.git(["gc", "--quiet"]);
  session.git(["worktree", "add", "--quiet", "tree", "-b", "side"]);
  session.git(["clone", "--quiet", "--depth=1", `file://${session.root}`, "shallow"]);
  session.git(["submodule", "--quiet", "add", "./shallow", "sub"]);
  expect(textOf((await session.run({ action: "status", path: "tree" })).content)).toContain("## side");
  expect(textOf((await session.run({ action: "log", path: "tree" })).content)).toContain("First words");
  const shallow = textOf((await session.run({ action: "log", path: "shallow" })).content);
  expect(shallow).toContain("(grafted, HEAD -> main");
  expect(shallow).not.toContain("First words");
  expect(textOf((await session.run({ action: "log", path: "sub" })).content)).toContain("Second thoughts");
});

test("objects missing from a shallow or partial clone are reported, with who can fetch them", async () => {
  const session = withHistory();
  session.git(["config", "uploadpack.allowFilter", "true"]);
  session.git(["clone", "--quiet", "--depth=1", `file://${session.root}`, "shallow"]);
  session.git(["clone", "--quiet", "--filter=blob:none", `file://${session.root}`, "partial"]);
  const shallow = await session.run({ action: "diff", path: "shallow", revision: "HEAD~1" });
  expect(textOf(shallow.content)).toContain("git fetch --unshallow");
  const older = session.git(["rev-parse", "HEAD~1"]).trim();
  const byId = await session.run({ action: "show", path: "shallow", revision: older });
  expect(textOf(byId.content)).toContain("git fetch --unshallow");
  const partial = await session.run({ action: "show", path: "partial", revision: "HEAD" });
  expect(textOf(partial.content)).toContain("This is a partial clone");
});

test("a branch is compared with its upstream", async () => {
  const session = withHistory();
  session.git(["clone", "--quiet", ".", "clone"]);
  session.git(["commit", "--quiet", "--allow-empty", "--message", "mine"], "clone");
  const result = await session.run({ action: "status", path: "clone" });
  expect(textOf(result.content)).toContain("## main...origin/main [ahead 1]");
});

test("repositories with SHA-256 objects can be read", async () => {
  const session = gitSession({ empty: true });
  session.git(["init", "--quiet", "--object-format=sha256"]);
  session.put("a.txt", "a");
  commit(session, "long names");
  expect(textOf((await session.run({ action: "log" })).content)).toMatch(/^commit [0-9a-f]{64} /);
});

test("paths are literal, not patterns", async () => {
  const session = gitSession();
  session.put("*.txt", "star\n");
  session.put("a.txt", "a\n");
  session.put(":(top)", "magic\n");
  commit(session, "names");
  expect(textOf((await session.run({ action: "show", path: "*.txt" })).content)).not.toContain("a.txt");
  expect(textOf((await session.run({ action: "show", path: ":(top)" })).content)).toContain("+magic");
});

test("long output is cut, with a hint how to narrow the request", async () => {
  const session = gitSession();
  session.put("big.txt", "0123456789\n".repeat(100_000));
  commit(session, "big");
  const text = textOf((await session.run({ action: "show" })).content);
  expect(text).toMatch(/… cut after 30000 characters\. To get less, give a path\.$/);
  expect(text.length).toBeLessThan(30_100);
});

test("a binary file is not shown as text", async () => {
  const session = gitSession();
  session.put("image", Uint8Array.from([0x89, 0, 1, 2]));
  commit(session, "image");
  const result = await session.run({ action: "show", revision: "HEAD:image" });
  expect(textOf(result.content)).toBe("This is a binary file; the git tool shows only text.");
});

test("if git is not installed, the result says so", async () => {
  const session = gitSession({ programs: ["/nonexistent/git"] });
  const result = await session.run({ action: "status" });
  expect(result).toMatchObject({ isError: true, summary: "git is not installed" });
  expect(textOf(result.content)).toContain("git is not installed on the machine");
});

test.each([
  { what: "a program that cannot be started", options: { programs: ["/"] }, code: "EACCES" },
  { what: "no place for what git needs", options: { temporaryDirectory: "/dev/null" }, code: "ENOTDIR" },
])("$what is reported", async ({ options, code }) => {
  const result = await gitSession(options).run({ action: "log" });
  expect(result.isError).toBe(true);
  expect(textOf(result.content)).toContain(`cannot be read at the moment (${code})`);
});

test("with no file descriptors left git is not started, and the program continues", () => {
  const script = `
    import { closeSync, openSync } from "node:fs";
    import { gitRunner } from ${JSON.stringify(path.resolve("src/tools/git/run-git.ts"))};
    const open = [];
    try { for (;;) open.push(openSync("/dev/null")); } catch {}
    const run = gitRunner("/bin/true", { timeoutMs: 1_000, outputBytes: 1 }, new AbortController().signal);
    await run({ args: [] }).catch(({ code }) => console.log(code));`;
  const limited = ["-c", 'ulimit -n 60 && exec "$0" "$@"', process.execPath, "--input-type=module", "-e", script];
  expect(execFileSync("/bin/sh", limited, { encoding: "utf8" })).toBe("EMFILE\n");
});

/** A fake git that answers `config` and hangs on anything else; the file `begun` appears once it hangs. */
function endlessGit(): { readonly program: string; readonly begun: string } {
  const directory = tempDirectory();
  const program = path.join(directory, "git");
  const begun = path.join(directory, "begun");
  const script = `#!/bin/sh\ncase "$*" in *config*) exit 0;; esac\n: > '${begun}'\nexec /bin/sleep 600\n`;
  writeFileSync(program, script, { mode: 0o755 });
  return { program, begun };
}

test("git is stopped at its time limit", async () => {
  const session = gitSession({ programs: [endlessGit().program], limits: { timeoutMs: 500 } });
  const result = await session.run({ action: "status" });
  expect(result).toMatchObject({ isError: true, summary: "stopped after 0.5 s" });
  expect(readdirSync(session.temporary)).toEqual([]);
});

test("a cancelled call ends at once and leaves no process or files", async () => {
  const { program, begun } = endlessGit();
  const session = gitSession({ programs: [program] });
  const stop = new AbortController();
  const watcher = watch(path.dirname(begun), (_, name) => (name === "begun" ? stop.abort(new Error("stopped")) : null));
  await expect(session.run({ action: "status" }, stop.signal)).rejects.toThrow("stopped");
  watcher.close();
  expect(readdirSync(session.temporary)).toEqual([]);
});

test("every input field has a description for models", () => {
  const { properties } = z
    .object({ properties: z.record(z.string(), z.object({ description: z.string() })) })
    .parse(z.toJSONSchema(createGitTool().input, { io: "input" }));
  expect(Object.keys(properties)).toEqual(["action", "path", "revision", "staged", "count", "lines"]);
});

test("an unchanged configuration is not read again, and a changed one is", async () => {
  const session = gitSession();
  const { repository } = findRepository(session.root, "");
  const program = findGit(GIT_PROGRAMS) ?? "";
  const git = gitRunner(program, { timeoutMs: 60_000, outputBytes: 100_000 }, new AbortController().signal);
  let calls = 0;
  const counting: RunGit = (call) => {
    calls += 1;
    return git(call);
  };
  session.git(["config", "core.eol", "lf"]);
  const first = await readSettings(repository, counting);
  expect(await readSettings(repository, counting)).toEqual(first);
  expect(calls).toBe(1);
  session.git(["config", "core.eol", "crlf"]);
  expect((await readSettings(repository, counting)).harmless).toContainEqual(["core.eol", "crlf"]);
});

test("leftovers of a killed process are removed, and nothing else", async () => {
  const session = withHistory();
  const hourAgo = Date.now() / 1_000 - 3_601;
  for (const name of ["deckhand-git-killed", "deckhand-git-runs", "others"]) {
    mkdirSync(path.join(session.temporary, name));
    writeFileSync(path.join(session.temporary, name, "index"), "");
    if (name !== "deckhand-git-runs") utimesSync(path.join(session.temporary, name), hourAgo, hourAgo);
  }
  expect(await session.run({ action: "status" })).toMatchObject({ isError: false });
  expect(readdirSync(session.temporary).toSorted()).toEqual(["deckhand-git-runs", "others"]);
});
