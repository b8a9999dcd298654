import path from "node:path";
import type { SkillOrigin } from "../../core/skills/skills.ts";

/** A directory whose folders are skills. */
export interface SkillDirectory {
  readonly origin: SkillOrigin;
  /** What paths in it are checked against: absolute. */
  readonly root: string;
  /** Relative to the root. */
  readonly directory: string;
  /** What follows a file's path when people are told of it. */
  readonly owner: string;
}

/** Where a sandbox root has skills: ours first, then where those for other agents lie. */
const PROJECT_DIRECTORIES = ["extensions/skills", ".agents/skills", ".claude/skills"];
const OWN_DIRECTORY = "extensions/skills";

/** Absolute paths: of the directory of all state, and of where Deckhand itself lies. */
export interface OwnSkillRoots {
  readonly home: string;
  readonly application: string;
}

/** Where skills are looked for; of several with one name the first wins. */
export function skillDirectories(sandboxRoot: string, { home, application }: OwnSkillRoots): readonly SkillDirectory[] {
  return [
    ...PROJECT_DIRECTORIES.map((directory) => ({
      origin: "project" as const,
      root: path.resolve(sandboxRoot),
      directory,
      owner: "",
    })),
    { origin: "home", root: path.resolve(home), directory: OWN_DIRECTORY, owner: " of the home" },
    { origin: "application", root: path.resolve(application), directory: OWN_DIRECTORY, owner: " of Deckhand" },
  ];
}
