import { type Dirent, readdirSync } from "node:fs";
import type { PathResolver } from "../wasm/workspace/path-resolver.ts";
import { unlessRefused } from "../wasm/workspace/refusal.ts";

/** The file that makes a folder a skill. */
export const SKILL_FILE = "SKILL.md";
/** Maximum folder depth searched for commands, and for skills: `<checkout>/plugins/<plugin>/skills/<name>`. */
const COMMAND_DEPTH = 3;
export const MAX_DEPTH = 5;
/** Maximum number of folders without a SKILL.md that are searched, since one may hold a whole checkout. */
const MAX_LOOKED = 500;
/** Maximum number of folders visited in all. Every request searches again, and nothing else runs meanwhile. */
const MAX_ENTRIES = 2_000;
/** Folders that never hold skills of the bot. */
const OTHERS = new Set(["node_modules", ".git"]);

/**
 * Calls `visit` for each folder, and each link that may lead to one, by its path within the directory. Folders for which
 * it returns false, because they have no SKILL.md, are searched in turn. Returns the paths of files named almost like
 * SKILL.md.
 */
export function eachSkillFolder(
  resolver: PathResolver,
  directory: string,
  visit: (folder: string) => boolean,
): readonly string[] {
  const misnamed: string[] = [];
  let looked = 0;
  let entries = 0;
  const look = (folder: string, depth: number): void => {
    for (const entry of entriesOf(resolver, folder === "" ? directory : `${directory}/${folder}`)) {
      const place = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (folder !== "" && entry.isFile() && entry.name.toUpperCase() === SKILL_FILE.toUpperCase())
        misnamed.push(place);
      if (OTHERS.has(entry.name) || !(entry.isDirectory() || entry.isSymbolicLink())) continue;
      if (entries === MAX_ENTRIES) return;
      entries += 1;
      if (visit(place) || entry.isSymbolicLink() || depth === MAX_DEPTH || looked === MAX_LOOKED) continue;
      looked += 1;
      look(place, depth + 1);
    }
  };
  look("", 1);
  return misnamed;
}

/** Paths of commands' files within the directory, those in subfolders last. */
export function commandFiles(resolver: PathResolver, directory: string, depth = 1): readonly string[] {
  const entries = entriesOf(resolver, directory);
  const files = entries.filter(({ name }) => name.endsWith(".md") && name !== "README.md");
  const folders = depth < COMMAND_DEPTH ? entries.filter((entry) => entry.isDirectory()) : [];
  const within = folders.flatMap(({ name }) =>
    commandFiles(resolver, `${directory}/${name}`, depth + 1).map((file) => `${name}/${file}`),
  );
  return [...files.map(({ name }) => name), ...within];
}

/** Entries in order of name. A missing or unreadable directory has none. */
function entriesOf(resolver: PathResolver, directory: string): Dirent[] {
  const entries =
    unlessRefused(() => readdirSync(resolver.directory(directory).at("."), { withFileTypes: true })) ?? [];
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}
