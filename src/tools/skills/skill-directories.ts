import path from "node:path";
import type { SkillOrigin } from "../../core/skills/skills.ts";

export interface SkillDirectory {
  /**
   * Whether skills are folders with a SKILL.md, or single files (also in subfolders), which are other programs'
   * commands.
   */
  readonly holds: "folders" | "commands";
  readonly origin: SkillOrigin;
  /** Absolute path against which paths in the directory are verified. */
  readonly root: string;
  /** Relative to the root. */
  readonly directory: string;
  /** Suffix shown to people after a file's path. */
  readonly owner: string;
}

/** Where a sandbox root has skills: the bot's own places first, then those of other agents. */
const PROJECT_DIRECTORIES = [
  "extensions/skills",
  ".agents/skills",
  ".claude/skills",
  ".github/skills",
  ".cursor/skills",
  ".codex/skills",
  ".opencode/skills",
  ".gemini/skills",
];
const PROJECT_COMMANDS = [".claude/commands", ".cursor/commands", ".opencode/commands", ".opencode/command"];
const OWN_DIRECTORY = "extensions/skills";
const HOME_COMMANDS = "extensions/commands";

/** Absolute paths of the directory of all state and of Deckhand's installation. */
export interface OwnSkillRoots {
  readonly home: string;
  readonly application: string;
}

/** Directories to search for skills; of several skills with the same name, the first wins. */
export function skillDirectories(sandboxRoot: string, { home, application }: OwnSkillRoots): readonly SkillDirectory[] {
  const project = { origin: "project" as const, root: path.resolve(sandboxRoot), owner: "" };
  const own = { origin: "home" as const, root: path.resolve(home), owner: " of the home" };
  const shipped = { origin: "application" as const, root: path.resolve(application), owner: " of Deckhand" };
  return [
    ...PROJECT_DIRECTORIES.map((directory) => ({ ...project, holds: "folders" as const, directory })),
    ...PROJECT_COMMANDS.map((directory) => ({ ...project, holds: "commands" as const, directory })),
    { ...own, holds: "folders", directory: OWN_DIRECTORY },
    { ...own, holds: "commands", directory: HOME_COMMANDS },
    { ...shipped, holds: "folders", directory: OWN_DIRECTORY },
  ];
}
