import { skillName } from "../skills.ts";

/**
 * What a skill is called: its own name, or its folder's where its own has letters that a name may not have, so that of two
 * names in another script something is left to tell them apart. Empty when neither gives one.
 */
export function nameOf(given: string | null, folderName: string): string {
  const own = skillName(given ?? "");
  if (own !== "" && !hasOtherLetters(given ?? "")) return own;
  return skillName(folderName) || own;
}

function hasOtherLetters(name: string): boolean {
  return /[^\P{L}A-Za-z]/u.test(name.normalize("NFKC"));
}
