import type { Client, ClientConfig } from "pg";
import { resolveSslMode } from "./ssl-mode.ts";
import { unavailable } from "./unavailable.ts";
import { NOTICES_VANISHED } from "./watched-socket.ts";

/** A server that takes longer to answer counts as unreachable. Milliseconds. */
export const CONNECT_TIMEOUT_MS = 10_000;

export interface OpenConnection {
  readonly connection: Client;
  /** Resolves when the connection has ended, whichever side ended it. */
  readonly broken: Promise<void>;
}

/**
 * Has PostgreSQL end the connection, with everything it holds, after this long without a statement, whatever limit the
 * server, database or user sets; 0: never. A server older than 14 never ends it.
 */
export function idleLimit(ms: number): string {
  return `SELECT set_config(name, '${ms}', false) FROM pg_settings WHERE name = 'idle_session_timeout'`;
}

/**
 * Connects to PostgreSQL outside Prisma's pool. `settings`: statements that set up the session. Rejects with ConfigError
 * if the server refuses this process or a setting.
 */
export async function openConnection(
  url: string,
  { settings = [], ...config }: ClientConfig & { readonly settings?: readonly string[] } = {},
): Promise<OpenConnection> {
  const { default: pg } = await import("pg");
  let connection: Client | null = null;
  try {
    // The constructor reads the certificate files that the URL names, and so may throw.
    const client = new pg.Client({
      connectionString: await resolveSslMode(url),
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      ...NOTICES_VANISHED,
      ...config,
    });
    connection = client;
    const broken = new Promise<void>((resolve) => {
      // One break may emit several errors, and an error without a listener would end the process.
      client.on("error", () => resolve());
      client.once("end", () => resolve());
    });
    await client.connect();
    for (const setting of settings) await client.query(setting);
    return { connection: client, broken };
  } catch (error) {
    connection?.end().catch(() => {}); // It may already be broken.
    throw unavailable(url, error);
  }
}
