import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { startPostgres } from "../../support/database/postgres.ts";
import { lessonsContract } from "./lessons-contract.ts";

lessonsContract("sqlite", async () => {
  const directory = mkdtempSync(path.join(tmpdir(), "deckhand-lessons-"));
  let created = 0;
  return {
    create: () => Promise.resolve(`file:${path.join(directory, `${++created}.db`)}`),
    close: () => Promise.resolve(rmSync(directory, { recursive: true, force: true })),
  };
});

lessonsContract("postgresql", async () => {
  const postgres = await startPostgres();
  return { create: () => postgres.createDatabase(), close: () => postgres.stop() };
});
