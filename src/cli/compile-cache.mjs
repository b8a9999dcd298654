import nodeModule from "node:module";
import path from "node:path";
import { BUILT_PROGRAM } from "../launch/steps.mjs";

/**
 * Enables Node's compile cache, which shortens a start by code that an earlier start or the build
 * (scripts/build/compiled-code.ts) compiled. It is stored in the bundle's directory and disappears with it; without
 * write permission there, and for the sources, in Node's default directory; NODE_COMPILE_CACHE overrides both. The
 * program also runs without a cache.
 * @param {{ env: Record<string, string | undefined> }} program
 * @param {string | null} root the project's directory; null when the sources run
 */
export function useCompileCache({ env }, root) {
  const { enableCompileCache, constants } = nodeModule;
  if (root !== null && env.NODE_COMPILE_CACHE === undefined) {
    const { status } = enableCompileCache(path.join(root, BUILT_PROGRAM, "compiled"));
    if (status !== constants.compileCacheStatus.FAILED) return;
  }
  enableCompileCache();
}
