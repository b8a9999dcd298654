import path from "node:path";
import { build } from "./build/build.ts";
import { glibcProblem, systemGlibc } from "./build/glibc.ts";

/**
 * Makes what the program needs and the repository does not hold, where it is missing or made of other inputs:
 * `npm run build`. All from installed packages, nothing is downloaded. Names of steps after `--without` are left out.
 */

// Begun by a start or an npm script, it ends with that; by itself it has no channel.
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
