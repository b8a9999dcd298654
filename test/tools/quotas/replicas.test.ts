import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { openCluster } from "../../../src/core/store/cluster/cluster.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { createQuotas } from "../../../src/tools/quotas/quotas.ts";
import { replicaOptions } from "../../support/database/cluster.ts";
import { type Postgres, startPostgres } from "../../support/database/postgres.ts";
import { silentLog } from "../../support/silent-log.ts";
import { tempDirectory } from "../../support/temp-directory.ts";
import { MB } from "./quota-session.ts";

let postgres: Postgres;

beforeAll(async () => {
  postgres = await startPostgres();
});

afterAll(() => postgres.stop());

test("a person's daily quota is shared by all processes", async () => {
  const url = await postgres.createDatabase();
  const runtime = systemRuntime();
  const { clock } = runtime;
  const open = async () => {
    const cluster = await openCluster(replicaOptions(url, runtime));
    onTestFinished(() => cluster.close());
    const limits = { root: () => 10 * MB, person: 2 * MB, channel: 3 * MB };
    return createQuotas({ limits, isGiven: () => false, ledger: cluster.growth, clock, log: silentLog });
  };
  const [first, second] = [await open(), await open()];
  const place = { root: tempDirectory(), personId: "slack:U1", channelKey: "slack:C1" };
  await first.ready(place);
  first.take(place, 1_800_000);
  await first.close();
  await second.ready(place);
  expect(() => second.take(place, 900_000)).toThrow(/added 1\.8 MB of 2 MB/u);
  expect(() => second.take({ ...place, personId: "slack:U2" }, 900_000)).not.toThrow();
  await second.close();
});
