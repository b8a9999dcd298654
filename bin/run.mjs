import { spawn } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { ensureBuilt } from "../src/launch/ensure-built.mjs";
import { PROGRAM, STEPS } from "../src/launch/steps.mjs";
import { exitLike, onSupportedNode } from "../src/launch/supported-node.mjs";

/**
 * Runs a script of the project, or the program of a package, as npm's scripts do: on Node 24, once what it needs is
 * built. `node bin/run.mjs [--sources | --unbuilt] vitest run`: without the program's bundle, without anything.
 */

const root = fileURLToPath(new URL("..", import.meta.url));
const NOT_NEEDED = { "--sources": [PROGRAM], "--unbuilt": STEPS };
const given = process.argv.slice(2);
const notNeeded = NOT_NEEDED[given[0]];
const [name = "", ...args] = notNeeded === undefined ? given : given.slice(1);
const script = path.join(root, name.includes("/") ? name : `node_modules/.bin/${name}`);

await onSupportedNode(process, root);
await ensureBuilt(process, root, { without: (notNeeded ?? []).map((step) => step.name) });
const own = [path.dirname(process.execPath), path.join(root, "node_modules/.bin")];
const env = { ...process.env, PATH: [...own, process.env.PATH].join(path.delimiter) };
// Windows has no way to replace a process.
if (process.platform !== "win32") process.execve(process.execPath, [process.execPath, script, ...args], env);
await exitLike(process, spawn(process.execPath, [script, ...args], { stdio: "inherit", env }));
