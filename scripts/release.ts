import { copyFileSync, existsSync, lstatSync, utimesSync } from "node:fs";
import path from "node:path";
import { makeRelease } from "./release/make-release.ts";

/**
 * Puts what the program needs at run time on this platform into a new directory: `npm run release -- DIRECTORY`. It
 * contains Node, the packages outside the bundle and the built artefacts, and needs no installation.
 */

const root = path.resolve(import.meta.dirname, "..");
const [given] = process.argv.slice(2);
if (given === undefined || existsSync(given)) {
  console.error(`Name a directory that is not there yet: npm run release -- DIRECTORY`);
  process.exit(1);
}
const target = path.resolve(given);
const unbuilt = makeRelease({ root, target, place: copyWithTimes });
if (unbuilt.length > 0) {
  console.error(`Not built: ${unbuilt.join(", ")}. Run \`npm run build\`.`);
  process.exit(1);
}
console.log(`✓ ${target}`);

/** Copies with file times, which tell a start that nothing has changed, so that it reads no file. */
function copyWithTimes(from: string, to: string): void {
  copyFileSync(from, to);
  const { atime, mtime } = lstatSync(from);
  utimesSync(to, atime, mtime);
}
