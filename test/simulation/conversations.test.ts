import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openStore, type Store } from "../../src/core/store/store.ts";
import { systemRuntime } from "../../src/runtime.ts";
import { emptyDatabase } from "../support/database/empty-database.ts";
import { removeDirectory } from "../support/remove-directory.ts";
import { playConversation } from "../support/simulation/conversation.ts";

/** `SIM_SEED=17 npm test -- test/simulation` replays one seed, `SIM_SEED=101-400 …` plays these, `SIM_SEEDS=1000 …` so many. */
const [first = 1, last = first] = (process.env["SIM_SEED"] ?? `1-${process.env["SIM_SEEDS"] ?? 100}`)
  .split("-")
  .map(Number);
const SEEDS = Array.from({ length: last - first + 1 }, (_, index) => first + index);
const BATCH = 25;

let directory: string;
let database: string;
/** One for all seeds: to warm a client takes a fifth of what a seed takes. */
let store: Store;

beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), "deckhand-simulation-"));
  database = path.join(directory, "simulation.db");
  store = await openStore(`file:${database}`, systemRuntime());
});

afterAll(async () => {
  await store.close();
  await removeDirectory(directory);
});

const batches = Array.from({ length: Math.ceil(SEEDS.length / BATCH) }, (_, index) =>
  SEEDS.slice(index * BATCH, (index + 1) * BATCH),
);

test.each(batches)(
  "every request is answered once, whatever dies or fails on the way (seeds from %i)",
  async (...seeds) => {
    for (const seed of seeds) {
      emptyDatabase(database);
      const report = await playConversation(seed, store);
      expect(report, `replay with: SIM_SEED=${seed} npm test -- test/simulation`).toMatchObject({
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
  },
  120_000,
);
