import path from "node:path";
import { ownDirectory, ownRoot } from "../../../core/agents/own-files.ts";

export interface ExecutorWorktree {
  /** The executor's sandbox root. */
  readonly tree: string;
  /** A copy of the files as they were when the work was handed out. */
  readonly base: string;
  /** Git data of the repositories that the files belong to. */
  readonly git: string;
  /** Logs of merged files, one per call. */
  readonly merges: string;
  /** For temporary files. */
  readonly scratch: string;
}

/** `childId` is the executor's session. */
export function executorWorktree(home: string, childId: string): ExecutorWorktree {
  const own = ownDirectory(home, childId);
  return {
    tree: ownRoot(home, childId),
    base: path.join(own, "base"),
    git: path.join(own, "git"),
    merges: path.join(own, "merges"),
    scratch: path.join(own, "scratch"),
  };
}
