import { existsSync } from "node:fs";
import type { Config } from "../config.ts";
import { ConfigError } from "../core/protocol/errors.ts";
import type { Runtime } from "../core/protocol/runtime.ts";
import { openConnection } from "../core/store/database/connection/open-connection.ts";
import { acquireLease, type Lease } from "../core/store/database/lease.ts";
import { MIGRATIONS } from "../core/store/database/migrate.ts";
import { openPostgresql } from "../core/store/database/postgresql.ts";
import { requireServer } from "../core/store/database/postgresql-server.ts";
import { openSqlite } from "../core/store/database/sqlite.ts";
import { probeDatabase } from "../core/store/probe.ts";
import { figure } from "../core/text/dollars.ts";
import { type Copied, copyTables } from "./copy-tables.ts";

export interface DatabaseCopying {
  readonly config: Pick<Config, "database">;
  /** Path of the SQLite file. */
  readonly file: string;
  readonly runtime: Runtime;
  /** Prints a line on the operator's terminal. */
  readonly say: (line: string) => void;
}

/** In effect no timeout: the longest that a timer can wait. In milliseconds. */
const ANY_TIME = { timeout: 2 ** 31 - 1 };

/** Interval of progress messages for a table. In milliseconds. */
const SAY_EVERY_MS = 5_000;

/**
 * Copies a SQLite file to an empty PostgreSQL in one transaction, so that PostgreSQL has everything or nothing, however
 * this ends. Nothing else may run on either database meanwhile. Rejects with ConfigError if something is in the way.
 */
export async function copyDatabase({ config, file, runtime, say }: DatabaseCopying): Promise<Copied> {
  const { database } = config;
  if (database.kind === "sqlite") throw new ConfigError([NO_TARGET]);
  if (!existsSync(file))
    throw new ConfigError([`There is no file ${file}. Pass the path of the SQLite file as --from.`]);
  const source = `file:${file}`;
  for (const line of await requireServer({ ...database, engine: "embedded" })) say(`⚠ ${line}`);
  await using parts = new AsyncDisposableStack();
  const alone = async (url: string, where: string): Promise<Lease> => {
    const lease = await leaseOn(url, where, runtime);
    parts.defer(() => lease.release());
    return lease;
  };
  await alone(source, file);
  const lost = { isLost: false };
  const watching = (await alone(database.directUrl, "the PostgreSQL of DATABASE_URL")).lost;
  watching.then(() => Object.assign(lost, { isLost: true })).catch(() => undefined);
  if (!(await probeDatabase(source)).isCurrent) throw new ConfigError([olderFile(file)]);
  const from = await openSqlite(source, MIGRATIONS.sqlite, runtime);
  parts.defer(() => from.$disconnect());
  await (await openPostgresql(database, MIGRATIONS.postgresql, runtime)).$disconnect();
  const { connection: to } = await openConnection(database.url);
  parts.defer(() => to.end());
  const progress = progressReporter(runtime, say);
  return await from.$transaction(async (read) => {
    await to.query("BEGIN");
    const copied = await copyTables({ from: read, to, progress });
    if (lost.isLost) throw new ConfigError([LOST]);
    await to.query("COMMIT");
    return copied;
  }, ANY_TIME);
}

async function leaseOn(url: string, where: string, { clock }: Pick<Runtime, "clock">): Promise<Lease> {
  const held = new AbortController();
  const standby = () =>
    held.abort(new ConfigError([`Deckhand is running on ${where}. Stop all its processes, then copy again.`]));
  return await acquireLease({ url, clock, signal: held.signal, standby });
}

function progressReporter({ clock }: Pick<Runtime, "clock">, say: DatabaseCopying["say"]) {
  let saidAt = clock.now();
  return ({ table, done, total }: { readonly table: string; readonly done: number; readonly total: number }): void => {
    if (done < total && clock.now() < saidAt + SAY_EVERY_MS) return;
    saidAt = clock.now();
    say(done < total ? `⏳ ${table} · ${figure(done)} of ${figure(total)} rows` : `✓ ${table} · ${figure(total)}`);
  };
}

/** Lines for the operator after a complete copy. */
export function copiedLines({ rows, tables, texts }: Copied, { file, home, sandbox }: CopiedFrom): readonly string[] {
  return [
    ...(texts === 0
      ? []
      : [
          `⚠ Texts with the NUL character, which PostgreSQL does not accept: ${figure(texts)}. It was replaced by \uFFFD.`,
        ]),
    `✓ Copied ${figure(rows)} rows of ${tables} tables, and verified their number. Start Deckhand with this DATABASE_URL; unfinished work continues.`,
    `${file} was not changed. Keep it as a backup, and do not start Deckhand on it any more.`,
    `Files stay in ${home} and ${sandbox}. On another machine, they must be at the same paths: docs/scaling.md, “From SQLite to PostgreSQL”.`,
  ];
}

interface CopiedFrom extends Pick<Config, "home" | "sandbox"> {
  readonly file: string;
}

const NO_TARGET =
  "DATABASE_URL: must be the PostgreSQL database to copy to. Example: DATABASE_URL=postgresql://deckhand@localhost:5432/deckhand";

const LOST =
  "DATABASE_URL: the PostgreSQL connection that kept other processes out was lost. Nothing was copied. Copy again.";

function olderFile(file: string): string {
  return `${file} was written by an older version. Start this version on it once, without DATABASE_URL, stop it, then copy again.`;
}
