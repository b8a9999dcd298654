import path from "node:path";

/** An executor's own files, beneath the home and so outside every sandbox root. */
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
  const own = path.join(home, "executors", childId);
  return {
    tree: path.join(own, "tree"),
    base: path.join(own, "base"),
    git: path.join(own, "git"),
    merges: path.join(own, "merges"),
    scratch: path.join(own, "scratch"),
  };
}
