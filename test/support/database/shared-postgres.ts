import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { memoryDirectory } from "../run/memory-directory.ts";
import { DATABASES } from "./databases-place.ts";
import { type OwnPostgres, prepareShared, startOwnPostgres } from "./postgres.ts";
import { answerWithPort } from "./shared-port.ts";

/** Enough for six files at once, some of which start three programs. */
const MAX_CONNECTIONS = 600;

/**
 * Sets up what the files of a run share: one PostgreSQL, started on first use, and a directory for databases that are
 * emptied and reused.
 */
export default async function setUp(): Promise<() => Promise<void>> {
  const parent = memoryDirectory() ?? tmpdir();
  const directory = mkdtempSync(path.join(parent, "deckhand-run-"));
  process.env[DATABASES] ??= directory;
  let server: OwnPostgres | null = null;
  const leave = await answerWithPort(async () => {
    server = await startOwnPostgres({ maxConnections: MAX_CONNECTIONS, parent });
    await prepareShared(server, migrate);
    return Number(new URL(server.url).port);
  });
  return async () => {
    leave?.();
    await server?.stop();
    rmSync(directory, { recursive: true, force: true });
  };
}

/** Imports lazily, since most runs of single files need no database. */
async function migrate(url: string): Promise<void> {
  const [{ openStore }, { systemRuntime }] = await Promise.all([
    import("../../../src/core/store/store.ts"),
    import("../../../src/runtime.ts"),
  ]);
  const store = await openStore(url, systemRuntime());
  await store.close();
}
