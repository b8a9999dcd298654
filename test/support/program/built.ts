import path from "node:path";
import { staleSteps } from "../../../src/launch/freshness.mjs";
import { BUILT_PROGRAM } from "../../../src/launch/steps.mjs";
import type { SandboxOptions } from "../../../src/tools/wasm/sandbox-options.ts";

const ROOT = path.resolve(import.meta.dirname, "../../..");
/**
 * Who works on the program tests the sources as they are. Built, it is what people start, and starts in half the time:
 * its modules are few, and no types are stripped from them.
 */
const isBuilt = staleSteps(ROOT).length === 0;

/** Starts the program from its sources. */
export const SOURCES = path.join(import.meta.dirname, "start-sources.mjs");

/** The program's file. */
export const ENTRY = isBuilt ? path.join(ROOT, "bin/deckhand.mjs") : SOURCES;

/** Where the web page of the present sources is, when it is built. */
export const BUILT_PAGE = isBuilt ? path.join(ROOT, "build/web") : null;

/** With these a sandbox runs its guests in the child that belongs to the program's file. */
export const SANDBOX_CHILD: Pick<SandboxOptions, "childFile"> = isBuilt
  ? { childFile: path.join(ROOT, BUILT_PROGRAM, "tools-wasm-child-main.js") }
  : {};

/** Guests of the present sources; to load what builds them takes longer than most tests that need them. */
export async function buildGuests(): Promise<void> {
  if (!isBuilt) await (await import("../../../wasm/build.ts")).buildGuests();
}

/** The same for the generator of third parties' bindings. */
export async function buildBindingsGenerator(): Promise<void> {
  if (!isBuilt) await (await import("../../../wasm/build-bindings-generator.ts")).buildBindingsGenerator();
}
