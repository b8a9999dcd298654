import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, onTestFinished } from "vitest";
import { openStore, type Store } from "../../../src/core/store/store.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { removeDirectory } from "../remove-directory.ts";
import { emptyDatabase } from "./empty-database.ts";

export interface EmptiedDatabase {
  readonly store: Store;
  readonly url: string;
}

interface Database extends EmptiedDatabase {
  readonly directory: string;
  readonly file: string;
}

/**
 * Real databases for the tests of a file, each empty when it is taken and given back when its test ends.
 * To migrate a file and warm a client takes longer than most of what tests do with them.
 */
export function useEmptiedDatabases(): () => Promise<Store> {
  const emptied = useEmptiedFiles();
  return async () => (await emptied()).store;
}

/** The same, with their addresses. */
export function useEmptiedFiles(): () => Promise<EmptiedDatabase> {
  const all: Database[] = [];
  const free: Database[] = [];
  afterAll(async () => {
    for (const { store, directory } of all) {
      await store.close();
      await removeDirectory(directory);
    }
  });
  const open = async (): Promise<Database> => {
    const directory = mkdtempSync(path.join(tmpdir(), "deckhand-test-"));
    const file = path.join(directory, "test.db");
    const url = `file:${file}`;
    const database = { store: await openStore(url, systemRuntime()), url, directory, file };
    all.push(database);
    return database;
  };
  return async () => {
    const database = free.pop() ?? (await open());
    onTestFinished(() => {
      free.push(database);
    });
    emptyDatabase(database.file);
    return database;
  };
}
