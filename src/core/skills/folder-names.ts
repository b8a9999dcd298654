import type { Skill } from "./skills.ts";

/** Placeholders that other agents use for a skill's folder. A plugin's root has its skills in `skills/`. */
const FOLDER = /\$?\{baseDir\}|\$\{?CLAUDE_SKILL_DIR\b\}?|\$\{?CLAUDE_PLUGIN_ROOT\b\}?(?:\/skills\/([\w.-]+))?/g;

/** Maximum number of characters that the replacements add to a body. */
const MAX_ADDED = 100_000;

/**
 * Replaces `{baseDir}` and similar placeholders by the folder as the model can reach it: its path in the working
 * directory, or a relative path for files that the tool `skill` reads.
 */
export function fillFolder({ body, origin, folder }: Pick<Skill, "body" | "origin" | "folder">): string {
  const own = origin === "project" ? folder || "." : ".";
  const sibling = (name: string) => own.slice(0, own.lastIndexOf("/") + 1) + name;
  const isOwn = (name: string) => folder.split(/[/\\]/).at(-1) === name;
  let added = 0;
  return body.replace(FOLDER, (whole: string, named?: string) => {
    const value = named === undefined || isOwn(named) || origin !== "project" ? own : sibling(named);
    added += value.length;
    return added > MAX_ADDED ? whole : value;
  });
}
