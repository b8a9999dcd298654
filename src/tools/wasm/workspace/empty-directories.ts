import { rmdirSync } from "node:fs";
import path from "node:path";
import { systemCode } from "../../../core/protocol/system-code.ts";
import { PathResolver } from "./path-resolver.ts";

/** Removes the directories above a file that are empty, from the nearest one on, until one is not or is to stay. */
export function removeEmptyAbove(file: string, resolver: PathResolver, isToStay: (directory: string) => boolean): void {
  for (let above = path.posix.dirname(file); above !== "."; above = path.posix.dirname(above)) {
    if (isToStay(above) || !removeEmpty(above, resolver)) return;
  }
}

/** The topmost directory beneath a root that comes to be with a new file; none when all above it are there. */
export function madeFor(file: string, root: string): { readonly made?: string } {
  using resolver = new PathResolver(root);
  const made = missingAbove(file, resolver);
  return made === null ? {} : { made };
}

/** Null when all are there, or that is not to be known. */
function missingAbove(file: string, resolver: PathResolver): string | null {
  const segments = file.split("/");
  try {
    for (let depth = 1; depth < segments.length; depth++) {
      const above = segments.slice(0, depth).join("/");
      if (resolver.entry(above).stats === null) return above;
    }
    return null;
  } catch (error) {
    if (systemCode(error) !== undefined) return null; // who makes the file meets it, too, and says so
    throw error;
  }
}

/** Directories that had come to be with files, the deepest first. */
export function madeWith(files: readonly { readonly path: string; readonly made?: string }[]): string[] {
  const directories = files.flatMap(({ path: file, made }) => {
    const above: string[] = [];
    let at = path.posix.dirname(file);
    for (; at === made || at.startsWith(`${made}/`); at = path.posix.dirname(at)) above.push(at);
    return above;
  });
  return [...new Set(directories)].sort((a, b) => b.length - a.length);
}

/** What keeps a directory, and is no failure. */
const STAYS = ["ENOTEMPTY", "EEXIST", "ENOTDIR", "EACCES", "EPERM", "EBUSY"];

/** Removes a directory if it is empty. True when it is not there any more. */
export function removeEmpty(directory: string, resolver: PathResolver): boolean {
  try {
    const place = resolver.entry(directory);
    rmdirSync(place.directory.at(place.name));
    return true;
  } catch (error) {
    const code = systemCode(error) ?? "";
    if (code === "ENOENT") return true;
    if (STAYS.includes(code)) return false;
    throw error;
  }
}
