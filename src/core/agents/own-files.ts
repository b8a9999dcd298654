import path from "node:path";

/** The parent of sessions' own directories. `home` is the directory of all state. */
export function ownDirectories(home: string): string {
  return path.join(home, "executors");
}

/** A session's own directory, which is outside every sandbox root and is deleted with the session. */
export function ownDirectory(home: string, sessionId: string): string {
  return path.join(ownDirectories(home), sessionId);
}

/** The sandbox root of a sub-agent that works in its own copy of the files. */
export function ownRoot(home: string, sessionId: string): string {
  return path.join(ownDirectory(home, sessionId), "tree");
}
