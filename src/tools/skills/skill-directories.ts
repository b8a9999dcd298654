import path from "node:path";
import type { SkillOrigin } from "../../core/skills/skills.ts";

/** A directory of skills. */
export interface SkillDirectory {
  /** Whether each is a folder with a SKILL.md, or a file, also in folders of it: a command of another program. */
  readonly holds: "folders" | "commands";
  readonly origin: SkillOrigin;
  /** What paths in it are checked against: absolute. */
  readonly root: string;
  /** Relative to the root. */
  readonly directory: string;
  /** What follows a file's path when people are told of it. */
  readonly owner: string;
}

/** Where a sandbox root has skills: ours first, then where those for other agents lie. */
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

/** Absolute paths: of the directory of all state, and of where Deckhand itself lies. */
export interface OwnSkillRoots {
  readonly home: string;
  readonly application: string;
}

/** Where skills are looked for; of several with one name the first wins. */
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
