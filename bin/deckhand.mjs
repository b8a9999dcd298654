#!/usr/bin/env node
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { keepCompiled } from "../src/cli/engine.mjs";
import { trimMemory } from "../src/cli/trim-memory.mjs";
import { loadCompiledStart } from "../src/launch/compiled-start.mjs";
import { makeReady } from "../src/launch/ready.mjs";
import { onRightNode } from "../src/launch/right-node.mjs";
import { BUILT_PROGRAM } from "../src/launch/steps.mjs";

/** Starts the program: on Node 24, from what is built, which is made first where it is missing or old. */

const root = fileURLToPath(new URL("..", import.meta.url));
await onRightNode(process, root);
trimMemory(process);
await makeReady(process, root);
keepCompiled(process, root);
const isStart = [undefined, "start"].includes(process.argv[2]);
const compiled = isStart ? loadCompiledStart(root) : null;
if (compiled !== null) await compiled.runCommandLine();
else await import(pathToFileURL(path.join(root, BUILT_PROGRAM, "main.js")).href);
