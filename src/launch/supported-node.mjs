import { spawn } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { nodeProblem } from "../cli/node-version.mjs";

/** Signals that a supervisor or a terminal may send to only one of the two processes. */
const PASSED_ON = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR2"];

/**
 * Resolves in a process of Node 24 or newer. An older one never resolves: it runs the same script in the Node that npm
 * has installed and ends as that process does. An old Node cannot replace itself, so it stays meanwhile.
 * @param {NodeJS.Process} program
 * @param {string} root the project's directory
 * @param {(args: string[], program: NodeJS.Process) => { args: readonly string[], env: NodeJS.ProcessEnv }} begin
 * returns what to run the other Node with, from what this one was given
 */
export async function onSupportedNode(program, root, begin = (args, { env }) => ({ args, env })) {
  const packaged = path.join(root, `node_modules/node-${program.platform}-${program.arch}/bin/node`);
  const hasPackaged = existsSync(packaged);
  if (hasPackaged) linkNode(root, packaged);
  const problem = nodeProblem(program.versions.node);
  if (!existsSync(path.join(root, "node_modules")))
    return give(program, "Deckhand is not installed yet. Run `npm ci` first.");
  if (problem === null) return;
  if (!hasPackaged) return give(program, problem);
  const { args, env } = begin([...program.execArgv, ...program.argv.slice(1)], program);
  const child = spawn(packaged, args, { stdio: "inherit", env });
  // This happens on Alpine, whose C library is another one, or if nothing in this directory may be executed.
  child.once("error", ({ code }) => give(program, `${packaged} does not run on this system (${code}). ${problem}`));
  await exitLike(program, child);
}

/**
 * Ends this process as a child ends, and forwards signals to the child. Never resolves.
 * @param {NodeJS.Process} program
 * @param {import("node:child_process").ChildProcess} child
 */
export function exitLike(program, child) {
  const passOn = (signal) => child.kill(signal);
  for (const signal of PASSED_ON) program.on(signal, passOn);
  return new Promise(() => {
    child.once("error", (error) => give(program, error.message));
    child.once("exit", (code, signal) => {
      if (signal === null) program.exit(code ?? 1);
      for (const one of PASSED_ON) program.off(one, passOn);
      program.kill(program.pid, signal);
    });
  });
}

/** Links the packaged Node, which supervisors refer to; npm 10 does not link it if install scripts are disabled. */
function linkNode(root, packaged) {
  const link = path.join(root, "node_modules/.bin/node");
  if (existsSync(link) || process.platform === "win32") return;
  try {
    mkdirSync(path.dirname(link), { recursive: true });
    symlinkSync(path.relative(path.dirname(link), packaged), link);
  } catch {
    // Lost a race, no write permission, no symbolic links, or a full disk: nothing here needs the link.
  }
}

function give(program, line) {
  program.stderr.write(`${line}\n`);
  program.exit(1);
}
