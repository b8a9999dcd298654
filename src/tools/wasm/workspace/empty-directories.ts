import { rmdirSync } from "node:fs";
import path from "node:path";
import type { Places } from "./places.ts";
import { systemCode } from "./refusal.ts";

/** Removes the directories above a file that are empty, from the nearest one on, until one is not or is to stay. */
export function removeEmptyAbove(file: string, places: Places, isToStay: (directory: string) => boolean): void {
  for (let above = path.posix.dirname(file); above !== "."; above = path.posix.dirname(above)) {
    if (isToStay(above) || !removeEmpty(above, places)) return;
  }
}

/** What keeps a directory, and is no failure. */
const STAYS = ["ENOTEMPTY", "EEXIST", "ENOTDIR", "EACCES", "EPERM", "EBUSY"];

/** True when it is not there any more. */
function removeEmpty(directory: string, places: Places): boolean {
  try {
    const place = places.entry(directory);
    rmdirSync(place.directory.at(place.name));
    return true;
  } catch (error) {
    const code = systemCode(error) ?? "";
    if (code === "ENOENT") return true;
    if (STAYS.includes(code)) return false;
    throw error;
  }
}
