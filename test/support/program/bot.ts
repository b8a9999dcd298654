import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { z } from "zod";
import { type Beginning, begunAnew } from "../../../src/cli/trim-memory.mjs";
import { removeDirectory } from "../remove-directory.ts";
import { ENTRY, SOURCES } from "./built.ts";
import { freePort } from "./free-port.ts";

/** The whole program as its own process, as `npm start` runs it, over local servers. */
export interface Bot extends AsyncDisposable {
  /** Where its state is; kept over restarts. */
  readonly home: string;
  readonly port: number;
  /** What it was given beside its port. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether its process runs. */
  isAlive(): boolean;
  /** Whether that process has said so; it is never ready before, and what it answers meanwhile takes it time to start. */
  hasBegun(): boolean;
  /** The process id of the running process. */
  pid(): number;
  /** Everything it printed, over all its lives. */
  output(): string;
  /** Whoever reads what it prints goes away. */
  unheard(): void;
  sandboxRoot(folder: string): string;
  /** Starts it (again); resolves when /readyz says 200. */
  start(): Promise<void>;
  /** As `start`, but returns as soon as the process exists. */
  launch(): void;
  kill(signal: "SIGKILL" | "SIGTERM"): Promise<number | null>;
  /** Resolves when the process that was launched last has ended, with its exit code; null after a signal. */
  ended(): Promise<number | null>;
  /** The body of a probe, and its status. */
  probe(name: "healthz" | "readyz" | "metrics"): Promise<{ status: number; text: string }>;
}

export interface BotOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Shares another bot's home, and so its database. */
  readonly home?: string;
  /** The program's file, where it is another project's. */
  readonly entry?: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** As the program begins itself anew, so that a start sets up one process and not two, which costs a fifth of it. */
export function asBegunAnew(args: readonly string[], env: Environment): Beginning {
  return begunAnew(args, { platform: process.platform, env }) ?? { args, env };
}

function spawnProgram(entry: string, cwd: string, given: Environment): ChildProcess {
  const { args, env } = asBegunAnew([entry], given);
  return spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
}

/** Parts are taken out of sources only (bench/worth/without.mjs). */
function entryFor(env: Readonly<Record<string, string>>): string {
  return env["DECKHAND_BENCH_WITHOUT"] === undefined ? ENTRY : SOURCES;
}

/** What it says when its parts are put together. */
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
  const kill = async (signal: "SIGKILL" | "SIGTERM") => {
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

/** How long to wait for what only a slow machine keeps back. A limit costs nothing but where something is broken. Milliseconds. */
const PATIENCE_MS = 120_000;

/** Waits for a condition of another process, which has no event to await. */
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
    // To look may take long, and who is waited for needs the processor, too.
    const tookMs = performance.now() - began;
    await new Promise((resolve) => setTimeout(resolve, Math.max(everyMs, 3 * tookMs)));
  }
}

const healthSchema = z.object({ runs: z.object({ running: z.number() }) });

/**
 * How many runs go on, by what /healthz says. The metrics say it, too, and whoever has asked for them once is watched by their
 * library from then on, a hundred times a second.
 */
export function runningOf(health: string): number {
  return healthSchema.parse(JSON.parse(health)).runs.running;
}

/** Waits until no run goes on: a run ends a moment after its answer, when its live message has folded. */
export async function untilIdle(bot: Bot): Promise<void> {
  const isIdle = async () => runningOf((await bot.probe("healthz")).text) === 0;
  await until(isIdle, { what: () => "the runs to end", everyMs: 40 });
}

/** Waits until an MCP server has been connected once, by what the log says. */
export async function untilConnected(bot: Bot, server: string): Promise<void> {
  const isConnected = (line: string) => line.includes(`"mcpServer":"${server}"`) && line.includes('"mcp_connected"');
  await until(() => bot.output().split("\n").some(isConnected), {
    what: () => `${server} to be connected:\n${bot.output()}`,
  });
}
