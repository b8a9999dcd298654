import { spawn } from "node:child_process";
import path from "node:path";
import { staleSteps } from "./freshness.mjs";

/**
 * Resolves once everything is built; ends the process with code 1 if that fails. Progress is reported on stderr.
 * @param {NodeJS.Process} program one of Node 24 or newer
 * @param {string} root the project's directory
 * @param {{ without?: readonly string[] }} options names of steps that need not be done
 */
export async function ensureBuilt(program, root, { without = [] } = {}) {
  if (staleSteps(root).every(({ name }) => without.includes(name))) return;
  const args = [path.join(root, "scripts/build.ts"), "--without", ...without];
  const child = spawn(program.execPath, args, { stdio: ["ignore", 2, 2, "ipc"] });
  const code = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  });
  if (code !== 0) program.exit(1);
}
