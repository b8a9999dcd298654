import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { textOf } from "../../../src/core/protocol/messages.ts";
import { createExecutorWorktrees } from "../../../src/features/managed/worktrees/executor-worktrees.ts";
import { createGitTool } from "../../../src/tools/git.ts";
import { directoryPrint } from "../../support/program/directory-print.ts";
import { tempDirectory } from "../../support/temp-directory.ts";
import { toolContext } from "../../support/tool-context.ts";
import {
  commit,
  EVERY_LOOK,
  fill,
  type GitSession,
  gitSession,
  nameInIndex,
  repository,
  set,
} from "../../tools/git/git-session.ts";

const NOBODY = { personId: null, channelKey: "slack:C1" };

const { signal } = new AbortController();

/** An executor's copy of the session's root, and the git tool in it. */
async function copyOf(session: GitSession) {
  const worktrees = createExecutorWorktrees(tempDirectory());
  await worktrees.make("agt_1", { root: session.root, ...NOBODY }, signal);
  const { tree, git } = worktrees.of("agt_1");
  const tool = createGitTool({
    temporaryDirectory: session.temporary,
    worktreesOf: (root) => worktrees.at(root)?.git ?? null,
  });
  const look = async (input: object) => {
    const result = await tool.execute(input, toolContext({ sandboxRoot: tree, readOnly: true }), signal);
    return textOf(result.content);
  };
  const put = (file: string, content: string) => {
    mkdirSync(path.dirname(path.join(tree, file)), { recursive: true });
    writeFileSync(path.join(tree, file), content);
  };
  return { tree, kept: git, look, put };
}

test("an executor sees the history and its own changes beside uncommitted ones", async () => {
  const session = repository();
  session.put("staged.txt", "staged\n");
  session.git(["add", "staged.txt"]);
  const before = directoryPrint(path.join(session.root, ".git"));
  const copy = await copyOf(session);
  copy.put("dir/b.txt", "mine\n");
  copy.put("new.txt", "new\n");
  expect((await copy.look({ action: "status" })).split("\n")).toEqual([
    "## main",
    " M a.txt",
    " M dir/b.txt",
    "A  staged.txt",
    "?? new.txt",
  ]);
  const diff = await copy.look({ action: "diff" });
  expect(diff).toContain("-b\n+mine");
  expect(diff).toContain("-two\n+three");
  expect(await copy.look({ action: "diff", staged: true })).toContain("+staged");
  expect(await copy.look({ action: "log" })).toMatch(/second[^]*first/u);
  expect(await copy.look({ action: "show", revision: "HEAD~1:a.txt" })).toBe("one");
  expect(await copy.look({ action: "blame", path: "dir/b.txt" })).toContain("mine");
  expect(directoryPrint(path.join(session.root, ".git"))).toBe(before);
  expect(readdirSync(session.temporary)).toEqual([]);
});

test("commits, staging and branches in the root do not affect the executor's worktree", async () => {
  const session = repository();
  const copy = await copyOf(session);
  const looks = [{ action: "status" }, { action: "diff" }, { action: "log" }, { action: "show" }];
  const before = await Promise.all(looks.map(copy.look));
  commit(session, "third");
  session.git(["branch", "later"]);
  session.git(["gc", "--quiet", "--aggressive", "--prune=now"]);
  expect(await Promise.all(looks.map(copy.look))).toEqual(before);
  expect(await copy.look({ action: "log", revision: "later" })).toContain("later");
  expect(await copy.look({ action: "log" })).not.toContain("third");
});

test("files that a worktree omits do not count as deleted; deleted ones do", async () => {
  const session = gitSession();
  for (const name of ["a.txt", "gone.txt", "node_modules/x/index.js"]) session.put(name, `${name}\n`);
  symlinkSync("a.txt", path.join(session.root, "link"));
  session.git(["add", "--force", "--all"]);
  commit(session, "first");
  rmSync(path.join(session.root, "gone.txt"));
  const copy = await copyOf(session);
  rmSync(path.join(copy.tree, "a.txt"));
  expect((await copy.look({ action: "status" })).split("\n")).toEqual(["## main", " D a.txt", " D gone.txt"]);
});

test("each repository within a root gets its own worktree, and the innermost one applies", async () => {
  const session = gitSession({ empty: true });
  for (const name of ["service", "service/vendor/lib"]) {
    session.put(`${name}/file.txt`, "one\n");
    session.git(["init", "--quiet"], name);
    session.git(["add", "file.txt"], name);
    session.git(["commit", "--quiet", "--message", `begin ${name}`], name);
  }
  const copy = await copyOf(session);
  copy.put("service/vendor/lib/file.txt", "two\n");
  expect(await copy.look({ action: "log", path: "service/file.txt" })).toContain("begin service");
  expect(await copy.look({ action: "diff", path: "service/vendor/lib" })).toContain("-one\n+two");
  expect(await copy.look({ action: "log", path: "service/vendor/lib" })).toContain("begin service/vendor/lib");
  const none = "There is no git repository here.";
  expect(await copy.look({ action: "status" })).toBe(none);
  rmSync(path.join(copy.tree, "service"), { recursive: true });
  expect(await copy.look({ action: "status", path: "service" })).toBe(none);
});

test("a root that is no repository is copied plainly, and git reports that it is none", async () => {
  const session = gitSession({ empty: true });
  session.put("a.txt", "one\n");
  const copy = await copyOf(session);
  expect(await copy.look({ action: "status" })).toBe("There is no git repository here.");
  expect(readdirSync(path.dirname(copy.kept)).sort()).toEqual(["base", "size", "tree"]);
});

test("a repository without commits works in a worktree, too", async () => {
  const session = gitSession();
  session.put("a.txt", "one\n");
  const copy = await copyOf(session);
  expect(await copy.look({ action: "status" })).toBe("## No commits yet on main\n?? a.txt");
});

const SECRET = "top secret";

interface Hostile {
  readonly name: string;
  readonly spoil: (session: GitSession, beside: string, program: string) => void;
  /** True if the attack happens after the copy is made instead of before. */
  readonly late?: true;
}

const hostile: readonly Hostile[] = [
  {
    name: "a configuration that names programs",
    spoil: (session, _, program) =>
      set(session, {
        "core.fsmonitor": program,
        "core.hooksPath": path.dirname(program),
        "core.pager": program,
        "diff.external": program,
        "filter.evil.clean": program,
        "filter.evil.process": program,
        "diff.evil.textconv": program,
        "index.recordEndOfIndexEntries": "true",
      }),
  },
  {
    name: "objects borrowed from elsewhere",
    spoil: ({ root }, beside) =>
      writeFileSync(path.join(root, ".git/objects/info/alternates"), `${beside}/.git/objects\n`),
  },
  {
    name: "objects borrowed from elsewhere, later",
    spoil: ({ root }, beside) =>
      writeFileSync(path.join(root, ".git/objects/info/alternates"), `${beside}/.git/objects\n`),
    late: true,
  },
  {
    name: "objects that become a link",
    spoil: ({ root }, beside) => {
      rmSync(path.join(root, ".git/objects"), { recursive: true });
      symlinkSync(path.join(beside, ".git/objects"), path.join(root, ".git/objects"));
    },
    late: true,
  },
  {
    name: "refs that are a link",
    spoil: ({ root }, beside) => {
      rmSync(path.join(root, ".git/refs"), { recursive: true });
      symlinkSync(path.join(beside, ".git/refs"), path.join(root, ".git/refs"));
    },
  },
  {
    name: "an index that names files of outside",
    spoil: (session, beside) => nameInIndex(session, `${beside}/a.txt`),
  },
  {
    name: "a .git file that leads out",
    spoil: ({ root }, beside) => {
      rmSync(path.join(root, ".git"), { recursive: true });
      writeFileSync(path.join(root, ".git"), `gitdir: ${beside}/.git\n`);
    },
  },
];

test.each(hostile)(
  "$name: git in a worktree runs no foreign code and shows no file outside it",
  async ({ spoil, late }) => {
    const session = repository();
    const base = path.dirname(session.root);
    const beside = path.join(base, "beside");
    mkdirSync(beside);
    fill(beside, "small beside", () => {
      session.git(["init", "--quiet", "--template=", beside]);
      writeFileSync(path.join(beside, "a.txt"), SECRET);
      session.git(["add", "."], "../beside");
      session.git(["commit", "--quiet", "--message", SECRET], "../beside");
    });
    const theirs = session.git(["rev-parse", "HEAD"], "../beside").trim();
    const program = path.join(base, "hooks", "post-index-change");
    mkdirSync(path.dirname(program));
    writeFileSync(program, `#!/bin/sh\necho ran >> '${base}/ran'\ncat\n`, { mode: 0o755 });
    session.put(".gitattributes", "* filter=evil diff=evil\n");

    if (late !== true) spoil(session, beside, program);
    const copy = await copyOf(session);
    if (late === true) spoil(session, beside, program);
    copy.put("a.txt", "mine\n");
    const looks = [
      ...EVERY_LOOK,
      { action: "show", revision: theirs },
      { action: "show", revision: `${theirs}:a.txt` },
    ];
    const shown = await Promise.all(looks.map(copy.look));
    expect(shown.filter((text) => text.includes(SECRET))).toEqual([]);
    const inRoot = textOf((await session.run({ action: "status" })).content);
    // Git refuses in the copy what it refuses in the root, for the same reason.
    expect(late === true || (await copy.look({ action: "status" })) === inRoot).toBe(true);
    expect(readdirSync(base)).not.toContain("ran");
  },
);
