#!/usr/bin/env node
import nodeModule from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";
import { builtProgram } from "../src/cli/built-program.mjs";
import { requireNode } from "../src/cli/node-version.mjs";
import { trimMemory } from "../src/cli/trim-memory.mjs";

requireNode();
trimMemory(process);
// Garbage of streamed answers is short-lived: a young generation that stays at its first megabyte
// saves some 25 MB and costs no measurable time (`npm run bench`).
setFlagsFromString("--semi-space-growth-factor=1");
// With what an earlier start has compiled, this one takes less time.
nodeModule.enableCompileCache();
try {
  const root = path.join(import.meta.dirname, "..");
  await import(pathToFileURL(builtProgram(root) ?? path.join(root, "src/main.ts")).href);
} catch (error) {
  if (error?.code !== "ERR_MODULE_NOT_FOUND" || !error.message.startsWith("Cannot find package")) throw error;
  process.stderr.write(
    `Deckhand is not installed yet (${error.message.split(" imported")[0]}). Run \`npm ci\` first.\n`,
  );
  process.exit(1);
}
