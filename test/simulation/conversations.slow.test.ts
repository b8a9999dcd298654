import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openStore, type Store } from "../../src/core/store/store.ts";
import { systemRuntime } from "../../src/runtime.ts";
import { emptyDatabase, emptyPostgres } from "../support/database/empty-database.ts";
import { startPostgres } from "../support/database/postgres.ts";
import { removeDirectory } from "../support/remove-directory.ts";
import { playConversation, type Report } from "../support/simulation/conversation.ts";
import { DbosHouse } from "../support/simulation/dbos-house.ts";
import { SdkCopies } from "../support/simulation/replica-sdk.ts";
import { embeddedHouse, type OpenHouse } from "../support/simulation/sim-seat.ts";

/**
 * `SIM_SEED=17 npm run test:all -- test/simulation` replays one seed, `SIM_SEED=101-400 …` a range, `SIM_SEEDS=1000 …`
 * that many from 1. These run on the embedded engine, with `SIM_ENGINE=dbos` on DBOS Transact. On the embedded engine,
 * equal seeds give equal histories. On DBOS Transact they do not: a seed decides what people ask, which faults occur
 * and when processes die, but which of two replicas takes a session is decided in real time.
 */
const { SIM_SEED, SIM_SEEDS } = process.env;
const chosen = process.env["SIM_ENGINE"] ?? (SIM_SEED === undefined && SIM_SEEDS === undefined ? "both" : "embedded");
const BATCH = 20;

interface Engine {
  readonly name: "embedded" | "dbos";
  /**
   * Number of seeds that the suite plays. The first eighteen contain each way in which work can end, and up to six
   * kills. A seed with replicas takes ten times as long.
   */
  readonly seeds: number;
  open(parts: AsyncDisposableStack): Promise<Played>;
}

interface Played {
  /** One store for all seeds: warming a client up takes a fifth of a seed's time. */
  readonly store: Store;
  readonly house: OpenHouse;
  readonly empty: () => Promise<void>;
}

const embedded: Engine = {
  name: "embedded",
  seeds: 20,
  async open(parts) {
    const directory = mkdtempSync(path.join(tmpdir(), "deckhand-simulation-"));
    parts.defer(() => removeDirectory(directory));
    const database = path.join(directory, "simulation.db");
    const store = await openStore(`file:${database}`, systemRuntime());
    parts.defer(() => store.close());
    return { store, house: embeddedHouse, empty: () => Promise.resolve(emptyDatabase(database)) };
  },
};

const dbos: Engine = {
  name: "dbos",
  seeds: 4,
  async open(parts) {
    const postgres = await startPostgres();
    parts.defer(() => postgres.stop());
    const url = await postgres.createDatabase();
    const store = await openStore(url, systemRuntime());
    parts.defer(() => store.close());
    const observer = new Client({ connectionString: url });
    await observer.connect();
    parts.defer(() => observer.end());
    const options = { url, observer, copies: new SdkCopies() };
    return { store, house: (world) => new DbosHouse(world, options), empty: () => emptyPostgres(observer) };
  },
};

const ENGINES = [embedded, dbos].filter(({ name }) => chosen === "both" || chosen === name);
const parts = new AsyncDisposableStack();
const played = new Map<Engine, Played>();

beforeAll(async () => {
  for (const engine of ENGINES) played.set(engine, await engine.open(parts));
}, 60_000);

afterAll(() => parts.disposeAsync());

function seedsOf({ seeds }: Engine): readonly number[] {
  const [first = 1, last = first] = (SIM_SEED ?? `1-${SIM_SEEDS ?? seeds}`).split("-").map(Number);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

const batches = ENGINES.flatMap((engine) => {
  const seeds = seedsOf(engine);
  return Array.from({ length: Math.ceil(seeds.length / BATCH) }, (_, index) => ({
    engine,
    name: engine.name,
    first: seeds[index * BATCH],
    seeds: seeds.slice(index * BATCH, (index + 1) * BATCH),
  }));
});

test.each(batches)(
  "every request is answered once, whatever dies or fails on the way ($name, seeds from $first)",
  async ({ engine, seeds }) => {
    const { store, house, empty } = played.get(engine) ?? (await engine.open(parts));
    for (const seed of seeds) {
      await empty();
      expectWell(
        await playConversation(seed, store, house),
        `SIM_ENGINE=${engine.name} SIM_SEED=${seed} npm run test:all -- test/simulation`,
      );
    }
  },
  600_000,
);

function expectWell(report: Report, command: string): void {
  expect(report, `replay with: ${command}`).toMatchObject({
    finished: true,
    asks: report.asks.map(({ id, answers, mayBeUnanswered }) => ({
      id,
      answers: mayBeUnanswered ? Math.min(answers, 1) : 1,
    })),
    wrongLines: [],
    rateLimited: 0,
    unfolded: [],
    failures: [],
    repeatedLaunches: [],
    unallowed: [],
    wrongDecisions: [],
    openCards: [],
    mischarged: [],
  });
}
