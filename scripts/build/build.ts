import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import {
  builtHashes,
  inputHashes,
  isInstalled,
  type Prints,
  staleSteps,
  storeHashes,
} from "../../src/launch/freshness.mjs";
import { STEPS, type Step } from "../../src/launch/steps.mjs";
import { takeLock } from "./lock.ts";
import { runScript } from "./run-script.ts";

export interface Build {
  readonly root: string;
  /** Defaults to all steps of the program. */
  readonly steps?: readonly Step[];
  /** Names of steps to skip. */
  readonly without?: readonly string[];
  /** Number of steps to make at once. Defaults to as many as fit into memory. */
  readonly atOnce?: number;
  readonly print: (line: string) => void;
}

/** Memory of the largest step, in bytes. */
const STEP_BYTES = 700_000_000;

/**
 * Builds what is missing or has changed inputs; resolves with false if that fails. Only one process builds at a time.
 */
export async function build({ root, steps = STEPS, without = [], print, ...options }: Build): Promise<boolean> {
  const { atOnce = Math.max(1, Math.floor(process.availableMemory() / STEP_BYTES)) } = options;
  const wanted = () => staleSteps(root, steps).filter(({ name }) => !without.includes(name));
  const stale = wanted();
  if (stale.length === 0) return true;
  if (!isWritable(root)) {
    const names = stale.map(({ name }) => name).join(", ");
    print(`Deckhand has to be built anew (${names}), and ${root} cannot be written by this user.`);
    print("Run `npm run build` there as the user who installed it.");
    return false;
  }
  mkdirSync(path.join(root, "build"), { recursive: true });
  using _lock = takeLock(path.join(root, "build/lock"), {
    onWait: () => print("Another process is building Deckhand: waiting until it is done …"),
  });
  return await makeAll({ root, steps, stale: wanted(), print, atOnce });
}

interface Work {
  readonly root: string;
  readonly steps: readonly Step[];
  readonly stale: readonly Step[];
  readonly print: (line: string) => void;
  readonly atOnce: number;
}

/** Rebuilding an artefact also rebuilds what is made of it. */
async function makeAll({ root, steps, stale, print, atOnce }: Work): Promise<boolean> {
  if (stale.length === 0) return true;
  const names = new Set(stale.map(({ name }) => name));
  const work = steps.filter(({ name, after }) => names.has(name) || after.some((one) => names.has(one)));
  print(`Building what has changed or is missing (${work.length} of ${steps.length} parts) …`);
  const keep = record(root, { prints: inputHashes(root, steps), work });
  const done = new Map<string, Promise<boolean>>();
  const inTurn = limited(atOnce);
  for (const step of work) {
    const before = step.after.flatMap((name) => done.get(name) ?? []);
    done.set(step.name, makeAfter(before));
    async function makeAfter(others: readonly Promise<boolean>[]): Promise<boolean> {
      if ((await Promise.all(others)).includes(false)) return false;
      const { ok, line } = await inTurn(() => make(root, step));
      print(`${ok ? "✓" : "✗"} ${line}`);
      if (ok) keep(step);
      return ok;
    }
  }
  return !(await Promise.all(done.values())).includes(false);
}

/** Lets at most this many run at once. */
function limited(atOnce: number) {
  const running = new Set<Promise<unknown>>();
  return async <T>(work: () => Promise<T>): Promise<T> => {
    while (running.size >= atOnce) await Promise.race(running);
    const result = work();
    running.add(result);
    try {
      return await result;
    } finally {
      running.delete(result);
    }
  };
}

/**
 * Records the inputs of a step as they were before the step began, so that a file saved meanwhile counts as changed.
 * Records only finished steps, so that an interrupted one is repeated.
 */
function record(root: string, { prints, work }: { prints: Prints; work: readonly Step[] }): (step: Step) => void {
  const made = Object.fromEntries(
    Object.entries(builtHashes(root)).filter(([name]) => work.every((step) => step.name !== name)),
  );
  storeHashes(root, made);
  return ({ name }) => {
    const print = prints[name];
    if (print !== undefined) made[name] = print;
    storeHashes(root, made);
  };
}

interface Outcome {
  readonly ok: boolean;
  readonly line: string;
}

async function make(root: string, { name, tool, commands, artefact }: Step): Promise<Outcome> {
  if (!isInstalled(root, tool)) {
    const remedy = "Run `npm ci` without --omit=dev, or install a release that holds it.";
    return { ok: false, line: `${name}: ${artefact} is missing or old, and so is ${tool}, which builds it. ${remedy}` };
  }
  const started = performance.now();
  for (const command of commands) {
    const { code, output } = await runScript(command, { cwd: root, env: process.env });
    if (code !== 0) return { ok: false, line: `${name}: ${command.join(" ")} failed.\n${output.trimEnd()}` };
  }
  return { ok: true, line: `${name}: built in ${((performance.now() - started) / 1000).toFixed(1)} s` };
}

/** Asks the system, because permission bits do not reveal a read-only mount. */
function isWritable(root: string): boolean {
  const directory = path.join(root, "build");
  try {
    accessSync(existsSync(directory) ? directory : root, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
