import type { Skill } from "./skills.ts";

/** What other agents call a skill's folder; the root of a plugin holds its skills in `skills/`. */
const FOLDER = /\$?\{baseDir\}|\$\{?CLAUDE_SKILL_DIR\b\}?|\$\{?CLAUDE_PLUGIN_ROOT\b\}?(?:\/skills\/([\w.-]+))?/g;

/** Characters that this adds at most to a body. */
const MAX_ADDED = 100_000;

/**
 * The body with its folder in the place of `{baseDir}` and its kin, as the model reaches it: by its path in the working
 * directory, or relative, where the tool `skill` reads its files.
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
