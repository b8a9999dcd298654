import type { Config } from "../config.ts";
import type { ClusterTopic } from "../core/cluster.ts";
import { createLogger } from "../operations/logging.ts";

const COMMAND_LINE = "command-line";

/**
 * Notifies the processes that run on the database, from outside them. If that fails, they notice by themselves some
 * seconds later. Never rejects.
 */
export async function notifyProcesses(
  { engine, database }: Pick<Config, "engine" | "database">,
  topic: ClusterTopic,
): Promise<void> {
  if (engine !== "dbos") return;
  const { openClusterConnection } = await import("../core/store/cluster/cluster-connection.ts");
  const { openNotifications } = await import("../core/store/cluster/notifications.ts");
  try {
    const connection = await openClusterConnection(database.directUrl);
    try {
      const { publish } = await openNotifications({ connection, id: COMMAND_LINE, log: createLogger("silent", []) });
      await publish(topic, "");
    } finally {
      await connection.close();
    }
  } catch {
    // Notifications may be lost.
  }
}
