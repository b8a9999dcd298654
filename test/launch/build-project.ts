import { readFileSync } from "node:fs";
import path from "node:path";
import { build } from "../../scripts/build/build.ts";

/**
 * Builds a made-up project as `npm run build` builds this one. Arguments: its directory, and the user to build as. All
 * modules are loaded before the user changes, since that user may not be able to read them.
 */
const [root = "", user] = process.argv.slice(2);
if (user !== undefined) process.setuid?.(Number(user));
const steps = JSON.parse(readFileSync(path.join(root, "steps.json"), "utf8"));
if (!(await build({ root, steps, print: (line) => process.stdout.write(`${line}\n`) }))) process.exitCode = 1;
