import { splitPaths, type Workspace } from "../workspace.ts";

/** Maximum entries of one walk, enough for a large repository without its dependencies. */
const MAX_ENTRIES = 200_000;

/**
 * Lists the files beneath a directory. Hidden files and node_modules are included if the pattern or the path names
 * such.
 */
export function walk(workspace: Workspace, path: string, pattern: string): { paths: string[]; notes: string[] } {
  const named = `${path}/${pattern}`;
  const { paths, cut } = workspace.listFiles(path, {
    hidden: /(^|[/{,(|])\.[^./]/.test(named),
    dependencies: named.includes("node_modules"),
    maxEntries: MAX_ENTRIES,
  });
  const notes = cut ? [`[More than ${MAX_ENTRIES} entries: the rest was not searched. Set a narrower path.]`] : [];
  return { paths: splitPaths(paths), notes };
}
