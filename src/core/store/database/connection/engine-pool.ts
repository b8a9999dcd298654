import type { Pool } from "pg";
import type { Log } from "../../../protocol/log.ts";
import { ENGINE_CONNECTIONS, freedWhenFrozen } from "./connections.ts";
import { CONNECT_TIMEOUT_MS } from "./open-connection.ts";
import { resolveSslMode } from "./ssl-mode.ts";
import { NOTICES_VANISHED } from "./watched-socket.ts";

/** Opens DBOS Transact's pool as it would itself, but with connections that notice a vanished other end. */
export async function openEnginePool(url: string, log: Log): Promise<Pool> {
  const { default: pg } = await import("pg");
  const pool = new pg.Pool({
    connectionString: await resolveSslMode(url),
    ...freedWhenFrozen(url),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    max: ENGINE_CONNECTIONS,
    application_name: "deckhand dbos",
    ...NOTICES_VANISHED,
  });
  // Errors of idle connections arrive here; without a listener they would end the process.
  pool.on("error", (error) => log.warn({ err: error }, "dbos"));
  return pool;
}
