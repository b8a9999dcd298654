import { globSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { textOf } from "../../../src/core/protocol/messages.ts";
import { EVERY_LOOK, fill, type GitSession, nameInIndex, repository, set } from "./git-session.ts";

const SECRET = "top secret";

/** A repository beside the root, whose content must not be seen. */
function secretBeside(session: GitSession): string {
  const beside = path.join(path.dirname(session.root), "beside");
  mkdirSync(beside);
  fill(beside, "beside", () => {
    session.git(["init", "--quiet", "--template=", beside]);
    // Long enough for git to be stopped in the middle of its output, so that its exit code means nothing.
    writeFileSync(path.join(beside, "a.txt"), `${SECRET}\n`.repeat(20_000));
    writeFileSync(path.join(beside, "b.txt"), SECRET);
    session.git(["add", "."], "../beside");
    session.git(["commit", "--quiet", "--message", SECRET], "../beside");
  });
  return beside;
}

/** Breaks the repository, so that git compares any two files; `--` is one of them in its working directory. */
function noRepository({ root, put }: GitSession, broken: string): void {
  rmSync(path.join(root, ".git", broken), { recursive: true });
  put("--", "");
}

type Diversion = (session: GitSession, beside: string) => void;

/** Replaces an entry of `.git` by a link to the same entry of the other repository. */
const linked =
  (name: string): Diversion =>
  (session, beside) => {
    const own = path.join(session.root, ".git", name);
    rmSync(own, { recursive: true, force: true });
    symlinkSync(path.join(beside, ".git", name), own);
  };

const diversions: Readonly<Record<string, Diversion>> = {
  "core.worktree": (session, beside) => set(session, { "core.worktree": beside }),
  "a .git file": ({ root }, beside) => {
    renameSync(path.join(root, ".git"), path.join(root, "moved"));
    writeFileSync(path.join(root, ".git"), `gitdir: ${beside}/.git\n`);
  },
  "a relative .git file": ({ root }) => {
    renameSync(path.join(root, ".git"), path.join(root, "moved"));
    writeFileSync(path.join(root, ".git"), "gitdir: ../beside/.git\n");
  },
  "a .git link": ({ root }, beside) => {
    renameSync(path.join(root, ".git"), path.join(root, "moved"));
    symlinkSync(path.join(beside, ".git"), path.join(root, ".git"));
  },
  "a .git file to a link beneath the root": ({ root }, beside) => {
    renameSync(path.join(root, ".git"), path.join(root, "moved"));
    symlinkSync(path.join(beside, ".git"), path.join(root, "inside"));
    writeFileSync(path.join(root, ".git"), "gitdir: inside\n");
  },
  commondir: ({ root }, beside) => writeFileSync(path.join(root, ".git/commondir"), `${beside}/.git\n`),
  "linked objects": linked("objects"),
  "linked refs": linked("refs"),
  "linked index": linked("index"),
  "linked HEAD": linked("HEAD"),
  "linked configuration": linked("config"),
  "a linked folder of objects": ({ root }, beside) => {
    for (const folder of globSync(`${beside}/.git/objects/??`)) {
      const own = path.join(root, ".git/objects", path.basename(folder));
      rmSync(own, { recursive: true, force: true });
      symlinkSync(folder, own);
    }
  },
  "linked objects one by one": ({ root }, beside) => {
    for (const file of globSync("??/*", { cwd: path.join(beside, ".git/objects") })) {
      mkdirSync(path.join(root, ".git/objects", path.dirname(file)), { recursive: true });
      symlinkSync(path.join(beside, ".git/objects", file), path.join(root, ".git/objects", file));
    }
  },
  "a linked ref": ({ root }, beside) =>
    symlinkSync(path.join(beside, ".git/refs/heads/main"), path.join(root, ".git/refs/heads/theirs")),
  "a borrowed store of objects": ({ root }, beside) => {
    mkdirSync(path.join(root, ".git/objects/info"), { recursive: true });
    writeFileSync(path.join(root, ".git/objects/info/alternates"), `${beside}/.git/objects\n`);
  },
  "an absolute path in the index": (session, beside) => nameInIndex(session, `${beside}/a.txt`),
  "a path in the index that leads up": (session) => nameInIndex(session, "../beside/a.txt"),
  "a path in the index that leads up from a directory": (session) => nameInIndex(session, "dir/../../beside/a.txt"),
  "a path in the index that leads into .git": (session) => {
    set(session, { "remote.origin.url": SECRET });
    nameInIndex(session, ".git/config");
  },
  "a repository without HEAD": (session) => noRepository(session, "HEAD"),
  "a repository without refs": (session) => noRepository(session, "refs"),
  "a branch that leads up": ({ root, put }) => {
    rmSync(path.join(root, ".git/refs/heads/main"));
    put(".git/HEAD", "ref: refs/../../../beside/a.txt\n");
  },
  "a tracked directory that became a link": ({ root }, beside) => {
    rmSync(path.join(root, "dir"), { recursive: true });
    symlinkSync(beside, path.join(root, "dir"));
  },
  "a tracked file that became a link": ({ root }, beside) => {
    rmSync(path.join(root, "a.txt"));
    symlinkSync(path.join(beside, "a.txt"), path.join(root, "a.txt"));
  },
  "linked rules of what to ignore": ({ root }, beside) => {
    for (const name of [".gitignore", ".gitattributes", ".mailmap"]) {
      symlinkSync(path.join(beside, "a.txt"), path.join(root, name));
    }
  },
};

test.each(Object.entries(diversions))("git shows nothing from outside the root by %s", async (_, divert) => {
  const session = repository();
  const beside = secretBeside(session);
  const theirs = session.git(["rev-parse", "HEAD"], "../beside").trim();
  divert(session, beside);
  const looks = [
    ...EVERY_LOOK,
    { action: "blame", path: "dir/b.txt" },
    { action: "diff", path: "dir/b.txt" },
    { action: "show", revision: theirs },
    { action: "show", revision: `${theirs}:a.txt` },
    { action: "log", revision: theirs },
    { action: "diff", revision: path.join(beside, "a.txt") },
    { action: "diff", revision: path.join(beside, "a.txt"), path: "a.txt" },
    { action: "log", revision: "theirs" },
  ];
  const shown = await Promise.all(
    looks.map(async (look) => ({ look, text: textOf((await session.run(look)).content) })),
  );
  expect(shown.filter(({ text }) => text.includes(SECRET))).toEqual([]);
});
