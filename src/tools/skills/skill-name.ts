import { skillName } from "../../core/skills/skills.ts";

/**
 * Returns a skill's name. If the given name has letters that names may not have, the folder's name is used, so that
 * names in other scripts stay distinguishable. Empty if neither yields a name.
 */
export function nameOf(given: string | null, folderName: string): string {
  const own = skillName(given ?? "");
  if (own !== "" && !hasOtherLetters(given ?? "")) return own;
  return skillName(folderName) || own;
}

function hasOtherLetters(name: string): boolean {
  return /[^\P{L}A-Za-z]/u.test(name.normalize("NFKC"));
}
