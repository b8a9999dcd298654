import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { textOf } from "../../../src/core/protocol/messages.ts";
import { gitInput } from "../../../src/tools/git/command.ts";
import { tempDirectory } from "../../support/temp-directory.ts";
import { EVERY_LOOK, type GitSession, gitSession, repository, set } from "./git-session.ts";

/** A program that leaves a mark when it runs. */
interface Trap {
  readonly program: string;
  /** Whether the program has run; removes the mark. */
  readonly sprung: () => boolean;
}

function trap(): Trap {
  const directory = tempDirectory();
  const program = path.join(directory, "trap");
  const mark = path.join(directory, "mark");
  writeFileSync(program, `#!/bin/sh\n: > '${mark}'\n`, { mode: 0o755 });
  return {
    program,
    sprung: () => {
      const was = existsSync(mark);
      rmSync(mark, { force: true });
      return was;
    },
  };
}

interface Attack {
  readonly name: string;
  /** Sets the trap in a repository. */
  readonly prepare: (session: GitSession, program: string) => void;
  /** Arguments with which an ordinary git runs the trap. */
  readonly usual: readonly string[];
  readonly directory?: string;
}

const attribute = (session: GitSession, line: string): void => session.put(".git/info/attributes", `${line}\n`);

function signedCommit(session: GitSession): void {
  const raw = session.git(["cat-file", "commit", "HEAD"]);
  const signed = raw.replace("\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n x\n -----END PGP SIGNATURE-----\n\n");
  session.put(".git/signed", signed);
  const id = session.git(["hash-object", "-t", "commit", "-w", ".git/signed"]).trim();
  session.git(["update-ref", "HEAD", id]);
}

const attacks: readonly Attack[] = [
  {
    name: "core.fsmonitor",
    prepare: (session, program) => set(session, { "core.fsmonitor": program }),
    usual: ["status"],
  },
  {
    name: "core.fsmonitor in an included file",
    prepare: (session, program) => {
      session.put("included", `[core]\n\tfsmonitor = ${program}\n`);
      set(session, { "include.path": path.join(session.root, "included") });
    },
    usual: ["status"],
  },
  {
    name: "core.fsmonitor in a work tree's own configuration",
    prepare: (session, program) => {
      set(session, { "core.repositoryformatversion": "1", "extensions.worktreeConfig": "true" });
      session.put(".git/config.worktree", `[core]\n\tfsmonitor = ${program}\n`);
    },
    usual: ["status"],
  },
  {
    name: "diff.external",
    prepare: (session, program) => set(session, { "diff.external": program }),
    usual: ["diff"],
  },
  {
    name: "a diff driver's command",
    prepare: (session, program) => {
      set(session, { "diff.evil.command": program });
      attribute(session, "*.txt diff=evil");
    },
    usual: ["diff"],
  },
  {
    name: "textconv, by attributes in the work tree",
    prepare: (session, program) => {
      set(session, { "diff.evil.textconv": program });
      session.put(".gitattributes", "*.txt diff=evil\n");
    },
    usual: ["diff"],
  },
  {
    name: "a clean filter",
    prepare: (session, program) => {
      set(session, { "filter.evil.clean": program });
      attribute(session, "*.txt filter=evil");
    },
    usual: ["diff"],
  },
  {
    name: "a filter process",
    prepare: (session, program) => {
      set(session, { "filter.evil.process": program });
      attribute(session, "*.txt filter=evil");
    },
    usual: ["diff"],
  },
  {
    name: "a hook",
    prepare: (session, program) => {
      mkdirSync(path.join(session.root, ".git/hooks"), { recursive: true });
      symlinkSync(program, path.join(session.root, ".git/hooks/post-index-change"));
      utimesSync(path.join(session.root, "dir/b.txt"), 1, 1); // the index is refreshed, and written
    },
    usual: ["status"],
  },
  {
    name: "a hook in core.hooksPath",
    prepare: (session, program) => {
      session.put("hooks/none", "");
      symlinkSync(program, path.join(session.root, "hooks/post-index-change"));
      set(session, { "core.hooksPath": path.join(session.root, "hooks") });
      utimesSync(path.join(session.root, "dir/b.txt"), 1, 1);
    },
    usual: ["status"],
  },
  {
    name: "gpg.program",
    prepare: (session, program) => {
      signedCommit(session);
      set(session, { "gpg.program": program, "log.showSignature": "true" });
    },
    usual: ["log"],
  },
  {
    name: "core.sshCommand, for an object that is to be fetched",
    prepare: (session, program) => {
      const id = session.git(["rev-parse", "HEAD:dir/b.txt"]).trim();
      rmSync(path.join(session.root, ".git/objects", id.slice(0, 2), id.slice(2)));
      rmSync(path.join(session.root, "dir/b.txt"));
      set(session, {
        "core.repositoryformatversion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.url": "ssh://127.0.0.1/x",
        "remote.origin.promisor": "true",
        "core.sshCommand": program,
      });
    },
    usual: ["diff"],
  },
  {
    name: "a submodule's own configuration",
    prepare: (session, program) => {
      session.git(["clone", "--quiet", ".", "sub"]);
      session.git(["submodule", "--quiet", "add", "./sub", "sub"]);
      set(session, { "core.fsmonitor": program }, "sub");
    },
    usual: ["status"],
  },
  {
    name: "a directory that looks like a bare repository",
    prepare: (session, program) => {
      session.git(["init", "--quiet", "--bare", "bare"]);
      set(session, { "core.bare": "false", "core.worktree": session.root, "core.fsmonitor": program }, "bare");
    },
    usual: ["status"],
    directory: "bare",
  },
];

test.each(attacks)(
  "git runs no program configured by the repository: $name",
  async ({ prepare, usual, directory = "" }) => {
    const session = repository();
    const { program, sprung } = trap();
    prepare(session, program);
    const paths = directory === "" ? [{}] : [{}, { path: directory }];
    for (const look of EVERY_LOOK) {
      for (const where of paths) await session.run({ ...where, ...look });
      expect({ look, sprung: sprung() }).toEqual({ look, sprung: false });
    }
    try {
      session.git(usual, directory); // some traps make git fail, too
    } catch (error) {
      expect(error).toHaveProperty("status");
    }
    expect(sprung()).toBe(true);
  },
);

test.each([
  ["GIT_EXTERNAL_DIFF", ["diff"]],
  ["GIT_CONFIG_PARAMETERS", ["status"]],
] as const)("git does not receive %s of the bot's environment", async (name, usual) => {
  const session = repository();
  const { program, sprung } = trap();
  process.env[name] = name === "GIT_EXTERNAL_DIFF" ? program : `'core.fsmonitor=${program}'`;
  onTestFinished(() => void delete process.env[name]);
  for (const look of EVERY_LOOK) await session.run(look);
  expect(sprung()).toBe(false);
  execFileSync("git", [...usual], { cwd: session.root, stdio: "ignore" });
  expect(sprung()).toBe(true);
});

const optionLike = ["--output=stolen", "-Ostolen", "--no-index", "--ext-diff", "--textconv", "--", "-p"];

test.each(optionLike)("%s is accepted neither as a revision nor as an option", async (word) => {
  const session = repository();
  for (const action of ["diff", "log", "show", "blame"]) {
    expect(gitInput.safeParse({ action, revision: word, path: "a.txt" }).success).toBe(false);
    const asPath = await session.run({ action, path: word });
    expect(textOf(asPath.content)).not.toContain("usage");
  }
  expect(readdirSync(session.root).sort()).toEqual([".git", "a.txt", "dir"]);
});

test("no action changes anything in .git", async () => {
  const session = repository();
  const dotGit = path.join(session.root, ".git");
  const state = (): string[] =>
    globSync("**", { cwd: dotGit })
      .sort()
      .map((name) => {
        const file = path.join(dotGit, name);
        const stats = statSync(file);
        const content = stats.isFile() ? createHash("sha256").update(readFileSync(file)).digest("hex") : "";
        return `${name} ${stats.mtimeMs} ${stats.ino} ${content}`;
      });
  utimesSync(path.join(session.root, "dir/b.txt"), 1, 1);
  const before = state();
  for (const look of EVERY_LOOK) await session.run(look);
  expect(state()).toEqual(before);
  expect(readdirSync(session.temporary)).toEqual([]);
});

test("reading a sparse index writes no tree objects to .git", async () => {
  const session = repository();
  session.git(["checkout", "--quiet", "--", "."]);
  session.git(["sparse-checkout", "set", "--cone", "--sparse-index", "none"]);
  session.put("a.txt", "staged\n");
  session.git(["add", "a.txt"]);
  const objects = path.join(session.root, ".git/objects");
  for (let folder = 0; folder < 256; folder++)
    mkdirSync(path.join(objects, folder.toString(16).padStart(2, "0")), { recursive: true });
  const before = globSync("**", { cwd: objects }).sort();
  const diff = await session.run({ action: "diff", staged: true });
  expect(textOf(diff.content)).toContain("+staged");
  expect(globSync("**", { cwd: objects }).sort()).toEqual(before);
});

test("named pipes in the work tree do not block", async () => {
  const session = repository();
  rmSync(path.join(session.root, "a.txt"));
  for (const name of ["a.txt", "new"]) execFileSync("mkfifo", [path.join(session.root, name)]);
  for (const look of EVERY_LOOK) {
    const { summary = "" } = await session.run(look);
    expect({ look, stopped: summary.startsWith("stopped") }).toEqual({ look, stopped: false });
  }
});

test("a named pipe as .gitignore costs at most the time limit", async () => {
  const session = gitSession({ limits: { timeoutMs: 500 } });
  execFileSync("mkfifo", [path.join(session.root, ".gitignore")]);
  expect(await session.run({ action: "status" })).toMatchObject({ isError: true, summary: "stopped after 0.5 s" });
});

test("a very large file is listed in a diff, not compared", async () => {
  const session = repository();
  const program = path.join(session.temporary, "fill");
  writeFileSync(program, Buffer.alloc(20_000_000));
  const id = session.git(["hash-object", "-w", program]).trim();
  session.git(["update-index", "--cacheinfo", `100644,${id},a.txt`]);
  session.git(["commit", "--quiet", "--message", "large"]);
  const shown = await session.run({ action: "show" });
  expect(textOf(shown.content)).toContain("a.txt | Bin");
});

test("a damaged repository gives an error instead of a crash", async () => {
  const session = repository();
  appendFileSync(path.join(session.root, ".git/index"), "garbage");
  writeFileSync(path.join(session.root, ".git/config"), "[core\n");
  const said = async () => {
    const result = await session.run({ action: "status" });
    expect(result.isError).toBe(true);
    return textOf(result.content);
  };
  expect(await said()).toContain("configuration cannot be read");
  writeFileSync(path.join(session.root, ".git/config"), `[a]\n${"b = c\n".repeat(100_000)}`);
  expect(await said()).toContain("configuration is too large");
  writeFileSync(path.join(session.root, ".git/config"), "");
  writeFileSync(path.join(session.root, ".git/index"), "garbage");
  expect(await said()).toMatch(/index cannot be read: (error|fatal)/u);
  truncateSync(path.join(session.root, ".git/index"), 512_000_001);
  expect(await said()).toContain(".git/index is too large");
  writeFileSync(path.join(session.root, ".git/HEAD"), "main\n");
  expect(await said()).toContain("HEAD names neither a branch nor a commit");
});
