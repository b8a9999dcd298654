interface Entry {
  readonly name: string;
  readonly isDirectory: boolean;
}

interface Globbing {
  readonly cwd: string;
  readonly dotglob: boolean;
  readonly fs: {
    resolvePath(base: string, path: string): string;
    readdir(path: string): Promise<readonly string[]>;
    lstat(path: string): Promise<{ readonly isDirectory: boolean }>;
  };
  checkOpsLimit(): void;
  expandSimple(pattern: string): Promise<string[]>;
  expandSegments(directory: string, named: string, segments: readonly string[]): Promise<string[]>;
}

/** The paths that a pattern with `**` names; those of directories need no slash where the pattern ends with one. */
export async function globstar(glob: Globbing, pattern: string): Promise<string[]> {
  const { head, rest } = parted(pattern);
  const bases = head === "" ? [""] : await glob.expandSimple(head);
  const found = await Promise.all(bases.map((base) => behind(glob, base, rest)));
  return [...new Set(found.flat())].sort();
}

/** Splits a pattern at its first `**`. */
function parted(pattern: string): { head: string; rest: string } {
  const at = pattern.indexOf("**");
  return { head: pattern.slice(0, at), rest: pattern.slice(at + "**".length).replace(/^(?:\/+\*\*)+/, "") };
}

async function behind(glob: Globbing, path: string, rest: string): Promise<string[]> {
  const base = path === "" || path.endsWith("/") ? path : `${path}/`;
  const entries = await below(glob, base);
  if (entries === null) return [];
  const directories = entries.filter(({ isDirectory }) => isDirectory).map(({ name }) => name);
  const self = base.replace(/(?<=.)\/$/, "");
  if (rest === "") return [...(path === "" ? [] : [path]), ...entries.map(({ name }) => name)];
  if (/^\/+$/.test(rest)) return [...(base === "" ? [] : [self]), ...directories];
  const found = await Promise.all([self, ...directories].map((directory) => within(glob, directory, rest)));
  return found.flat();
}

async function within(glob: Globbing, directory: string, pattern: string): Promise<string[]> {
  const { head, rest } = pattern.includes("**") ? parted(pattern) : { head: pattern, rest: null };
  const segments = head.split("/").filter((segment) => segment !== "");
  const paths = await glob.expandSegments(glob.fs.resolvePath(glob.cwd, directory || "."), directory, segments);
  if (rest === null) return paths;
  return (await Promise.all(paths.map((path) => behind(glob, path, rest)))).flat();
}

/** Entries of a directory, named with its path; null if it is not a directory. */
async function below(glob: Globbing, base: string): Promise<Entry[] | null> {
  glob.checkOpsLimit();
  const directory = glob.fs.resolvePath(glob.cwd, base || ".");
  const names = await glob.fs.readdir(directory).catch(() => null);
  if (names === null) return null;
  const found: Entry[] = [];
  for (const name of names) {
    if (name.startsWith(".") && !glob.dotglob) continue;
    const status = await glob.fs.lstat(glob.fs.resolvePath(directory, name)).catch(() => undefined);
    const entry = { name: base + name, isDirectory: status?.isDirectory === true };
    found.push(entry, ...((entry.isDirectory && (await below(glob, `${entry.name}/`))) || []));
  }
  return found;
}
