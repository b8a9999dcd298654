import type { Config } from "../config.ts";
import { type AppError, StoreError, toAppError } from "../core/protocol/errors.ts";
import type { Clock } from "../core/protocol/runtime.ts";
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

const LOST_LEASE = { detail: { lost: "lease" } };

/** Waits for the lease on the database's sessions, and watches for its loss. */
export async function holdLease({ config, clock, say, standBy, fail, parts, signal }: LeaseHolding): Promise<void> {
  const lease = await acquireLease({
    url: config.database.directUrl,
    clock,
    signal,
    standby: () => {
      standBy();
      say("⏸ Another process runs on this database. Standing by; I take over when it ends.");
    },
  });
  parts.defer(() => lease.release());
  const watch = async () => {
    await lease.lost;
    if (!signal.aborted) fail(new StoreError("stale_owner", "the lease on the database is lost", LOST_LEASE));
  };
  watch().catch((error: unknown) => fail(toAppError(error)));
}
