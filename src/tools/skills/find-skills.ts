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

export interface FoundSkills {
  /** Paths within the directory: folders, or files of commands. */
  readonly found: readonly string[];
  /** Files named almost like a skill's file, by their paths within the directory. */
  readonly misnamed: readonly string[];
}

/** Finds the folders with a SKILL.md, and links that may lead to such. Folders without one are searched in turn. */
export function skillFolders(resolver: PathResolver, directory: string): FoundSkills {
  const found: string[] = [];
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
      if (entry.isSymbolicLink() || mayBeSkill(resolver, `${directory}/${place}`)) found.push(place);
      else if (depth < MAX_DEPTH && looked < MAX_LOOKED) {
        looked += 1;
        look(place, depth + 1);
      }
    }
  };
  look("", 1);
  return { found, misnamed };
}

/** True also if the folder is unreadable; reading the skill then reports why. */
function mayBeSkill(resolver: PathResolver, folder: string): boolean {
  return unlessRefused(() => resolver.entry(`${folder}/${SKILL_FILE}`).stats !== null) ?? true;
}

/** Finds the files of commands, those in subfolders last. */
export function commandFiles(resolver: PathResolver, directory: string, depth = 1): FoundSkills {
  const entries = entriesOf(resolver, directory);
  const files = entries.filter(({ name }) => name.endsWith(".md") && name !== "README.md");
  const folders = depth < COMMAND_DEPTH ? entries.filter((entry) => entry.isDirectory()) : [];
  const within = folders.flatMap(({ name }) =>
    commandFiles(resolver, `${directory}/${name}`, depth + 1).found.map((file) => `${name}/${file}`),
  );
  return { found: [...files.map(({ name }) => name), ...within], misnamed: [] };
}

/** Entries in order of name. A missing or unreadable directory has none. */
function entriesOf(resolver: PathResolver, directory: string): Dirent[] {
  const entries =
    unlessRefused(() => readdirSync(resolver.directory(directory).at("."), { withFileTypes: true })) ?? [];
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}
