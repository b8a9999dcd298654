import path from "node:path";
import { build } from "./build/build.ts";
import { glibcProblem, systemGlibc } from "./build/glibc.ts";

/**
 * Builds what the program needs and the repository does not contain, if it is missing or its inputs have changed: `npm
 * run build`. Everything comes from installed packages and nothing is downloaded. Steps named after `--without` are
 * skipped.
 */

// If a start or an npm script began this process, it ends with that; if run directly, it has no channel.
process.once("disconnect", () => process.exit(1));
process.channel?.unref();

const [, ...without] = process.argv.slice(2);
const root = path.resolve(import.meta.dirname, "..");
const problem = glibcProblem(systemGlibc());
if (problem !== null) {
  console.error(`✗ ${problem}`);
  process.exit(1);
}
const done = await build({ root, without, print: (line) => console.error(line) });
if (!done) process.exitCode = 1;
else if (process.channel === undefined) console.log("Everything is built.");
