#!/usr/bin/env node
import path from "node:path";
import { pathToFileURL } from "node:url";
import { builtProgram } from "../src/cli/built-program.mjs";
import { keepCompiled, tuneEngine } from "../src/cli/engine.mjs";
import { requireNode } from "../src/cli/node-version.mjs";
import { trimMemory } from "../src/cli/trim-memory.mjs";

requireNode();
trimMemory(process);
tuneEngine();
const root = path.join(import.meta.dirname, "..");
const built = builtProgram(root);
keepCompiled(process, built === null ? null : root);
try {
  await import(pathToFileURL(built ?? path.join(root, "src/main.ts")).href);
} catch (error) {
  if (error?.code !== "ERR_MODULE_NOT_FOUND" || !error.message.startsWith("Cannot find package")) throw error;
  process.stderr.write(
    `Deckhand is not installed yet (${error.message.split(" imported")[0]}). Run \`npm ci\` first.\n`,
  );
  process.exit(1);
}
