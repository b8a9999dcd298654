import { createRequire } from "node:module";
import path from "node:path";
import { type LoadedSdk, sdkOf } from "../../../src/core/dbos-engine/claims.ts";

const load = createRequire(import.meta.url);

/**
 * Loads a copy of DBOS for each replica of a test, because DBOS keeps its state in its modules, as in separate
 * processes.
 */
export async function copyOfDbos(): Promise<LoadedSdk> {
  const entry = load.resolve("@dbos-inc/dbos-sdk");
  const directory = path.dirname(entry);
  for (const file of Object.keys(load.cache)) if (file.startsWith(directory)) delete load.cache[file];
  const { DBOS }: typeof import("@dbos-inc/dbos-sdk") = load("@dbos-inc/dbos-sdk");
  const { DBOSExecutor }: typeof import("@dbos-inc/dbos-sdk/internal/dbos-executor") = load(
    "@dbos-inc/dbos-sdk/internal/dbos-executor",
  );
  return sdkOf(DBOS, DBOSExecutor);
}
