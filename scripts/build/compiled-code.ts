import { readdirSync } from "node:fs";
import { flushCompileCache } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { useCompileCache } from "../../src/cli/compile-cache.mjs";
import { BUILT_PROGRAM } from "../../src/launch/steps.mjs";

/**
 * Compiles the bundle as bin/deckhand.mjs does, so that the very first start need not, since Node caches the compiled
 * code of what a process has loaded. The cache belongs to the current user; other users make their own. Failing to
 * write the cache is no error.
 */

/** Names of the bundle's chunks that are loaded on demand and do nothing by themselves. */
const ON_DEMAND = /-[0-9A-Z]{8}\.js$/;

const root = path.resolve(import.meta.dirname, "../..");
useCompileCache(process, root);
const directory = path.join(root, BUILT_PROGRAM);
for (const name of readdirSync(directory).filter((file) => ON_DEMAND.test(file))) {
  await import(pathToFileURL(path.join(directory, name)).href);
}
flushCompileCache();
// The loaded modules must not start anything.
process.exit();
