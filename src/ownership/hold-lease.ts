import { statSync } from "node:fs";
import type { Config } from "../config.ts";
import { type AppError, ConfigError, StoreError, toAppError } from "../core/protocol/errors.ts";
import { type Clock, sleepUnlessAborted } from "../core/protocol/runtime.ts";
import { sqlitePath } from "../core/store/database/connection/database-url.ts";
import { acquireLease } from "../core/store/database/lease.ts";

export interface LeaseHolding {
  readonly config: Pick<Config, "database">;
  readonly clock: Clock;
  /** Prints a line on the operator's terminal. */
  readonly say: (line: string) => void;
  /** Called if another process has the lease, which is then waited for. */
  readonly standBy: () => void;
  /** Called if the lease is lost. */
  readonly fail: (error: AppError) => void;
  readonly parts: AsyncDisposableStack;
  readonly signal: AbortSignal;
}

/** How often to check that the SQLite file is still the one that is open. In milliseconds. */
const CHECK_EVERY_MS = 5_000;

const LOST_LEASE = { detail: { lost: "lease" } };

/** Waits for the lease on the database's sessions, and watches for its loss. */
export async function holdLease({ config, clock, say, standBy, fail, parts, signal }: LeaseHolding): Promise<void> {
  const lease = await acquireLease({
    url: config.database.directUrl,
    clock,
    signal,
    standby: () => {
      standBy();
      say("⏸ Another process is running on this database. Standing by; this process takes over when it ends.");
    },
  });
  parts.defer(() => lease.release());
  const watch = async () => {
    await lease.lost;
    if (!signal.aborted) fail(new StoreError("stale_owner", "the lease on the database is lost", LOST_LEASE));
  };
  const onError = (error: unknown) => fail(toAppError(error));
  watch().catch(onError);
  if (config.database.kind === "sqlite") watchFile(sqlitePath(config.database.url), clock, signal).catch(onError);
}

/**
 * Rejects with ConfigError when the file was removed or replaced. Everything written afterwards would be lost, and
 * another process could run on the file that took its place. The open file keeps its inode number.
 */
async function watchFile(file: string, clock: Clock, signal: AbortSignal): Promise<void> {
  const inode = () => statSync(file, { throwIfNoEntry: false })?.ino;
  let opened = inode();
  while (await sleepUnlessAborted(clock, CHECK_EVERY_MS, signal)) {
    // The first start creates the file.
    opened ??= inode();
    if (inode() !== opened) throw new ConfigError([`DATABASE_URL: ${file} ${REPLACED}`]);
  }
}

const REPLACED =
  "was removed or replaced while Deckhand was running, so everything written since then is lost. Deckhand stops here; start it again to use what is there now.";
