import { PrismaBetterSqlite3 } from "@prisma/adapter-better-sqlite3";
import type { SqlDriverAdapter } from "@prisma/driver-adapter-utils";
import BetterSqlite3 from "better-sqlite3";
import { PrismaClient } from "../../../../prisma/sqlite/generated/client.ts";
import { type ConfigError, StoreError } from "../../protocol/errors.ts";
import type { Clock, Runtime } from "../../protocol/runtime.ts";
import { systemCode } from "../../protocol/system-code.ts";
import type { DatabaseClient } from "./client.ts";
import { sqlitePath } from "./connection/database-url.ts";
import { withEmptiedQueries } from "./connection/emptied-queries.ts";
import { unavailable } from "./connection/unavailable.ts";
import { migrate } from "./migrate.ts";
import { keepPrepared, type Prepared } from "./prepared-statements.ts";
import { closeSqliteFile, prepareSqliteFile } from "./sqlite-file.ts";

/**
 * Creates the folder and file when missing, applies migrations, and opens a client: one connection for transactions, which
 * come one after another, and one for what is read beside them. Rejects with ConfigError where the file or its
 * surroundings keep it from that, and as `migrate` does.
 */
export async function openSqlite(url: string, migrations: string, runtime: Runtime): Promise<DatabaseClient> {
  const file = sqlitePath(url);
  await prepareSqliteFile(url);
  const connection = openFile(url);
  try {
    await migrate(sqliteMigrations(connection), migrations, runtime);
  } catch (error) {
    throw surroundings(url, error) ?? error;
  } finally {
    connection.close();
  }
  await closeSqliteFile(url);
  return new PrismaClient({
    adapter: new ImmediateSqlite({ url: file, timeout: LOCKED.waitMs }, runtime.clock),
    transactionOptions: { maxWait: 20_000, timeout: 20_000 },
    // Any other form reads the program's whole source for each error, expected ones among them.
    errorFormat: "minimal",
  });
}

/** What keeps migrations from a database that is sound, as a ConfigError: a full disk, another process. Null for the rest. */
function surroundings(url: string, error: unknown): ConfigError | null {
  const cause = error instanceof StoreError ? error.cause : error;
  return /^SQLITE_(?:FULL|BUSY|READONLY|IOERR)/.test(systemCode(cause) ?? "") ? unavailable(url, cause) : null;
}

function openFile(url: string): BetterSqlite3.Database {
  let connection: BetterSqlite3.Database | undefined;
  try {
    connection = new BetterSqlite3(sqlitePath(url));
    // The first thing that reads the file: here it shows whether it is a database.
    connection.pragma("journal_mode = WAL");
    return connection;
  } catch (error) {
    connection?.close();
    throw unavailable(url, error);
  }
}

function sqliteMigrations(connection: BetterSqlite3.Database) {
  return {
    kind: "sqlite" as const,
    script: (sql: string) => {
      connection.exec(sql);
      return Promise.resolve();
    },
    rows: (sql: string, values: readonly (string | Date)[]) => {
      const statement = connection.prepare(sql);
      const plain = values.map((value) => (value instanceof Date ? value.toISOString() : value));
      return Promise.resolve(statement.reader ? statement.all(...plain) : [statement.run(...plain)]);
    },
    placeholder: () => "?",
    timestamp: (ms: number) => new Date(ms).toISOString().replace("Z", "+00:00"),
  };
}

/**
 * While another process holds the write lock: how long a call waits, which stops the whole program; how
 * long until the next one; and for how long in all, which is less than Prisma waits. Milliseconds.
 */
const LOCKED = { waitMs: 20, againMs: 100, inAllMs: 15_000 };

/**
 * Begins transactions with the write lock. A deferred BEGIN that reads first and writes later fails
 * whenever another process wrote in between; an immediate one waits its turn. The adapter keeps its own
 * lock for good when a BEGIN throws, and every later transaction would wait for it in vain: here it never
 * throws, and the transaction that has not begun is given back.
 */
class ImmediateSqlite extends PrismaBetterSqlite3 {
  readonly #clock: Clock;

  constructor(options: ConstructorParameters<typeof PrismaBetterSqlite3>[0], clock: Clock) {
    super(options);
    this.#clock = clock;
  }

  override async connect() {
    const adapter = await super.connect();
    await this.#readBeside(adapter);
    const connection = connectionOf(adapter);
    // What is deleted is overwritten, so that the file does not hold it any more.
    connection.pragma("secure_delete = ON");
    const begin = immediateBegin(keepPrepared(connection.prepare.bind(connection)));
    Object.assign(connection, { prepare: begin.prepare });
    const start = adapter.startTransaction.bind(adapter);
    adapter.startTransaction = async (isolationLevel) => {
      const until = this.#clock.now() + LOCKED.inAllMs;
      for (;;) {
        const transaction = await start(isolationLevel);
        const failure = begin.failure();
        if (failure === null) return withEmptiedQueries(transaction);
        await transaction.rollback();
        if (!isBusy(failure) || this.#clock.now() >= until) throw failure;
        await this.#clock.sleep(LOCKED.againMs, NEVER);
      }
    };
    return adapter;
  }

  /** What is read beside transactions has a connection of its own: on theirs it would see what none has committed yet. */
  async #readBeside(adapter: SqlDriverAdapter): Promise<void> {
    const reader = withEmptiedQueries(await super.connect());
    const connection = connectionOf(reader);
    connection.pragma("query_only = ON");
    Object.assign(connection, { prepare: keepPrepared(connection.prepare.bind(connection)) });
    const dispose = adapter.dispose.bind(adapter);
    Object.assign(adapter, {
      queryRaw: reader.queryRaw.bind(reader),
      executeRaw: reader.executeRaw.bind(reader),
      dispose: async () => {
        await reader.dispose();
        await dispose();
      },
    });
  }
}

const NEVER = new AbortController().signal;

interface Begin {
  readonly prepare: (sql: string) => Prepared;
  /** Why the last BEGIN failed; null when it did not. Whoever holds the adapter's lock may ask. */
  failure(): Error | null;
}

function immediateBegin(prepare: (sql: string) => Prepared): Begin {
  let failure: Error | null = null;
  const immediate = prepare("BEGIN IMMEDIATE");
  const run = () => {
    try {
      failure = null;
      return immediate.run();
    } catch (error) {
      failure = error instanceof Error ? error : new StoreError("defect", String(error));
      return { changes: 0, lastInsertRowid: 0 };
    }
  };
  return {
    prepare: (sql) => (sql === "BEGIN" ? { ...immediate, run } : prepare(sql)),
    failure: () => failure,
  };
}

function isBusy(error: Error): boolean {
  return error instanceof BetterSqlite3.SqliteError && error.code.startsWith("SQLITE_BUSY");
}

/** The adapter has no option for what it does with statements; its connection is a plain property. */
function connectionOf(adapter: SqlDriverAdapter): BetterSqlite3.Database {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a plain property that its type hides
  return (adapter as unknown as { client: BetterSqlite3.Database }).client;
}
