import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { keepFair } from "../../../../src/core/store/cluster/claim-rows.ts";
import { openClusterConnection } from "../../../../src/core/store/cluster/cluster-connection.ts";
import { openStore } from "../../../../src/core/store/store.ts";
import { systemRuntime } from "../../../../src/runtime.ts";
import { createSession } from "../../../contracts/engine-recorder.ts";
import { type Postgres, startPostgres } from "../../../support/database/postgres.ts";

let postgres: Postgres;

beforeAll(async () => {
  postgres = await startPostgres();
});

afterAll(() => postgres.stop());

const CLAIMS = `CREATE SCHEMA dbos; CREATE TABLE dbos.workflow_status (workflow_uuid text, status text, created_at bigint,
  queue_name text, queue_partition_key text, delay_until_epoch_ms bigint)`;

/** Number of waiting sessions, more than one channel may have queued ahead of the others. */
const WAITING = 40;

/** Maximum difference between the clocks of two machines, in milliseconds. */
const APART_MS = 5 * 60_000;

test("a claim deferred for fairness is not requeued early by a process whose clock is minutes ahead", async () => {
  const url = await postgres.createDatabase();
  const store = await openStore(url, systemRuntime());
  const connection = await openClusterConnection(url);
  onTestFinished(async () => {
    await connection.close();
    await store.close();
  });
  await connection.query(CLAIMS);
  for (let index = 0; index < WAITING; index += 1) {
    const values = [await createSession(store, "crowded"), index];
    await connection.query(
      "INSERT INTO dbos.workflow_status VALUES ($1, 'ENQUEUED', $2::bigint, 'sessions', $1, NULL)",
      values,
    );
  }
  const { moved, waiting } = await keepFair(connection);
  expect({ moved: moved > 0, waiting }).toEqual({ moved: true, waiting: WAITING });
  // DBOS selects delayed workflows like this, by the clock of its process.
  const due = await connection.query(
    "SELECT FROM dbos.workflow_status WHERE status = 'DELAYED' AND delay_until_epoch_ms <= $1::bigint",
    [Date.now() + APART_MS],
  );
  expect(due).toEqual([]);
});
