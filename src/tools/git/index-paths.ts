import { isGitName } from "../wasm/workspace/path-rules.ts";
import { Refusal } from "../wasm/workspace/refusal.ts";
import type { GitEnd } from "./run-git.ts";

/** Bytes of all names of an index: of about a million files. */
export const INDEX_BYTES = 64_000_000;

/** Lists them. */
export const INDEX_NAMES: readonly string[] = ["ls-files", "--cached", "-z"];

/**
 * Git compares what an index names with the file of that name, wherever that leads: its own commands put no such name
 * into one, but an index is a file that anyone can write. Throws Refusal when a name leads out of the work tree or into
 * `.git`, or the list is not whole.
 */
export function requireOwnPaths({ code, stdout, stderr, stopped }: GitEnd): void {
  if (stopped !== null) throw new Refusal("The repository's index is too large to be looked through.");
  if (code !== 0) throw new Refusal(`The repository's index cannot be read: ${stderr.trim()}`);
  if (OUTWARD.test(stdout) || namesGit(stdout))
    throw new Refusal("The repository's index names files outside of its work tree, so git cannot be used on it.");
}

/** An absolute path, or one with `..` in it. */
const OUTWARD = /(?:^|\0)\/|(?:^|[\0/])\.\.(?:[\0/]|$)/;

/** What only a name has that some file system takes for `.git`. A list may be of a million names: few are looked at. */
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
