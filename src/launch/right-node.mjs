import { spawn } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { nodeProblem } from "../cli/node-version.mjs";

/** What a supervisor or a terminal sends to one process of two. */
const PASSED_ON = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR2"];

/**
 * Resolves in a process of Node 24 or newer. In an older one it does not: the same script runs in the Node that npm has
 * installed, and this process ends as that one does. An old Node cannot replace itself, so it stays meanwhile.
 * @param {NodeJS.Process} program
 * @param {string} root the project's directory
 * @param {(args: string[], program: NodeJS.Process) => { args: readonly string[], env: NodeJS.ProcessEnv }} begin
 *   what to run the other Node with, of what this one was given
 */
export async function onRightNode(program, root, begin = (args, { env }) => ({ args, env })) {
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
  // As on Alpine, which has another C library than it was built for, or where nothing in this directory may be run.
  child.once("error", ({ code }) => give(program, `${packaged} does not run on this system (${code}). ${problem}`));
  await endAs(program, child);
}

/**
 * Ends this process as a child ends, and passes on what is sent to it. Never resolves.
 * @param {NodeJS.Process} program
 * @param {import("node:child_process").ChildProcess} child
 */
export function endAs(program, child) {
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

/** npm 10 does not link the program of a platform's package when no install script may run; supervisors name the link. */
function linkNode(root, packaged) {
  const link = path.join(root, "node_modules/.bin/node");
  if (existsSync(link) || process.platform === "win32") return;
  try {
    mkdirSync(path.dirname(link), { recursive: true });
    symlinkSync(path.relative(path.dirname(link), packaged), link);
  } catch {
    // Two at once, a place that only others write, one that knows no links or is full: nothing here needs it.
  }
}

function give(program, line) {
  program.stderr.write(`${line}\n`);
  program.exit(1);
}
