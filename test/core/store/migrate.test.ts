import { cpSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { expect, test } from "vitest";
import { openSqlite } from "../../../src/core/store/sqlite.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { tempDirectory } from "../../support/temp-directory.ts";

const MIGRATIONS = path.resolve(import.meta.dirname, "../../../prisma/sqlite/migrations");

interface Applied {
  migration_name: string;
  checksum: string;
  finished_at: string | null;
  applied_steps_count: number;
}

function applied(file: string): Applied[] {
  const connection = new BetterSqlite3(file);
  try {
    return connection.prepare<[], Applied>("SELECT * FROM _prisma_migrations ORDER BY migration_name").all();
  } finally {
    connection.close();
  }
}

async function open(file: string, migrations = MIGRATIONS): Promise<void> {
  const client = await openSqlite(`file:${file}`, migrations, systemRuntime());
  await client.$disconnect();
}

test("a new database gets every migration, and a second start none", async () => {
  const file = path.join(tempDirectory(), "sub/deckhand.db");
  await open(file);
  const names = readdirSync(MIGRATIONS, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
  expect(applied(file).map((row) => row.migration_name)).toEqual(names);
  expect(applied(file).every((row) => row.finished_at !== null && row.applied_steps_count === 1)).toBe(true);
  const before = applied(file);
  await open(file);
  expect(applied(file)).toEqual(before);
});

test("a database from a newer version is refused and left as it is", async () => {
  const directory = tempDirectory();
  const file = path.join(directory, "deckhand.db");
  const newer = path.join(directory, "newer");
  cpSync(MIGRATIONS, newer, { recursive: true });
  cpSync(
    path.join(newer, readdirSync(newer).find((name) => name.endsWith("_init")) ?? ""),
    path.join(newer, "99990101000000_future"),
    { recursive: true },
  );
  writeFileSync(path.join(newer, "99990101000000_future/migration.sql"), 'CREATE TABLE "Future" ("id" TEXT);');
  await open(file, newer);
  const before = applied(file);
  await expect(open(file)).rejects.toMatchObject({ code: "database_newer" });
  expect(applied(file)).toEqual(before);
});

test("a migration that was changed after it was applied is refused", async () => {
  const directory = tempDirectory();
  const file = path.join(directory, "deckhand.db");
  const changed = path.join(directory, "changed");
  await open(file);
  cpSync(MIGRATIONS, changed, { recursive: true });
  const [name] = readdirSync(changed).filter((entry) => entry.endsWith("_init"));
  writeFileSync(path.join(changed, name ?? "", "migration.sql"), "-- nothing");
  await expect(open(file, changed)).rejects.toThrow(/differs/);
});

test("a failed migration is named, and the next start says that it failed", async () => {
  const directory = tempDirectory();
  const file = path.join(directory, "deckhand.db");
  const broken = path.join(directory, "broken");
  cpSync(MIGRATIONS, broken, { recursive: true });
  cpSync(
    path.join(broken, readdirSync(broken).find((name) => name.endsWith("_init")) ?? ""),
    path.join(broken, "99990101000000_broken"),
    { recursive: true },
  );
  writeFileSync(path.join(broken, "99990101000000_broken/migration.sql"), "CREATE NONSENSE;");
  await expect(open(file, broken)).rejects.toThrow(/99990101000000_broken failed/);
  await expect(open(file, broken)).rejects.toThrow(/failed half-way/);
});
