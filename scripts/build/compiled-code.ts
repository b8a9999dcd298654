import { readdirSync } from "node:fs";
import { flushCompileCache } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { keepCompiled } from "../../src/cli/engine.mjs";
import { BUILT_PROGRAM } from "../../src/launch/steps.mjs";

/**
 * Compiles the bundle as bin/deckhand.mjs does, so that the very first start need not: Node keeps what a process has
 * loaded. The cache is that user's, others make their own. One that cannot be written is no error.
 */

/** The name of a part of the bundle that is loaded when it is needed: it does nothing by itself. */
const ON_DEMAND = /-[0-9A-Z]{8}\.js$/;

const root = path.resolve(import.meta.dirname, "../..");
keepCompiled(process, root);
const directory = path.join(root, BUILT_PROGRAM);
for (const name of readdirSync(directory).filter((file) => ON_DEMAND.test(file))) {
  await import(pathToFileURL(path.join(directory, name)).href);
}
flushCompileCache();
// What was loaded is not wanted to begin anything.
process.exit();
