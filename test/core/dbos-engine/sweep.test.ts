import { afterAll, beforeAll, expect, test } from "vitest";
import type { Clock } from "../../../src/core/protocol/runtime.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { createSession, event } from "../../contracts/engine-recorder.ts";
import { startReplica } from "../../support/database/cluster.ts";
import { type Postgres, startPostgres } from "../../support/database/postgres.ts";

let postgres: Postgres;

beforeAll(async () => {
  postgres = await startPostgres();
});

afterAll(() => postgres.stop());

/** Factor by which long waits are shortened. */
const QUICKER = 20;

/** Shortens long waits, and counts the sweeps, which are the only waits of 10 seconds. */
function quickClock(sweeps: { count: number }): Clock {
  const { clock } = systemRuntime();
  return {
    ...clock,
    after(ms, then) {
      if (ms === 10_000) sweeps.count += 1;
      return clock.after(ms >= 1_000 ? ms / QUICKER : ms, then);
    },
  };
}

test("a run that keeps failing is retried with backoff, however many processes sweep", async () => {
  const url = await postgres.createDatabase();
  const sweeps = { count: 0 };
  let tries = 0;
  const fails = () => {
    tries += 1;
    return Promise.reject(new Error("the channel is gone"));
  };
  const clock = quickClock(sweeps);
  const [first] = [await startReplica(url, fails, { clock }), await startReplica(url, fails, { clock })];
  const id = await createSession(first.store);
  await first.engine.deliver(id, event(`${id}:poison`));
  await expect.poll(() => sweeps.count, { timeout: 60_000 }).toBeGreaterThanOrEqual(20);
  expect(tries).toBeGreaterThan(0);
  expect(tries).toBeLessThanOrEqual(sweeps.count / 2);
});
