import { openCluster } from "../../src/core/store/cluster/cluster.ts";
import { eldestOther } from "../../src/core/store/cluster/members.ts";
import { answerForVolumes, proveVolumes } from "../../src/ownership/shared-volumes.ts";
import { systemRuntime } from "../../src/runtime.ts";
import { replicaOptions } from "../support/database/cluster.ts";

/** A replica that says who has shown its directory, or why it is refused: `node volume-process.ts <database> <directory>`. */
const [url = "", directory = ""] = process.argv.slice(2);
const runtime = systemRuntime();
const cluster = await openCluster({ ...replicaOptions(url, runtime), facts: { host: "test", pid: process.pid } });
const volumes = { cluster, places: [{ setting: "DECKHAND_HOME", directory }] };
answerForVolumes(volumes);
const eldest = () => eldestOther(cluster.id, cluster.connection);
try {
  const shownBy = await proveVolumes({ ...volumes, clock: runtime.clock, eldest });
  process.send?.(shownBy === null ? "the first" : `shown by ${shownBy.name}`);
} catch (error) {
  process.send?.(String(error));
  await cluster.close();
}
