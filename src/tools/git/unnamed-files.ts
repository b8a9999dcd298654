import { Refusal } from "../wasm/workspace/refusal.ts";
import type { GitCall, RunGit } from "./run-git.ts";

/** Matches `HEAD~2:src/main.ts`, but not searches such as `:/fix` and `HEAD^{/fix: it}`. */
const NAMED = /^[^{}]*:(?!\/)./u;

/**
 * Rejects revisions that name a file's content by its hash or by a tag, because most secrets are recognised by file
 * name. Throws Refusal.
 */
export async function refuseUnnamedFiles(revision: string, git: RunGit, where: Omit<GitCall, "args">): Promise<void> {
  const asked = revision.split(/\.{2,3}/u).filter((part) => part !== "" && !NAMED.test(part));
  if (asked.length === 0) return;
  const input = Buffer.from(asked.map((part) => `${part.replace(/^\^/u, "")}^{}\n`).join(""));
  const { stdout } = await git({ ...where, args: ["cat-file", "--batch-check=%(objecttype)"], input });
  if (/^blob$/mu.test(stdout))
    throw new Refusal(
      "That names a file's content without its path. Name a commit and a path instead, like `HEAD~2:src/main.ts`.",
    );
}
