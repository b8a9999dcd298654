import type { Finding } from "../cli/checks.ts";
import type { Config } from "../config.ts";
import { toAppError } from "../core/protocol/errors.ts";
import { reasonOf } from "../core/protocol/explain.ts";
import { VERSION } from "../version.ts";
import { compareSettings, settingDigests } from "./common-settings.ts";

/** What doctor finds of the processes that share the database: who runs, and how these settings differ from theirs. */
export async function checkReplicas(config: Config): Promise<readonly Finding[]> {
  if (config.engine !== "dbos") return [];
  const { openClusterConnection } = await import("../core/store/cluster/cluster-connection.ts");
  const { findMembers } = await import("../core/store/cluster/members.ts");
  try {
    const connection = await openClusterConnection(config.database.directUrl);
    try {
      const members = await findMembers(connection);
      const { problems, warnings } = compareSettings({ version: VERSION, settings: settingDigests(config) }, members);
      const names = members.map(({ host, pid }) => `${host}:${pid}`).join(", ");
      const text =
        members.length === 0 ? "no other process runs on the database" : `processes on the database: ${names}`;
      return [
        { ok: true, text },
        ...problems.map((problem) => ({ ok: false, text: problem })),
        ...warnings.map((warning) => ({ ok: true, isWarning: true as const, text: warning })),
      ];
    } finally {
      await connection.close();
    }
  } catch (error) {
    return [{ ok: false, text: reasonOf(toAppError(error)) }];
  }
}
