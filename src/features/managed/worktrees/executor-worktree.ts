import path from "node:path";
import { ownDirectory, ownRoot } from "../../../core/agents/own-files.ts";

/** An executor's own files. */
export interface ExecutorWorktree {
  /** Its sandbox root. */
  readonly tree: string;
  /** The files as they were when the work was handed out. */
  readonly base: string;
  /** What git is to know of the repositories that the files are of. */
  readonly git: string;
  /** What merging has made of files, by call. */
  readonly merges: string;
  /** For what is made on the way. */
  readonly scratch: string;
}

/** `childId`: of the executor's session. */
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
