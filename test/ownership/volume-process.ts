import { openCluster } from "../../src/core/store/cluster/cluster.ts";
import { eldestOther } from "../../src/core/store/cluster/members.ts";
import { answerVolumeChecks, unverifiedWarning, verifySharedVolumes } from "../../src/ownership/shared-volumes.ts";
import { systemRuntime } from "../../src/runtime.ts";
import { replicaOptions } from "../support/database/cluster.ts";

/**
 * A replica that reports which processes have shown its directory, or why it is refused: `node volume-process.ts
 * <database> <directory> [older]`.
 */
const [url = "", directory = "", version] = process.argv.slice(2);
/** An older version, which does not show its directories yet. */
const isOlder = version === "older";
const runtime = systemRuntime();
const cluster = await openCluster({
  ...replicaOptions(url, runtime),
  facts: { host: "test", pid: process.pid, ...(isOlder ? {} : { showsDirectories: true }) },
});
const volumes = { cluster, directories: [{ setting: "DECKHAND_HOME", directory }] };
if (!isOlder) answerVolumeChecks(volumes);
const eldest = () => eldestOther(cluster.id, cluster.connection);
try {
  const shown = await verifySharedVolumes({ ...volumes, clock: runtime.clock, eldest });
  if (shown === null) process.send?.("the first");
  else process.send?.(shown.isVerified ? `shown by ${shown.by.name}` : unverifiedWarning(shown));
} catch (error) {
  process.send?.(String(error));
  await cluster.close();
}
