import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { bad, type Finding, good, warned } from "../cli/doctor/finding.ts";
import type { Config } from "../config.ts";
import { ConfigError, toAppError } from "../core/protocol/errors.ts";
import { reasonOf } from "../core/protocol/explain.ts";
import type { ClusterConnection } from "../core/store/cluster/cluster-connection.ts";
import { createLogger } from "../operations/logging.ts";
import { systemRuntime } from "../runtime.ts";
import { VERSION } from "../version.ts";
import { commonSettings, compareSettings, otherVersions } from "./common-settings.ts";

/** Reports which processes share the database, and how their settings differ from these. */
export async function checkReplicas(config: Config): Promise<readonly Finding[]> {
  if (config.engine !== "dbos") return [];
  const { openClusterConnection } = await import("../core/store/cluster/cluster-connection.ts");
  const { findMembers } = await import("../core/store/cluster/members.ts");
  try {
    const connection = await openClusterConnection(config.database.directUrl);
    try {
      const members = await findMembers(connection);
      const { problems, warnings } = compareSettings(commonSettings(config), members);
      const names = members.map(({ host, pid }) => `${host}:${pid}`).join(", ");
      const text =
        members.length === 0 ? "no other process is running on the database" : `processes on the database: ${names}`;
      return [
        good(text),
        ...problems.map(bad),
        ...[...warnings, ...otherVersions(VERSION, members)].map(warned),
        ...(members.length === 0 ? [] : await checkVolumes(config, connection)),
      ];
    } finally {
      await connection.close();
    }
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(bad);
    return [bad(reasonOf(toAppError(error)))];
  }
}

/** Checks that the directories are those of the other processes, as a start does, but without joining them. */
async function checkVolumes(config: Config, connection: ClusterConnection): Promise<readonly Finding[]> {
  const { verifySharedVolumes, sharedDirectories, unverifiedWarning } = await import("./shared-volumes.ts");
  const places = sharedDirectories(config);
  // A check does not create directories, as a start would.
  const missing = places.filter(({ directory }) => !existsSync(directory));
  if (missing.length > 0)
    return missing.map(({ setting, directory }) =>
      bad(`${setting}: ${directory} does not exist. Mount the volume that the running processes use.`),
    );
  const { openNotifications } = await import("../core/store/cluster/notifications.ts");
  const { eldestOther } = await import("../core/store/cluster/members.ts");
  const id = `doctor_${randomUUID()}`;
  const words = await openNotifications({ connection, id, log: createLogger("silent", []) });
  try {
    const eldest = () => eldestOther(id, connection);
    const verified = await verifySharedVolumes({
      cluster: { id, ...words },
      directories: places,
      clock: systemRuntime().clock,
      eldest,
    });
    if (verified === null) return [];
    if (!verified.isVerified) return [warned(unverifiedWarning(verified))];
    return [good(`the directories are the same as those of replica ${verified.by.name}`)];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(bad);
    throw error;
  }
}
