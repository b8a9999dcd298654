import { setTimeout as pause } from "node:timers/promises";
import { type Bot, createBot, runningOf, until } from "../program/bot.ts";

/** A replica of the program, with its supervisor. */
export interface Replica {
  readonly bot: Bot;
  /** Exits of its processes, oldest first: an exit code, or null after a signal. */
  readonly exits: readonly (number | null)[];
  /** Kills it abruptly; the supervisor restarts it. */
  kill(): Promise<void>;
  /** Stops it gracefully without restarting it. Resolves with its exit code. */
  stop(): Promise<number | null>;
  /** Starts it, supervised. Resolves when it is ready. */
  start(): Promise<void>;
  freeze(): void;
  thaw(): void;
  /** True if it reports readiness. */
  isReady(): Promise<boolean>;
  /** Number of runs in progress in it. */
  running(): Promise<number>;
}

/** Replicas of one program that share a home and a database. */
export interface Fleet extends AsyncDisposable {
  readonly replicas: readonly Replica[];
  /** Directory of their state. */
  readonly home: string;
  sandboxRoot(folder: string): string;
  /** Starts all at once. */
  start(): Promise<void>;
  /** Resolves when all are ready at the same time. */
  ready(): Promise<void>;
  /** Output of all replicas. */
  output(): string;
}

export interface FleetOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly replicas: number;
}

/** Delay before a supervisor restarts a process, in milliseconds. */
const RESTART_MS = 300;

/** Limit for starting several at once on a slow machine, in milliseconds. */
const START_MS = 240_000;

/**
 * Polling interval in milliseconds: probing three replicas takes ten milliseconds of processor time, and tests wait for
 * them most of a minute.
 */
export const LOOK_MS = 250;

export async function createFleet({ env, replicas: count }: FleetOptions): Promise<Fleet> {
  const first = await createBot({ env });
  const bots = [first];
  for (let index = 1; index < count; index += 1) {
    bots.push(await createBot({ env, home: first.home }));
  }
  const replicas = bots.map(supervised);
  return {
    replicas,
    home: first.home,
    sandboxRoot: (folder) => first.sandboxRoot(folder),
    start: async () => {
      await Promise.all(replicas.map((replica) => replica.start()));
    },
    ready: () =>
      until(async () => (await Promise.all(replicas.map((replica) => replica.isReady()))).every(Boolean), {
        limit: AbortSignal.timeout(START_MS),
        what: () => "all replicas to be ready",
        everyMs: LOOK_MS,
      }),
    output: () => bots.map((bot, index) => `— replica ${index} —\n${bot.output()}`).join("\n"),
    async [Symbol.asyncDispose]() {
      await Promise.all(replicas.map((replica) => replica.abandon()));
      // The first one's home is shared, so it is disposed of last.
      for (const bot of bots.toReversed()) await bot[Symbol.asyncDispose]();
    },
  };
}

function supervised(bot: Bot): Replica & { abandon(): Promise<void> } {
  const exits: (number | null)[] = [];
  let wanted = new AbortController();
  let watching: Promise<void> = Promise.resolve();
  const watch = async ({ signal }: AbortController) => {
    while (!signal.aborted) {
      bot.launch();
      exits.push(await bot.ended());
      await pause(RESTART_MS);
    }
  };
  const isReady = async () => bot.hasBegun() && (await probed(bot, "readyz"))?.status === 200;
  const end = async (signal: "SIGKILL" | "SIGTERM") => {
    wanted.abort();
    const code = await bot.kill(signal);
    await watching;
    return code;
  };
  return {
    bot,
    exits,
    isReady,
    async start() {
      wanted = new AbortController();
      watching = watch(wanted);
      await until(isReady, {
        limit: AbortSignal.timeout(START_MS),
        everyMs: LOOK_MS,
        what: () => `a replica to be ready:\n${bot.output()}`,
      });
    },
    async kill() {
      await bot.kill("SIGKILL");
    },
    stop: () => end("SIGTERM"),
    freeze: () => process.kill(bot.pid(), "SIGSTOP"),
    thaw: () => process.kill(bot.pid(), "SIGCONT"),
    async running() {
      const health = await probed(bot, "healthz");
      return health === null ? 0 : runningOf(health.text);
    },
    async abandon() {
      await end("SIGKILL");
    },
  };
}

/** Null if there is no answer, because the replica is starting, gone or frozen. */
async function probed(bot: Bot, name: "readyz" | "healthz"): Promise<{ status: number; text: string } | null> {
  try {
    const response = await fetch(`http://127.0.0.1:${bot.port}/${name}`, { signal: AbortSignal.timeout(2_000) });
    return { status: response.status, text: await response.text() };
  } catch {
    return null;
  }
}
