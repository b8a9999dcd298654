import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { memoriesContract } from "../../contracts/memories.ts";
import { startPostgres } from "../../support/database/postgres.ts";

memoriesContract("sqlite", async () => {
  const directory = mkdtempSync(path.join(tmpdir(), "deckhand-memories-"));
  let created = 0;
  return {
    create: () => Promise.resolve(`file:${path.join(directory, `${++created}.db`)}`),
    close: () => Promise.resolve(rmSync(directory, { recursive: true, force: true })),
  };
});

memoriesContract("postgresql", async () => {
  const postgres = await startPostgres();
  return { create: () => postgres.createDatabase(), close: () => postgres.stop() };
});
