import { readdirSync, statSync } from "node:fs";
import path from "node:path";

/** Where scripts/build-program.ts puts the program as one bundle, beneath the project's directory. */
export const BUILT_PROGRAM = "build/program";

/** What the bundle is made of, apart from installed packages, which come with a new bundle. */
const SOURCES = ["src", "prisma/sqlite/generated", "prisma/postgresql/generated"];

/**
 * The bundle's entry, or null when there is none or a source has changed since: then the sources run as
 * they are. Looking at all of them takes a few milliseconds.
 * @param {string} root the project's directory
 * @returns {string | null}
 */
export function builtProgram(root) {
  const entry = path.join(root, BUILT_PROGRAM, "main.js");
  const builtAt = statSync(entry, { throwIfNoEntry: false })?.mtimeMs;
  if (builtAt === undefined) return null;
  return SOURCES.some((source) => changedSince(path.join(root, source), builtAt)) ? null : entry;
}

/** A directory changes when a file in it comes or goes. */
function changedSince(directory, time) {
  const isLater = (file) => statSync(file).mtimeMs > time;
  return (
    isLater(directory) ||
    readdirSync(directory, { withFileTypes: true }).some((entry) => {
      const file = path.join(directory, entry.name);
      return entry.isDirectory() ? changedSince(file, time) : isLater(file);
    })
  );
}
