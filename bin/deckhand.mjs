#!/usr/bin/env node
import { nodeProblem } from "../src/cli/node-version.mjs";
import { trimMemory } from "../src/cli/trim-memory.mjs";

/** Starts the program. What this process only replaces itself from is not loaded. */

if (nodeProblem(process.versions.node) === null) trimMemory(process);
const { start } = await import("../src/launch/start.mjs");
await start(process);
