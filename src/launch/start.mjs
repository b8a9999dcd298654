import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { useCompileCache } from "../cli/compile-cache.mjs";
import { restartOptions } from "../cli/trim-memory.mjs";
import { loadCompiledStart } from "./compiled-start.mjs";
import { ensureBuilt } from "./ensure-built.mjs";
import { BUILT_PROGRAM } from "./steps.mjs";
import { onSupportedNode } from "./supported-node.mjs";

/**
 * Starts the program on Node 24 from the build, after building what is missing or outdated.
 * @param {NodeJS.Process} program
 */
export async function start(program) {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  await onSupportedNode(program, root, (args, { env }) => restartOptions(args, program) ?? { args, env });
  await ensureBuilt(program, root);
  useCompileCache(program, root);
  const isStart = [undefined, "start"].includes(program.argv[2]);
  const compiled = isStart ? loadCompiledStart(root) : null;
  if (compiled !== null) await compiled.runCommandLine();
  else await import(pathToFileURL(path.join(root, BUILT_PROGRAM, "main.js")).href);
}
