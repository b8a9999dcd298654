import { openClusterConnection, setUpCluster } from "../../../src/core/store/cluster/cluster-connection.ts";
import { RateRows } from "../../../src/core/store/cluster/rate-rows.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { silentLog } from "../silent-log.ts";
import { startPostgres } from "./postgres.ts";

/** Rate counters for several processes on a PostgreSQL that is stopped with `parts`. */
export async function sharedRates(parts: AsyncDisposableStack, processes: number): Promise<RateRows[]> {
  const postgres = await startPostgres();
  parts.defer(() => postgres.stop());
  const url = await postgres.createDatabase();
  const { clock } = systemRuntime();
  const open = async () => {
    const connection = await openClusterConnection(url);
    parts.defer(() => connection.close());
    await setUpCluster(connection, { clock }, () => Promise.resolve());
    return new RateRows({ connection, clock, log: silentLog });
  };
  return Promise.all(Array.from({ length: processes }, open));
}
