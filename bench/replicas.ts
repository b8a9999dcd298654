import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import { z } from "zod";
import { startPostgres } from "../test/support/database/postgres.ts";
import { startAnthropicServer } from "../test/support/model/anthropic-server.ts";
import { text } from "../test/support/model/model-script.ts";
import type { ModelServer } from "../test/support/model/model-server.ts";
import { until } from "../test/support/program/bot.ts";
import { countOnTheWire } from "../test/support/program/wire-counter.ts";
import { createFleet, type Fleet } from "../test/support/replicas/fleet.ts";
import { isIdle, percentile } from "../test/support/replicas/takeovers.ts";
import { type SlackServer, startSlackServer } from "../test/support/slack/slack-server.ts";
import type { Figure } from "./measure.ts";
import { childrenOf, processorMs } from "./program.ts";

/** Combinations of an engine and a number of its processes. */
const SET_UPS = [
  { engine: "embedded", replicas: 1 },
  { engine: "dbos", replicas: 1 },
  { engine: "dbos", replicas: 2 },
  { engine: "dbos", replicas: 3 },
] as const;
type SetUp = (typeof SET_UPS)[number];

/** Set-ups are measured in turn, so that other load on the machine affects all alike. */
const ROUNDS = 3;
const ABREAST = 20;
/** Each process looks each channel up once, and Slack allows all processes together fifty such calls a minute. */
const CHANNELS = 16;
/** Slack accepts a burst of eight posts per channel, then one a second. */
const THREADS_A_CHANNEL = 7;
const BURSTS = 3;
/** Time after which Slack accepts the next burst, in milliseconds. */
const BETWEEN_BURSTS_MS = 9_000;
const THREADS = CHANNELS * THREADS_A_CHANNEL;
/** Interval between threads that start one after the other, in milliseconds. */
const PACE_MS = 50;
/** Number of answers whose statements are counted. */
const COUNTED = 20;
/** How long statements are recorded while the program is idle, in milliseconds. */
const IDLE_MS = 2_000;
/** Time limit in milliseconds that only matters if something is broken. */
const PATIENCE_MS = 60_000;

/** Above all needs, because waiting for a rate limit is not work. */
const NO_LIMITS = { updatesPerMinute: 1e6, statusesPerMinute: 1e6, postBurst: 1e6, othersPerMinute: 1e6 };

interface Sample {
  readonly answersPerS: number;
  readonly processorMs: number;
  readonly database: DatabaseCost;
  readonly statements: number;
  /** Sorted, in milliseconds. */
  readonly requestsMs: readonly number[];
}

/** Measures threads on PostgreSQL with one, two and three replicas, compared with the engine of one process. */
export async function benchReplicas(): Promise<readonly Figure[]> {
  const samples = new Map<SetUp, Sample[]>(SET_UPS.map((setUp) => [setUp, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const setUp of SET_UPS) samples.get(setUp)?.push(await measured(setUp));
  }
  return [...samples].flatMap(([setUp, all]) => figuresOf(setUp, all, samples.get(SET_UPS[0]) ?? []));
}

function figuresOf(
  { engine, replicas }: SetUp,
  all: readonly Sample[],
  embedded: readonly Sample[],
): readonly Figure[] {
  const name = `${engine} × ${replicas}`;
  const isOne = engine === "dbos" && replicas === 1;
  const shares = all.map(({ answersPerS }, round) => (100 * answersPerS) / (embedded[round]?.answersPerS ?? 1));
  const later = (share: number) =>
    all.map(
      ({ requestsMs }, round) => percentile(requestsMs, share) - percentile(embedded[round]?.requestsMs ?? [], share),
    );
  const ofDatabase = (cost: keyof DatabaseCost) => all.map(({ database }) => database[cost]);
  const own: readonly Figure[] = [
    { name: `${name}: answers, ${ABREAST} abreast`, unit: "/s", aim: null, samples: all.map((one) => one.answersPerS) },
    { name: `${name}: processor of an answer`, unit: "ms", aim: null, samples: all.map((one) => one.processorMs) },
    { name: `${name}: PostgreSQL's processor of an answer`, unit: "ms", aim: null, samples: ofDatabase("processorMs") },
    { name: `${name}: write-ahead log of an answer`, unit: "KB", aim: null, samples: ofDatabase("logKb") },
    { name: `${name}: database of a thread`, unit: "KB", aim: null, samples: ofDatabase("sizeKb") },
    { name: `${name}: statements of an answer`, unit: "×", aim: null, samples: all.map((one) => one.statements) },
    {
      name: `${name}: mention → request, p50`,
      unit: "ms",
      aim: null,
      samples: all.map((one) => percentile(one.requestsMs, 0.5)),
    },
    {
      name: `${name}: mention → request, p99`,
      unit: "ms",
      aim: null,
      samples: all.map((one) => percentile(one.requestsMs, 0.99)),
    },
  ];
  if (engine === "embedded") return own;
  return [
    ...own,
    { name: `${name}: answers beside embedded`, unit: "%", aim: isOne ? { least: 80 } : null, samples: shares },
    { name: `${name}: picked up later than embedded, p50`, unit: "ms", aim: null, samples: later(0.5) },
    { name: `${name}: picked up later than embedded, p99`, unit: "ms", aim: isOne ? 40 : null, samples: later(0.99) },
  ];
}

async function measured({ engine, replicas }: SetUp): Promise<Sample> {
  const [postgres, model, slack] = await Promise.all([
    startPostgres(),
    startAnthropicServer(),
    startSlackServer({ limits: NO_LIMITS }),
  ]);
  model.script(() => text("Done."));
  const database = await postgres.createDatabase();
  const env = {
    ANTHROPIC_API_KEY: "test-key",
    ANTHROPIC_BASE_URL: model.url,
    DECKHAND_MODEL: "anthropic/claude-sonnet-5-5",
    DECKHAND_ENGINE: engine,
    DATABASE_URL: database,
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_APP_TOKEN: slack.appToken,
    SLACK_API_URL: slack.apiUrl,
    LOG_LEVEL: "warn",
  };
  try {
    const speed = await within({ env, replicas, slack }, async (fleet) => {
      const asking = new Asking(slack, model);
      await asking.abreast(THREADS, ABREAST);
      let tookMs = 0;
      let spentMs = 0;
      const costBefore = await databaseCost(database);
      for (let burst = 0; burst < BURSTS; burst += 1) {
        await rested(fleet);
        const before = processorOf(fleet);
        tookMs += await asking.abreast(THREADS, ABREAST);
        spentMs += processorOf(fleet) - before;
      }
      await rested(fleet);
      const costAfter = await databaseCost(database);
      const ofOne = (cost: keyof DatabaseCost) => (costAfter[cost] - costBefore[cost]) / (BURSTS * THREADS);
      return {
        database: { processorMs: ofOne("processorMs"), logKb: ofOne("logKb"), sizeKb: ofOne("sizeKb") },
        answersPerS: (1_000 * BURSTS * THREADS) / tookMs,
        processorMs: spentMs / (BURSTS * THREADS),
        requestsMs: await asking.paced(),
      };
    });
    await using wire = await countOnTheWire(database);
    const statements = await within({ env: { ...env, DATABASE_URL: wire.url }, replicas, slack }, async (fleet) => {
      const asking = new Asking(slack, model);
      await asking.abreast(THREADS, ABREAST);
      await rested(fleet);
      wire.take();
      await pause(IDLE_MS);
      const idlePerMs = wire.take().length / IDLE_MS;
      const tookMs = await asking.abreast(COUNTED, 1);
      return (wire.take().length - idlePerMs * tookMs) / COUNTED;
    });
    return { ...speed, statements };
  } finally {
    await Promise.all([model.close(), slack[Symbol.asyncDispose](), postgres.stop()]);
  }
}

/** What a database has cost since it was created. */
interface DatabaseCost {
  /** Processor time of all processes of the server, in milliseconds. */
  readonly processorMs: number;
  /** Write-ahead log of the server, in kilobytes. */
  readonly logKb: number;
  readonly sizeKb: number;
}

const costSchema = z.object({ server: z.number(), logKb: z.number(), sizeKb: z.number() });

async function databaseCost(url: string): Promise<DatabaseCost> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query(
      `SELECT split_part(pg_read_file('postmaster.pid'), chr(10), 1)::int AS server,
         (pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') / 1000)::float8 AS "logKb",
         (pg_database_size(current_database()) / 1000)::float8 AS "sizeKb"`,
    );
    const { server, ...sizes } = costSchema.parse(rows[0]);
    const spent = [server, ...childrenOf(server)].map(processorMs);
    return { ...sizes, processorMs: spent.reduce((sum, ms) => sum + ms, 0) };
  } finally {
    await client.end();
  }
}

interface Started {
  readonly env: Readonly<Record<string, string>>;
  readonly replicas: number;
  readonly slack: SlackServer;
}

async function within<T>({ slack, ...started }: Started, work: (fleet: Fleet) => Promise<T>): Promise<T> {
  await using fleet = await createFleet(started);
  await fleet.start();
  await until(() => slack.deliveries.openSockets === started.replicas, {
    limit: AbortSignal.timeout(PATIENCE_MS),
    what: () => "each replica to have a socket",
  });
  // Awaited here so that the fleet is disposed of after the work.
  return await work(fleet);
}

/** Waits until the program is idle and Slack accepts a full burst again. */
async function rested(fleet: Fleet): Promise<void> {
  await until(() => isIdle(fleet), { limit: AbortSignal.timeout(PATIENCE_MS), what: () => "the runs to end" });
  await pause(BETWEEN_BURSTS_MS);
}

function processorOf({ replicas }: Fleet): number {
  return replicas.reduce((sum, { bot }) => sum + processorMs(bot.pid()), 0);
}

/** People who mention the bot, each time in a new thread. */
class Asking {
  readonly #slack: SlackServer;
  readonly #model: ModelServer;
  /** Threads with an answer among the first `#read` calls to Slack. */
  readonly #answeredIn = new Set<string>();
  #read = 0;
  #threads = 0;

  constructor(slack: SlackServer, model: ModelServer) {
    this.#slack = slack;
    this.#model = model;
  }

  /** Asks in a number of threads, some of them at once. Resolves with the milliseconds until all are answered. */
  async abreast(threads: number, atOnce: number): Promise<number> {
    const started = performance.now();
    let left = threads;
    const person = async () => {
      while (left > 0) {
        left -= 1;
        await this.#answered(this.#mention());
      }
    };
    await Promise.all(Array.from({ length: atOnce }, person));
    return performance.now() - started;
  }

  /** Starts threads at an even pace; returns the sorted milliseconds until each reached the model. */
  async paced(): Promise<readonly number[]> {
    const from = this.#model.requests.length;
    const saidAt = new Map<string, number>();
    for (let thread = 0; thread < THREADS; thread += 1) {
      await pause(PACE_MS);
      saidAt.set(this.#mention().words, Date.now());
    }
    await until(() => this.#model.requests.length - from >= THREADS, {
      limit: AbortSignal.timeout(PATIENCE_MS),
      what: () => "the requests",
    });
    return this.#model.requests
      .slice(from)
      .map(
        ({ lastUserText, arrivedAt }) =>
          arrivedAt - (saidAt.get(/question \d+!/u.exec(lastUserText)?.[0] ?? "") ?? Number.NaN),
      )
      .toSorted((a, b) => a - b);
  }

  #mention(): { readonly words: string; readonly ts: string } {
    this.#threads += 1;
    const words = `question ${this.#threads}!`;
    const channel = `C${10_000 + (this.#threads % CHANNELS)}`;
    return { words, ts: this.#slack.people.mention({ text: words, channel }).ts };
  }

  async #answered({ ts }: { readonly ts: string }): Promise<void> {
    const limit = AbortSignal.timeout(PATIENCE_MS);
    while (!this.#hasPosted(ts)) {
      limit.throwIfAborted();
      await pause(1);
    }
  }

  #hasPosted(ts: string): boolean {
    const { calls } = this.#slack;
    for (; this.#read < calls.length; this.#read += 1) {
      const { method, args } = calls[this.#read] ?? {};
      if (method === "chat.postMessage" && args?.["text"] === "Done." && args["thread_ts"] !== undefined)
        this.#answeredIn.add(args["thread_ts"]);
    }
    return this.#answeredIn.has(ts);
  }
}
