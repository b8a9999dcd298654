import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { z } from "zod";
import { type Beginning, restartOptions } from "../../../src/cli/trim-memory.mjs";
import { removeDirectory } from "../remove-directory.ts";
import { ENTRY, SOURCES } from "./built.ts";
import { freePort } from "./free-port.ts";

/** The whole program as a process, as `npm start` runs it, over local servers. */
export interface Bot extends AsyncDisposable {
  /** Directory of its state, kept across restarts. */
  readonly home: string;
  readonly port: number;
  /** Its environment besides the port. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether its process is running. */
  isAlive(): boolean;
  /** Whether the process has reported its start. It is never ready before, and answering probes slows its start. */
  hasBegun(): boolean;
  /** Id of the running process. */
  pid(): number;
  /** Everything it has printed, over all restarts. */
  output(): string;
  /** Closes the reading end of its output. */
  unheard(): void;
  sandboxRoot(folder: string): string;
  /** Starts or restarts it; resolves when /readyz returns 200. */
  start(): Promise<void>;
  /** Like `start`, but returns as soon as the process exists. */
  launch(): void;
  kill(signal: "SIGKILL" | "SIGTERM" | "SIGHUP"): Promise<number | null>;
  /** Resolves with the exit code when the last launched process has ended; null after a signal. */
  ended(): Promise<number | null>;
  /** Body and status of a probe. */
  probe(name: "healthz" | "readyz" | "metrics"): Promise<{ status: number; text: string }>;
}

export interface BotOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Another bot's home to share, and so its database. */
  readonly home?: string;
  /** The program's file, if it is another project's. */
  readonly entry?: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Arguments and environment with which the program restarts itself, so that a test starts one process instead of two
 * and saves a fifth of the start.
 */
export function asBegunAnew(args: readonly string[], env: Environment): Beginning {
  return restartOptions(args, { platform: process.platform, env }) ?? { args, env };
}

function spawnProgram(entry: string, cwd: string, given: Environment): ChildProcess {
  const { args, env } = asBegunAnew([entry], given);
  return spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
}

/** The sources, if an optimisation is left out (bench/worth/without.mjs), else the usual file. */
function entryFor(env: Readonly<Record<string, string>>): string {
  return env["DECKHAND_BENCH_WITHOUT"] === undefined ? ENTRY : SOURCES;
}

/** Printed when the program is assembled. */
const RUNS = "Deckhand is running.";

export async function createBot({ env = {}, home: shared, entry = entryFor(env) }: BotOptions = {}): Promise<Bot> {
  const home = shared ?? mkdtempSync(path.join(tmpdir(), "deckhand-bot-"));
  const port = await freePort();
  const lines: string[] = [];
  let told = 0;
  let child: ChildProcess | null = null;

  const launch = () => {
    told = lines.length;
    child = spawnProgram(entry, home, { PATH: process.env["PATH"] ?? "", HOME: home, PORT: String(port), ...env });
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (data) => lines.push(String(data)));
  };
  const probe = async (name: string) => {
    const response = await fetch(`http://127.0.0.1:${port}/${name}`);
    return { status: response.status, text: await response.text() };
  };
  const isAlive = () => child !== null && child.exitCode === null && child.signalCode === null;
  const hasBegun = () => lines.slice(told).join("").includes(RUNS);
  const kill: Bot["kill"] = async (signal) => {
    if (child === null || !isAlive()) return child?.exitCode ?? null;
    const exited = once(child, "exit");
    child.kill(signal);
    await exited;
    return child.exitCode;
  };

  return {
    home,
    port,
    env,
    launch,
    probe,
    kill,
    isAlive,
    hasBegun,
    pid: () => child?.pid ?? -1,
    async ended() {
      if (child !== null && isAlive()) await once(child, "exit");
      return child?.exitCode ?? null;
    },
    output: () => lines.join(""),
    unheard: () => {
      for (const stream of [child?.stdout, child?.stderr]) stream?.destroy();
    },
    sandboxRoot: (folder) => path.join(home, "data/sandbox", folder),
    async start() {
      launch();
      await until(
        async () => {
          if (child?.exitCode !== null) throw new Error(`the bot ended at once:\n${lines.join("")}`);
          if (!hasBegun()) return false;
          try {
            return (await probe("readyz")).status === 200;
          } catch {
            return false;
          }
        },
        { what: () => `the bot to be ready:\n${lines.join("")}`, everyMs: 40 },
      );
    },
    async [Symbol.asyncDispose]() {
      await kill("SIGKILL");
      if (shared === undefined) await removeDirectory(home);
    },
  };
}

/** Limit in milliseconds for waits that only slow machines prolong; it only matters if something is broken. */
const PATIENCE_MS = 120_000;

/** Polls a condition of another process, which has no event to await. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  {
    limit = AbortSignal.timeout(PATIENCE_MS),
    what,
    everyMs = 20,
  }: { limit?: AbortSignal; what: () => string; everyMs?: number },
): Promise<void> {
  for (;;) {
    const began = performance.now();
    if (await condition()) return;
    if (limit.aborted) throw new Error(`waited in vain for ${what()}`);
    // Checking may be slow, and the process being waited for needs the processor too.
    const tookMs = performance.now() - began;
    await new Promise((resolve) => setTimeout(resolve, Math.max(everyMs, 3 * tookMs)));
  }
}

const healthSchema = z.object({ runs: z.object({ running: z.number() }) });

/**
 * Number of runs in progress, from /healthz. The metrics report it too, but after one request their library observes
 * the program a hundred times a second.
 */
export function runningOf(health: string): number {
  return healthSchema.parse(JSON.parse(health)).runs.running;
}

/** Waits until no run is in progress: a run ends shortly after its answer, when its live message has folded. */
export async function untilIdle(bot: Bot): Promise<void> {
  const isIdle = async () => runningOf((await bot.probe("healthz")).text) === 0;
  await until(isIdle, { what: () => "the runs to end", everyMs: 40 });
}

/** Waits until an MCP server has connected once, according to the log. */
export async function untilConnected(bot: Bot, server: string): Promise<void> {
  const isConnected = (line: string) => line.includes(`"mcpServer":"${server}"`) && line.includes('"mcp_connected"');
  await until(() => bot.output().split("\n").some(isConnected), {
    what: () => `${server} to be connected:\n${bot.output()}`,
  });
}
