import { isGitName } from "../wasm/workspace/path-rules.ts";
import { Refusal } from "../wasm/workspace/refusal.ts";
import type { GitEnd } from "./run-git.ts";

/** Maximum bytes of all names in an index, enough for about a million files. */
export const INDEX_BYTES = 64_000_000;

export const INDEX_NAMES: readonly string[] = ["ls-files", "--cached", "-z"];

/**
 * Rejects an index whose names leave the work tree. Git compares each name in the index with the file of that name,
 * wherever it leads; git's own commands add no such names, but an index is a file that anyone can write. Throws Refusal
 * if a name leads out of the work tree or into `.git`, or if the list is incomplete.
 */
export function requireOwnPaths({ code, stdout, stderr, stopped }: GitEnd): void {
  if (stopped !== null) throw new Refusal("The repository's index is too large to check, so git cannot be used on it.");
  if (code !== 0) throw new Refusal(`The repository's index cannot be read: ${stderr.trim()}`);
  if (OUTWARD.test(stdout) || namesGit(stdout))
    throw new Refusal("The repository's index names files outside its work tree, so git cannot be used on it.");
}

/** An absolute path, or one with `..` in it. */
const OUTWARD = /(?:^|\0)\/|(?:^|[\0/])\.\.(?:[\0/]|$)/;

/** Quick filter for names that some file system may treat as `.git`, since a list may hold a million names. */
const PERHAPS_GIT = /\.git|git~|[^\0-\x7f]/gi;

function namesGit(list: string): boolean {
  let looked = 0;
  for (const { index } of list.matchAll(PERHAPS_GIT)) {
    if (index < looked) continue;
    looked = list.indexOf("\0", index);
    const name = list.slice(list.lastIndexOf("\0", index) + 1, looked);
    if (name.split("/").some(isGitName)) return true;
  }
  return false;
}
