import path from "node:path";

/** Where sessions have directories of their own. `home`: the directory of all state. */
export function ownDirectories(home: string): string {
  return path.join(home, "executors");
}

/** A session's own directory, beneath the home and so outside every sandbox root. It goes with the session. */
export function ownDirectory(home: string, sessionId: string): string {
  return path.join(ownDirectories(home), sessionId);
}

/** The sandbox root of a sub-agent that works in files of its own. */
export function ownRoot(home: string, sessionId: string): string {
  return path.join(ownDirectory(home, sessionId), "tree");
}
