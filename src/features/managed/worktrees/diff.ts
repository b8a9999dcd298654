import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { escaped } from "../../../core/text/plain-text.ts";
import { withoutCommittedSecrets } from "../../../tools/git/committed-secrets.ts";
import { findGit, GIT_PROGRAMS, type GitCall, type GitEnd, gitRunner } from "../../../tools/git/run-git.ts";
import type { ExecutorWorktree } from "./executor-worktree.ts";
import type { WorktreeChange } from "./executor-worktrees.ts";

const LIMITS = { timeoutMs: 20_000, outputBytes: 16_000_000 };
/** Maximum exit code of `git merge-file` that still means a number of conflicts. */
const MAX_CONFLICTS = 127;
/** Maximum length of a diff for a model, in characters. */
const DIFF_CHARS = 12_000;

/** Runs git on plain files, outside any repository and without the machine's configuration. Null without git. */
async function git(
  call: Omit<GitCall, "env">,
  worktree: ExecutorWorktree,
  signal: AbortSignal,
): Promise<GitEnd | null> {
  const program = findGit(GIT_PROGRAMS);
  if (program === null) return null;
  const own = path.dirname(worktree.tree);
  const env = { GIT_CEILING_DIRECTORIES: path.dirname(own) };
  return gitRunner(program, LIMITS, signal)({ ...call, cwd: own, env });
}

/** A path on one line, escaped if it contains line breaks or characters that reorder text. */
export function plainPath(file: string): string {
  return /[\p{Cc}\p{Cf}\u2028\u2029]/u.test(file)
    ? JSON.stringify(file).replaceAll(/[\p{Cf}\u2028\u2029]/gu, escaped)
    : file;
}

export interface DiffArgs {
  readonly worktree: ExecutorWorktree;
  readonly signal: AbortSignal;
  /** Show the whole diff, for people who decide on it; a model gets only part of a long one. */
  readonly whole?: boolean;
}

/** One line per changed file, followed by the diff. */
export async function describeChanges(
  changes: readonly WorktreeChange[],
  { worktree, signal, whole = false }: DiffArgs,
): Promise<string> {
  if (changes.length === 0) return "It changed no files.";
  const list = changes.map(({ kind, path: file }) => `${kind}: ${plainPath(file)}`).join("\n");
  const args = [
    "diff",
    "--no-index",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-prefix",
    "--no-renames",
    "base",
    "tree",
  ];
  const shown = shownDiff(await git({ args }, worktree, signal), whole);
  return `${list}${shown === "" ? "" : `\n\n${shown}`}`;
}

/** Always says if something is missing, since people decide by this text. */
function shownDiff(end: GitEnd | null, whole: boolean): string {
  if (end === null) return "[The lines cannot be shown: git is not installed on this machine.]";
  if (end.stopped !== null) return "[There are too many lines to show.]";
  const stdout = withoutCommittedSecrets(end.stdout, "");
  if (whole || stdout.length <= DIFF_CHARS) return stdout;
  return `${stdout.slice(0, DIFF_CHARS).toWellFormed()}\n… ${stdout.length - DIFF_CHARS} more characters …`;
}

/** The merged text, or a few words why the texts cannot be merged. */
export async function mergedText(
  texts: Readonly<Record<"here" | "base" | "theirs", Uint8Array>>,
  worktree: ExecutorWorktree,
  signal: AbortSignal,
): Promise<{ readonly text: string } | { readonly why: string }> {
  await mkdir(worktree.scratch, { recursive: true });
  const names = ["here", "base", "theirs"] as const;
  for (const name of names) await writeFile(path.join(worktree.scratch, name), texts[name]);
  const files = names.map((name) => path.join("scratch", name));
  const end = await git({ args: ["merge-file", "-p", ...files] }, worktree, signal);
  if (end === null) return { why: "changed on both sides, and git is not installed to merge the lines" };
  // Git may finish before it can be stopped, but its output is cut all the same.
  const isWhole = end.stopped === null && end.code !== null && end.code <= MAX_CONFLICTS;
  if (!isWhole) return { why: "changed on both sides, and too large to merge" };
  return end.code === 0 ? { text: end.stdout } : { why: "the same lines are changed on both sides" };
}
