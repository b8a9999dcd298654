import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { openStore, type Store } from "../../../src/core/store/store.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { DATABASES } from "./databases-place.ts";
import { emptyDatabase, emptyPostgres, openFileStore } from "./empty-database.ts";
import { type Postgres, startPostgres } from "./postgres.ts";

export interface EmptiedDatabase {
  readonly store: Store;
  readonly url: string;
}

interface OpenFile extends EmptiedDatabase {
  readonly file: string;
}

/**
 * Databases that no test is using. They stay open for later test files of the process, because migrating one and
 * warming its client takes longer than most of what tests do with it.
 */
const free: OpenFile[] = [];

/** Returns a real, empty database for the running test; reclaimed when the test ends. */
export async function emptyStore(): Promise<Store> {
  return (await emptyFile()).store;
}

/** Returns an empty database file with its address. */
async function emptyFile(): Promise<EmptiedDatabase> {
  const database = free.pop() ?? (await openFile());
  onTestFinished(() => {
    free.push(database);
  });
  emptyDatabase(database.file);
  return database;
}

async function openFile(): Promise<OpenFile> {
  const directory = mkdtempSync(path.join(process.env[DATABASES] ?? tmpdir(), "deckhand-test-"));
  const file = path.join(directory, "test.db");
  return { store: await openFileStore(file), url: `file:${file}`, file };
}

export const useEmptiedDatabases = () => emptyStore;
export const useEmptiedFiles = () => emptyFile;

interface ServedDatabase extends EmptiedDatabase {
  readonly client: Client;
}

/** First object id of user objects; lower ones came with the server. */
const FIRST_OWN_OID = 16_384;

/**
 * A PostgreSQL server for the tests of a file, with databases that are empty when taken and reclaimed when their test
 * ends. Creating and migrating one takes client and server a fifth of a second, emptying it a tenth of that.
 */
export function useEmptiedPostgres(): () => Promise<EmptiedDatabase> {
  const all: ServedDatabase[] = [];
  const free: ServedDatabase[] = [];
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(async () => {
    for (const { store, client } of all) {
      await store.close();
      await client.end();
    }
    await postgres.stop();
  });
  const open = async (): Promise<ServedDatabase> => {
    const url = await postgres.createDatabase();
    const store = await openStore(url, systemRuntime());
    const client = new Client({ connectionString: url });
    await client.connect();
    const database = { store, url, client };
    all.push(database);
    return database;
  };
  return async () => {
    const database = free.pop() ?? (await open());
    onTestFinished(() => {
      free.push(database);
    });
    await emptyPostgres(database.client);
    // Sequences restart, and the planner's statistics are reset.
    await database.client.query(
      `SELECT setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false) FROM pg_sequences
       WHERE schemaname = 'public'; DELETE FROM pg_statistic WHERE starelid >= ${FIRST_OWN_OID}`,
    );
    return database;
  };
}
