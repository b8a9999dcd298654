import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { ToolResult } from "../../../src/core/protocol/tool-result.ts";
import { createGitTool, type GitOptions } from "../../../src/tools/git.ts";
import { tempDirectory } from "../../support/temp-directory.ts";
import { toolContext } from "../../support/tool-context.ts";

export interface GitSession {
  readonly root: string;
  /** Directory with one subdirectory for each running call; empty if none runs. */
  readonly temporary: string;
  /** Runs the system's git in the root, or a directory of it, as a person would. */
  readonly git: (args: readonly string[], directory?: string) => string;
  readonly put: (file: string, content: string | Uint8Array) => void;
  run(input: object, signal?: AbortSignal): Promise<ToolResult>;
}

const AUTHOR = [
  "-c",
  "user.name=Ada",
  "-c",
  "user.email=ada@example.org",
  "-c",
  "init.defaultBranch=main",
  "-c",
  "protocol.file.allow=always",
];

/** A sandbox root that is a repository unless `empty`, and the tool on it. */
export function gitSession(options: GitOptions & { readonly empty?: boolean } = {}): GitSession {
  const base = tempDirectory();
  const root = path.join(base, "root");
  const temporary = path.join(base, "temporary");
  mkdirSync(root);
  mkdirSync(temporary);
  const tool = createGitTool({ temporaryDirectory: temporary, ...options });
  const git = (args: readonly string[], directory = ""): string =>
    execFileSync("git", [...AUTHOR, ...args], { cwd: path.join(root, directory), encoding: "utf8", stdio: "pipe" });
  if (options.empty !== true) git(["init", "--quiet"]);
  return {
    root,
    temporary,
    git,
    put: (file, content) => {
      mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
      writeFileSync(path.join(root, file), content);
    },
    run: (input, signal = new AbortController().signal) =>
      tool.execute(input, toolContext({ sandboxRoot: root, readOnly: true }), signal),
  };
}

/** Writes a name into the index that git itself would refuse. */
export function nameInIndex({ root, git, put }: GitSession, name: string): void {
  const honest = "x".repeat(name.length);
  put(honest, "");
  git(["add", honest]);
  rmSync(path.join(root, honest));
  const index = path.join(root, ".git/index");
  writeFileSync(index, readFileSync(index, "latin1").replace(honest, name), "latin1");
}

/** Commits all files. */
export function commit(session: GitSession, message: string): void {
  session.git(["add", "--all"]);
  session.git(["commit", "--quiet", "--allow-empty", "--message", message]);
}

/** A file with its content, or a directory with null. */
type Entry = readonly [at: string, content: Buffer | null];

/** Contents of the repositories made so far, by name; copying one is much faster than starting git eight times. */
const made = new Map<string, readonly Entry[]>();

/** Fills an empty directory by `make`, or by a copy of what `make` first produced under this name. */
export function fill(directory: string, name: string, make: () => void): void {
  const known = made.get(name);
  if (known !== undefined) {
    for (const [at, content] of known) {
      if (content === null) mkdirSync(path.join(directory, at), { recursive: true });
      else writeFileSync(path.join(directory, at), content);
    }
    return;
  }
  make();
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true }).map((entry): Entry => {
    const at = path.join(entry.parentPath, entry.name);
    return [path.relative(directory, at), entry.isDirectory() ? null : readFileSync(at)];
  });
  const directories = entries.filter(([, content]) => content === null);
  made.set(name, [...directories, ...entries.filter(([, content]) => content !== null)]);
}

/** A repository with two commits and an uncommitted change. */
export function repository(): GitSession {
  const session = gitSession({ empty: true });
  fill(session.root, "repository", () => {
    session.git(["init", "--quiet", "--template="]);
    session.put("a.txt", "one\n");
    session.put("dir/b.txt", "b\n");
    commit(session, "first");
    session.put("a.txt", "two\n");
    commit(session, "second");
    session.put("a.txt", "three\n");
  });
  return session;
}

/** Puts settings into a repository's own configuration. */
export const set = (session: GitSession, settings: Readonly<Record<string, string>>, directory = ""): void => {
  for (const [name, value] of Object.entries(settings)) session.git(["config", name, value], directory);
};

/** Calls that together exercise every part of git that the tool uses. */
export const EVERY_LOOK = [
  { action: "status" },
  { action: "diff" },
  { action: "diff", staged: true },
  { action: "diff", revision: "HEAD~1" },
  { action: "log" },
  { action: "show" },
  { action: "show", revision: "HEAD:a.txt" },
  { action: "blame", path: "a.txt" },
  { action: "blame", path: "a.txt", revision: "HEAD" },
];
