import { existsSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { FileState } from "../../../../src/core/protocol/tool-result.ts";
import { createExecutorWorktrees } from "../../../../src/features/managed/worktrees/executor-worktrees.ts";
import { type MergedFile, mergeChanges } from "../../../../src/features/managed/worktrees/merge.ts";
import { type MergeLog, openMergeLog } from "../../../../src/features/managed/worktrees/merge-log.ts";
import { tempDirectory } from "../../../support/temp-directory.ts";

export const NOBODY = { personId: null, channelKey: "slack:C1" };

export const { signal } = new AbortController();

export interface Side {
  /** Content of the file; null if it is deleted. */
  readonly [path: string]: string | null;
}

/** Writes the files, and deletes those that are null. */
export function put(root: string, files: Side): void {
  for (const [file, content] of Object.entries(files)) {
    const at = path.join(root, file);
    mkdirSync(path.dirname(at), { recursive: true });
    if (content === null) unlinkSync(at);
    else writeFileSync(at, content);
  }
}

/** A root and its copy, after the changes `theirs` in the copy and `here` in the root. */
export async function copied(base: Side, { theirs = {}, here = {} }: { theirs?: Side; here?: Side }) {
  const directory = tempDirectory();
  const root = path.join(directory, "root");
  mkdirSync(root);
  put(root, base);
  const worktrees = createExecutorWorktrees(path.join(directory, "home"));
  await worktrees.make("agt_1", { root, ...NOBODY }, signal);
  const worktree = worktrees.of("agt_1");
  put(worktree.tree, theirs);
  put(root, here);
  const snapshots = path.join(directory, "home", "snapshots");
  const changes = () => worktrees.changes("agt_1", signal);
  const run = async (callId: string, { onNote = () => {}, by = signal, ...more }: Cutting = {}) => {
    const log = await openMergeLog(worktree, { runId: "run_1", callId });
    const noting: MergeLog = {
      ...log,
      note: async (state) => {
        await log.note(state);
        onNote(state);
      },
    };
    return mergeChanges(await changes(), { root, worktree, snapshots, log: noting, signal: by, ...more });
  };
  const merge = async (callId = "call_1"): Promise<readonly MergedFile[]> => (await run(callId)).files;
  const read = (at: string) => (existsSync(path.join(root, at)) ? readFileSync(path.join(root, at), "utf8") : null);
  return { root, worktrees, worktree, snapshots, changes, run, merge, read };
}

interface Cutting {
  /** Called after a file is noted and before it is replaced. */
  readonly onNote?: (state: FileState) => void;
  readonly by?: AbortSignal;
  readonly guardedFiles?: readonly string[];
}
