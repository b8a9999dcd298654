import { readFileSync } from "node:fs";
import path from "node:path";
import { build } from "../../scripts/build/build.ts";
import type { BuildOptions } from "./made-up-project.ts";

/**
 * Builds a made-up project as `npm run build` builds this one. Arguments: its directory, and the options as JSON. All
 * modules are loaded before the user changes, since that user may not be able to read them.
 */
const [root = "", options = ""] = process.argv.slice(2);
const { user, ...others }: BuildOptions = JSON.parse(options);
if (user !== undefined) process.setuid?.(user);
const steps = JSON.parse(readFileSync(path.join(root, "steps.json"), "utf8"));
if (!(await build({ root, steps, ...others, print: (line) => process.stdout.write(`${line}\n`) })))
  process.exitCode = 1;
