import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { meaningsContract } from "../../contracts/meanings.ts";
import { startPostgres } from "../../support/database/postgres.ts";

meaningsContract("sqlite", async () => {
  const directory = mkdtempSync(path.join(tmpdir(), "deckhand-meanings-"));
  let created = 0;
  return {
    create: () => Promise.resolve(`file:${path.join(directory, `${++created}.db`)}`),
    close: () => Promise.resolve(rmSync(directory, { recursive: true, force: true })),
  };
});

meaningsContract("postgresql", async () => {
  const postgres = await startPostgres();
  return { create: () => postgres.createDatabase(), close: () => postgres.stop() };
});
