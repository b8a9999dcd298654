import { expect, onTestFinished, test } from "vitest";
import { isStoreFailure } from "../../../../src/core/protocol/database-failure.ts";
import { openStore } from "../../../../src/core/store/store.ts";
import { query, startPostgres } from "../../../support/database/postgres.ts";
import { ManualClock } from "../../../support/manual-clock.ts";
import { countingIds, seededRandom } from "../../../support/runtime.ts";

test("a connection that breaks in the middle of a transaction is the database's failure, and the next one is made anew", async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  const url = await postgres.createDatabase();
  const store = await openStore(url, { clock: new ManualClock(0), ids: countingIds(), random: seededRandom(1) });
  onTestFinished(() => store.close());
  const cut = () =>
    query(
      url,
      "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()",
    );
  const failed = store.transaction(async (tx) => {
    await tx.runs.interrupted();
    await cut();
    return tx.runs.interrupted();
  });
  const error = await failed.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(Error);
  expect(isStoreFailure(error)).toBe(true);
  expect(await store.transaction((tx) => tx.runs.interrupted())).toEqual([]);
});
