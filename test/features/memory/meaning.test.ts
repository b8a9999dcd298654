import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { meaningsContract } from "../../contracts/meanings.ts";
import type { DatabaseHarness } from "../../contracts/store.ts";
import { startPostgres } from "../../support/database/postgres.ts";
import { meaningsSpentContract } from "./meanings-spent-contract.ts";

function onSqlite(): Promise<DatabaseHarness> {
  const directory = mkdtempSync(path.join(tmpdir(), "deckhand-meanings-"));
  let created = 0;
  return Promise.resolve({
    create: () => Promise.resolve(`file:${path.join(directory, `${++created}.db`)}`),
    close: () => Promise.resolve(rmSync(directory, { recursive: true, force: true })),
  });
}

async function onPostgresql(): Promise<DatabaseHarness> {
  const postgres = await startPostgres();
  return { create: () => postgres.createDatabase(), close: () => postgres.stop() };
}

for (const contract of [meaningsContract, meaningsSpentContract]) {
  contract("sqlite", onSqlite);
  contract("postgresql", onPostgresql);
}
