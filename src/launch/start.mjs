import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { keepCompiled } from "../cli/engine.mjs";
import { begunAnew } from "../cli/trim-memory.mjs";
import { loadCompiledStart } from "./compiled-start.mjs";
import { makeReady } from "./ready.mjs";
import { onRightNode } from "./right-node.mjs";
import { BUILT_PROGRAM } from "./steps.mjs";

/**
 * Starts the program on Node 24 from the build, after building what is missing or outdated.
 * @param {NodeJS.Process} program
 */
export async function start(program) {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  await onRightNode(program, root, (args, { env }) => begunAnew(args, program) ?? { args, env });
  await makeReady(program, root);
  keepCompiled(program, root);
  const isStart = [undefined, "start"].includes(program.argv[2]);
  const compiled = isStart ? loadCompiledStart(root) : null;
  if (compiled !== null) await compiled.runCommandLine();
  else await import(pathToFileURL(path.join(root, BUILT_PROGRAM, "main.js")).href);
}
