import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { cachedDataVersionTag } from "node:v8";
import { Script } from "node:vm";
import { BUILT_PROGRAM } from "./steps.mjs";

/**
 * The program as a single script, with V8's code cache of a whole start. Caches of modules contain only what is
 * compiled on loading, and a start compiles five times as much.
 */

export const START = "start.cjs";

/** Path of the code cache for this V8 version, processor and current flags. */
export function codeFile(root) {
  return path.join(root, BUILT_PROGRAM, `start-${cachedDataVersionTag()}.code`);
}

/** Exports of the bundle; null without a code cache for this process, since modules then start faster. */
export function loadCompiledStart(root) {
  const file = codeFile(root);
  if (!existsSync(file)) return null;
  const script = loadScript(root, readFileSync(file));
  return script.cachedDataRejected ? null : exportsOf(root, script);
}

export function loadScript(root, cachedData) {
  const filename = path.join(root, BUILT_PROGRAM, START);
  // The build makes sure that the file contains no wider characters.
  return new Script(readFileSync(filename, "latin1"), {
    filename,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
}

export function exportsOf(root, script) {
  const filename = path.join(root, BUILT_PROGRAM, START);
  const place = { url: pathToFileURL(filename).href, filename, dirname: path.dirname(filename) };
  const module = { exports: {} };
  script.runInThisContext()(module, createRequire(filename), place);
  return module.exports;
}
