import type { Config } from "../config.ts";
import type { ClusterTopic } from "../core/cluster.ts";
import { createLogger } from "../operations/logging.ts";

/** The command line among those that tell. */
const COMMAND_LINE = "command-line";

/**
 * Tells the processes that run on the database, from beside them. Where it cannot, they find out by themselves, some seconds
 * later. Never rejects.
 */
export async function tellProcesses(
  { engine, database }: Pick<Config, "engine" | "database">,
  topic: ClusterTopic,
): Promise<void> {
  if (engine !== "dbos") return;
  const { openClusterConnection } = await import("../core/store/cluster/cluster-connection.ts");
  const { openWords } = await import("../core/store/cluster/cluster-words.ts");
  try {
    const connection = await openClusterConnection(database.directUrl);
    try {
      const { tell } = await openWords({ connection, id: COMMAND_LINE, log: createLogger("silent", []) });
      await tell(topic, "");
    } finally {
      await connection.close();
    }
  } catch {
    // A word may be lost.
  }
}
