import { type Dirent, readdirSync } from "node:fs";
import type { PathResolver } from "../wasm/workspace/path-resolver.ts";
import { unlessRefused } from "../wasm/workspace/refusal.ts";

/** What a folder is a skill by. */
export const SKILL_FILE = "SKILL.md";
/** Folders within each other that commands are looked for in; and skills: `<checkout>/plugins/<plugin>/skills/<name>`. */
const COMMAND_DEPTH = 3;
export const MAX_DEPTH = 5;
/** Folders without a SKILL.md that are looked into: one may hold a whole checkout. */
const MAX_LOOKED = 500;
/** Folders that are looked at in all. Each request looks anew, and meanwhile nobody else is served. */
const MAX_ENTRIES = 2_000;
/** Folders that hold no skills of ours, whatever is in them. */
const OTHERS = new Set(["node_modules", ".git"]);

export interface FoundSkills {
  /** By their paths in the directory: folders, or commands' files. */
  readonly found: readonly string[];
  /** Files that are called almost as a skill's is, by their paths in the directory. */
  readonly misnamed: readonly string[];
}

/** Folders with a SKILL.md, and links, which may be such: of a folder that has none, those in it. */
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

/** Also where it cannot be seen: whoever reads it says why. */
function mayBeSkill(resolver: PathResolver, folder: string): boolean {
  return unlessRefused(() => resolver.entry(`${folder}/${SKILL_FILE}`).stats !== null) ?? true;
}

/** Commands, those of folders last. */
export function commandFiles(resolver: PathResolver, directory: string, depth = 1): FoundSkills {
  const entries = entriesOf(resolver, directory);
  const files = entries.filter(({ name }) => name.endsWith(".md") && name !== "README.md");
  const folders = depth < COMMAND_DEPTH ? entries.filter((entry) => entry.isDirectory()) : [];
  const within = folders.flatMap(({ name }) =>
    commandFiles(resolver, `${directory}/${name}`, depth + 1).found.map((file) => `${name}/${file}`),
  );
  return { found: [...files.map(({ name }) => name), ...within], misnamed: [] };
}

/** In order of name. A directory that is not there, or that nobody may list, has none. */
function entriesOf(resolver: PathResolver, directory: string): Dirent[] {
  const entries =
    unlessRefused(() => readdirSync(resolver.directory(directory).at("."), { withFileTypes: true })) ?? [];
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}
