import type { Client, ClientConfig } from "pg";
import { settledUrl } from "./settled-url.ts";
import { unavailable } from "./unavailable.ts";
import { NOTICES_VANISHED } from "./watched-socket.ts";

/** A server that takes longer to answer counts as unreachable. Milliseconds. */
const CONNECT_TIMEOUT_MS = 10_000;

export interface OpenConnection {
  readonly connection: Client;
  /** Resolves when it is no more, whoever ended it. */
  readonly broken: Promise<void>;
}

/**
 * After so long without a statement PostgreSQL ends the connection, whatever is set of the server, the database or the user;
 * 0: never. What it holds ends with it. A server before 14 ends none.
 */
export function idleLimit(ms: number): string {
  return `SELECT set_config(name, '${ms}', false) FROM pg_settings WHERE name = 'idle_session_timeout'`;
}

/** Connects to a PostgreSQL, beside Prisma's pool. Rejects with ConfigError where that does not let this process in. */
export async function openConnection(url: string, options: ClientConfig = {}): Promise<OpenConnection> {
  const { default: pg } = await import("pg");
  try {
    // It reads the files of certificates that the URL names.
    const connection = new pg.Client({
      connectionString: await settledUrl(url),
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      ...NOTICES_VANISHED,
      ...options,
    });
    const broken = new Promise<void>((resolve) => {
      // It tells of one break several times, and an event without a listener would end the process.
      connection.on("error", () => resolve());
      connection.once("end", () => resolve());
    });
    await connection.connect();
    return { connection, broken };
  } catch (error) {
    throw unavailable(url, error);
  }
}
