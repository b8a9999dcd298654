import { rmdirSync } from "node:fs";
import path from "node:path";
import { systemCode } from "../../../core/protocol/system-code.ts";
import { PathResolver } from "./path-resolver.ts";

/** Removes the empty directories above a file, from the nearest upward, until one is not empty or must stay. */
export function removeEmptyAbove(file: string, resolver: PathResolver, isToStay: (directory: string) => boolean): void {
  for (let above = path.posix.dirname(file); above !== "."; above = path.posix.dirname(above)) {
    if (isToStay(above) || !removeEmpty(above, resolver)) return;
  }
}

/** The topmost directory beneath a root that a new file would create; empty if all directories above it exist. */
export function madeFor(file: string, root: string): { readonly made?: string } {
  using resolver = new PathResolver(root);
  const made = missingAbove(file, resolver);
  return made === null ? {} : { made };
}

/** Null if all directories exist or that cannot be determined. */
function missingAbove(file: string, resolver: PathResolver): string | null {
  const segments = file.split("/");
  try {
    for (let depth = 1; depth < segments.length; depth++) {
      const above = segments.slice(0, depth).join("/");
      if (resolver.entry(above).stats === null) return above;
    }
    return null;
  } catch (error) {
    if (systemCode(error) !== undefined) return null; // creating the file fails in the same way and reports it
    throw error;
  }
}

/** Directories that were created with files, the deepest first. */
export function madeWith(files: readonly { readonly path: string; readonly made?: string }[]): string[] {
  const directories = files.flatMap(({ path: file, made }) => {
    const above: string[] = [];
    let at = path.posix.dirname(file);
    for (; at === made || at.startsWith(`${made}/`); at = path.posix.dirname(at)) above.push(at);
    return above;
  });
  return [...new Set(directories)].sort((a, b) => b.length - a.length);
}

/** Error codes that mean a directory stays, and are no failure. */
const STAYS = ["ENOTEMPTY", "EEXIST", "ENOTDIR", "EACCES", "EPERM", "EBUSY"];

/** Removes a directory if it is empty. True if it no longer exists. */
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
