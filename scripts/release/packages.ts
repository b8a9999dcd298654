import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { BUILT_PROGRAM, PACKAGES_OUTSIDE } from "../../src/launch/steps.mjs";

const names = z.record(z.string(), z.string()).default({});
const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({
      dependencies: names,
      optionalDependencies: names,
      peerDependencies: names,
      peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.boolean().default(false) })).default({}),
    }),
  ),
});

type Lock = z.infer<typeof lockSchema>["packages"];

/**
 * Directories of Node, of the packages that the program loads at run time, and of all their dependencies. Packages
 * missing from the lock file are optional, and those for other platforms are not installed.
 */
export function runtimePackages(root: string): string[] {
  const lock = lockSchema.parse(JSON.parse(readFileSync(path.join(root, "package-lock.json"), "utf8"))).packages;
  const outside = z
    .array(z.string())
    .parse(JSON.parse(readFileSync(path.join(root, BUILT_PROGRAM, PACKAGES_OUTSIDE), "utf8")));
  const found = new Set<string>();
  const take = (from: string, name: string) => {
    const directory = resolvePackage(lock, from, name);
    if (directory === null || found.has(directory) || !existsSync(path.join(root, directory))) return;
    found.add(directory);
    for (const needed of neededBy(lock, directory)) take(directory, needed);
  };
  for (const name of [...outside, nodePackage()]) take("", name);
  return [...found].toSorted();
}

/** Name of the package that contains Node for this machine. */
export function nodePackage(): string {
  return `node-${process.platform}-${process.arch}`;
}

function neededBy(lock: Lock, directory: string): string[] {
  const entry = lock[directory];
  if (entry === undefined) return [];
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = entry;
  const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
  return [...Object.keys(dependencies), ...Object.keys(optionalDependencies), ...peers];
}

/** Resolves like Node: the nearest `node_modules`, from the package's own directory upwards. */
function resolvePackage(lock: Lock, from: string, name: string): string | null {
  const directory = path.posix.join(from, "node_modules", name);
  if (lock[directory] !== undefined) return directory;
  if (from === "") return null;
  const parent = from.slice(0, Math.max(0, from.lastIndexOf("/node_modules/")));
  return resolvePackage(lock, parent, name);
}
