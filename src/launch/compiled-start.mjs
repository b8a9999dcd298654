import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { cachedDataVersionTag } from "node:v8";
import { Script } from "node:vm";
import { BUILT_PROGRAM } from "./steps.mjs";

/**
 * The program as one script, with what V8 has compiled in a start of it: modules bring only what is compiled when they
 * are loaded, and a start compiles five times as much.
 */

export const START = "start.cjs";

/** What V8 takes for its own: it is of one version, one kind of processor and the flags that are set by now. */
export function codeFile(root) {
  return path.join(root, BUILT_PROGRAM, `start-${cachedDataVersionTag()}.code`);
}

/** What the bundle exports; null where nothing is compiled for this process, since modules then start sooner. */
export function loadCompiledStart(root) {
  const file = codeFile(root);
  if (!existsSync(file)) return null;
  const script = loadScript(root, readFileSync(file));
  return script.cachedDataRejected ? null : exportsOf(root, script);
}

export function loadScript(root, cachedData) {
  const filename = path.join(root, BUILT_PROGRAM, START);
  // The build sees to it that it holds no wider character.
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
