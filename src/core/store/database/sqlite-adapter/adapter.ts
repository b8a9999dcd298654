import {
  type ConnectionInfo,
  DriverAdapterError,
  type IsolationLevel,
  type SqlDriverAdapter,
  type SqlDriverAdapterFactory,
  type SqlQuery,
  type SqlResultSet,
  type Transaction,
} from "@prisma/driver-adapter-utils";
import BetterSqlite3 from "better-sqlite3";
import type { Clock } from "../../../protocol/runtime.ts";
import { asAdapterError } from "./errors.ts";
import { Statements } from "./statements.ts";

/**
 * While another process holds the write lock: how long one attempt blocks the whole program, the pause until the next
 * one, and the total time, which is shorter than Prisma's own limit. Milliseconds.
 */
const LOCKED = { waitMs: 20, againMs: 100, inAllMs: 15_000 };

const NEVER = new AbortController().signal;

/** What Prisma sees of this adapter and its transactions. */
const ADAPTER = { provider: "sqlite", adapterName: "deckhand-sqlite" } as const;

/**
 * Maximum number of values in one statement. Prisma's default is what SQLite accepted in 2019, and it refuses longer
 * lists of ids. Source: SQLite docs, Implementation Limits.
 */
const MAX_VALUES = 32_766;

/**
 * SQLite for Prisma. Unlike Prisma's own adapter, it guarantees that a transaction has the write lock from its
 * beginning, that one which cannot begin or end does not block later ones, and that reads outside transactions see
 * nothing uncommitted.
 */
export function sqliteAdapter(file: string, clock: Clock): SqlDriverAdapterFactory {
  return { ...ADAPTER, connect: async () => new SqliteAdapter(file, clock) };
}

/** One connection for transactions, which run one after another, and one for reads outside them. */
class SqliteAdapter implements SqlDriverAdapter {
  readonly provider = ADAPTER.provider;
  readonly adapterName = ADAPTER.adapterName;
  readonly #clock: Clock;
  readonly #writer: BetterSqlite3.Database;
  readonly #reader: BetterSqlite3.Database;
  readonly #written: Statements;
  readonly #read: Statements;
  /** Resolves when the newest transaction has ended. */
  #last: Promise<void> = Promise.resolve();

  constructor(file: string, clock: Clock) {
    this.#clock = clock;
    this.#writer = new BetterSqlite3(file, { timeout: LOCKED.waitMs });
    // Overwrites deleted data, so that the file no longer holds it.
    this.#writer.pragma("secure_delete = ON");
    this.#reader = new BetterSqlite3(file, { timeout: LOCKED.waitMs });
    this.#reader.pragma("query_only = ON");
    this.#written = new Statements(this.#writer);
    this.#read = new Statements(this.#reader);
  }

  getConnectionInfo(): ConnectionInfo {
    return { maxBindValues: MAX_VALUES, supportsRelationJoins: false };
  }

  queryRaw(query: SqlQuery): Promise<SqlResultSet> {
    return this.#read.queryRaw(query);
  }

  executeRaw(query: SqlQuery): Promise<number> {
    return this.#read.executeRaw(query);
  }

  async executeScript(script: string): Promise<void> {
    try {
      this.#writer.exec(script);
    } catch (error) {
      throw asAdapterError(error);
    }
  }

  async startTransaction(isolationLevel?: IsolationLevel): Promise<Transaction> {
    if (isolationLevel !== undefined && isolationLevel !== "SERIALIZABLE")
      throw new DriverAdapterError({ kind: "InvalidIsolationLevel", level: isolationLevel });
    const until = this.#clock.now() + LOCKED.inAllMs;
    const before = this.#last;
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    this.#last = ended;
    await before;
    try {
      await this.#begin(until);
    } catch (error) {
      end();
      throw error;
    }
    const over = async () => {
      try {
        // After a failed COMMIT Prisma abandons the transaction without telling the database.
        if (this.#writer.inTransaction) this.#writer.exec("ROLLBACK");
      } finally {
        end();
      }
    };
    return {
      ...ADAPTER,
      options: { usePhantomQuery: false },
      queryRaw: (query) => this.#written.queryRaw(query),
      executeRaw: (query) => this.#written.executeRaw(query),
      // Prisma sends COMMIT and ROLLBACK itself and only reports them here.
      commit: over,
      rollback: over,
    };
  }

  /**
   * Begins with the write lock, because a transaction that first reads and then writes would fail whenever another
   * process wrote in between. Throws what SQLite throws.
   */
  async #begin(until: number): Promise<void> {
    for (;;) {
      try {
        this.#writer.exec("BEGIN IMMEDIATE");
        return;
      } catch (error) {
        if (!isBusy(error) || this.#clock.now() >= until) throw error;
      }
      await this.#clock.sleep(LOCKED.againMs, NEVER);
    }
  }

  async dispose(): Promise<void> {
    this.#reader.close();
    this.#writer.close();
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof BetterSqlite3.SqliteError && error.code.startsWith("SQLITE_BUSY");
}
