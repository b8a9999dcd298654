import path from "node:path";
import { staleSteps } from "../../../src/launch/freshness.mjs";
import { BUILT_PROGRAM } from "../../../src/launch/steps.mjs";
import type { SandboxOptions } from "../../../src/tools/wasm/sandbox-options.ts";

const ROOT = path.resolve(import.meta.dirname, "../../..");
/**
 * Whether the build is up to date. If not, as during development, tests use the sources. The build is what people run,
 * and starts in half the time, with few modules and no types to strip.
 */
const isBuilt = staleSteps(ROOT).length === 0;

/** Starts the program from its sources. */
export const SOURCES = path.join(import.meta.dirname, "start-sources.mjs");

/** The program's file. */
export const ENTRY = isBuilt ? path.join(ROOT, "bin/deckhand.mjs") : SOURCES;

/** The built web page of the current sources; null if it is not built. */
export const BUILT_PAGE = isBuilt ? path.join(ROOT, "build/web") : null;

/** Options that make a sandbox run guests in the child that belongs to the program's file. */
export const SANDBOX_CHILD: Pick<SandboxOptions, "childFile"> = isBuilt
  ? { childFile: path.join(ROOT, BUILT_PROGRAM, "tools-wasm-child-main.js") }
  : {};

/** Builds the guests of the current sources. The builder is loaded lazily, since that takes longer than most tests. */
export async function buildGuests(): Promise<void> {
  if (!isBuilt) await (await import("../../../wasm/build.ts")).buildGuests();
}

/** Builds the generator of third parties' bindings in the same way. */
export async function buildBindingsGenerator(): Promise<void> {
  if (!isBuilt) await (await import("../../../wasm/build-bindings-generator.ts")).buildBindingsGenerator();
}
