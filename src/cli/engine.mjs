import nodeModule from "node:module";
import path from "node:path";
import { setFlagsFromString } from "node:v8";
import { BUILT_PROGRAM } from "../launch/steps.mjs";

/**
 * Bytes that a WebAssembly function has run, roughly, before it is compiled once more, to run faster. Prisma plans each
 * shape of query once: left alone, a start compiles half of the planner for what is over by then.
 */
const LATE_TIERING = "--wasm-tiering-budget=1000000000";

/** What V8 has compiled is only good for a process with the same flags: this comes first. */
export function tuneEngine() {
  setFlagsFromString(LATE_TIERING);
}

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
