import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { decisionContract } from "../../../contracts/decisions.ts";
import { startPostgres } from "../../../support/database/postgres.ts";

decisionContract("SQLite", async () => {
  const directory = mkdtempSync(path.join(tmpdir(), "deckhand-decisions-"));
  let created = 0;
  return {
    create: () => Promise.resolve(`file:${path.join(directory, `${++created}.db`)}`),
    close: () => Promise.resolve(rmSync(directory, { recursive: true, force: true })),
  };
});

decisionContract("PostgreSQL", async () => {
  const postgres = await startPostgres();
  return { create: () => postgres.createDatabase(), close: () => postgres.stop() };
});
