import nodeModule from "node:module";
import path from "node:path";
import { BUILT_PROGRAM } from "../launch/steps.mjs";

/**
 * With what an earlier start or the build (scripts/build/compiled-code.ts) has compiled, a start takes less time. It
 * lies in the bundle's directory, and goes with it; for whoever may not write there, and for the sources, where
 * Node keeps it, and where NODE_COMPILE_CACHE says in any case. Without any of them the program runs all the same.
 * @param {{ env: Record<string, string | undefined> }} program
 * @param {string | null} root the project's directory; null when the sources run
 */
export function keepCompiled({ env }, root) {
  const { enableCompileCache, constants } = nodeModule;
  if (root !== null && env.NODE_COMPILE_CACHE === undefined) {
    const { status } = enableCompileCache(path.join(root, BUILT_PROGRAM, "compiled"));
    if (status !== constants.compileCacheStatus.FAILED) return;
  }
  enableCompileCache();
}
