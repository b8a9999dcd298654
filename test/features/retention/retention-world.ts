import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { Client } from "pg";
import { onTestFinished } from "vitest";
import type { Runtime } from "../../../src/core/protocol/runtime.ts";
import type { Store } from "../../../src/core/store/store.ts";
import type { DeletionScope } from "../../../src/features/retention/delete-sessions.ts";
import { describePlatform } from "../../../src/platforms.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import type { EmptiedDatabase } from "../../support/database/emptied-databases.ts";
import { openFileStore } from "../../support/database/empty-database.ts";
import { silentLog } from "../../support/silent-log.ts";
import { tempDirectory } from "../../support/temp-directory.ts";

export interface RetentionWorld extends DeletionScope {
  readonly store: Store;
  readonly home: string;
  /** Tables with a row, and files beneath the home, in which a word stands. */
  traces(word: string): Promise<string[]>;
  put(file: string, content: string): void;
}

export interface WorldOptions {
  /** An open database; SQLite in the home if absent. */
  readonly database?: EmptiedDatabase;
  readonly home?: string;
}

/** A database and a home directory as the program leaves them. */
export async function retentionWorld({ home = tempDirectory(), database }: WorldOptions = {}): Promise<RetentionWorld> {
  const runtime = systemRuntime();
  const { url, store } = database ?? (await openedBeneath(home, runtime));
  const put = (file: string, content: string): void => {
    const at = path.join(home, file);
    mkdirSync(path.dirname(at), { recursive: true });
    writeFileSync(at, content);
  };
  return {
    store,
    home,
    runtime,
    log: silentLog,
    database: url.startsWith("file:") ? "sqlite" : "postgresql",
    describe: describePlatform,
    snapshots: path.join(home, "snapshots"),
    sandboxRootOf: ({ platform, channelId }) => path.join(home, "sandbox", `${platform}-${channelId}`),
    put,
    traces: async (word) => [
      ...(url.startsWith("file:") ? tracesInFile(url.slice("file:".length), word) : await tracesInServer(url, word)),
      ...filesWith(home, word),
    ],
  };
}

async function openedBeneath(home: string, runtime: Runtime): Promise<EmptiedDatabase> {
  const file = path.join(home, "deckhand.db");
  const store = await openFileStore(file, runtime);
  onTestFinished(() => store.close());
  return { url: `file:${file}`, store };
}

/**
 * Copies of the home after each transaction of the work, or each `every`th. A copy equals what a process killed at that
 * moment leaves, at a hundredth of the cost.
 */
export async function deathsOf(
  home: string,
  work: (world: RetentionWorld) => Promise<unknown>,
  every = 1,
): Promise<{ readonly homes: readonly string[]; readonly steps: number }> {
  const world = await retentionWorld({ home });
  const homes: string[] = [];
  let steps = 0;
  const transaction: Store["transaction"] = async (deed) => {
    const value = await world.store.transaction(deed);
    if (steps % every === 0) homes.push(copyOf(home));
    steps += 1;
    return value;
  };
  await work({ ...world, store: { ...world.store, transaction } });
  return { homes, steps };
}

/** Copies with another process, because closing a database file would release all locks of this process in it. */
function copyOf(home: string): string {
  const copy = path.join(tempDirectory(), "home");
  execFileSync("cp", ["-a", home, copy]);
  return copy;
}

/** Searches names and raw bytes, so that free pages and the WAL count, too. */
function filesWith(directory: string, word: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((name) => {
    const file = path.join(directory, name);
    return statSync(file).isFile() && (name.includes(word) || readFileSync(file).includes(word));
  });
}

function tracesInFile(file: string, word: string): string[] {
  const database = new BetterSqlite3(file, { readonly: true });
  try {
    const tables = database
      .prepare<[], { name: string }>(
        `SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'`,
      )
      .all();
    return tables.flatMap(({ name }) => {
      const rows = database.prepare<[], object>(`SELECT * FROM "${name}"`).all();
      return rows.some((row) => Object.values(row).some((value) => holds(value, word))) ? [name] : [];
    });
  } finally {
    database.close();
  }
}

function holds(value: unknown, word: string): boolean {
  return Buffer.isBuffer(value) ? value.includes(word) : String(value).includes(word);
}

async function tracesInServer(url: string, word: string): Promise<string[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const tables = await client.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
    const found: string[] = [];
    for (const { tablename } of tables.rows) {
      const hex = Buffer.from(word).toString("hex");
      const { rows } = await client.query(
        `SELECT 1 FROM "${tablename}" AS one WHERE one::text LIKE $1 OR one::text LIKE $2 LIMIT 1`,
        [`%${word}%`, `%${hex}%`],
      );
      if (rows.length > 0) found.push(tablename);
    }
    return found;
  } finally {
    await client.end();
  }
}
