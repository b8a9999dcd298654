import { AsyncLocalStorage } from "node:async_hooks";
import type { WorkflowQueue } from "@dbos-inc/dbos-sdk";
import { ConfigError } from "../protocol/errors.ts";
import type { Log } from "../protocol/log.ts";
import type { Ids } from "../protocol/runtime.ts";
import { type FairTurns, keepFair, SESSION_QUEUE } from "../store/cluster/claim-rows.ts";
import { openEnginePool } from "../store/database/connection/engine-pool.ts";

/** The part of the DBOS Transact package that this engine uses. The package is loaded only when needed. */
export type Sdk = Pick<typeof import("@dbos-inc/dbos-sdk"), "DBOS">;
export interface LoadedSdk extends Sdk {
  /** Requeues the workflows that dead processes held. */
  readonly recover: (executorIds: readonly string[]) => Promise<void>;
  /** Takes up to `most` waiting claims at once, in addition to DBOS's own polling. */
  readonly take: (queue: WorkflowQueue, most: number, token: string) => Promise<void>;
}

export interface Claiming {
  readonly url: string;
  /** Id of this process among the replicas. */
  readonly replicaId: string;
  /** Maximum number of sessions that this process holds, both running and waiting for a slot. */
  readonly mostHeld: number;
  /** Number of further sessions that could start running here at once. */
  readonly free: () => number;
  readonly ids: Ids;
  readonly log: Log;
  readonly sdk: LoadedSdk;
  /** Does what a session has to do. Resolves when nothing is left. */
  readonly hold: (sessionId: string) => Promise<void>;
}

/**
 * Identifies the program to DBOS. The version is fixed across releases, because DBOS would otherwise not let a newer
 * release recover an older one's workflows.
 */
const APPLICATION = { name: "deckhand", version: "1" };

/** Polling interval for sessions to hold, in milliseconds, for when no process is notified of them. */
const LOOK_EVERY_MS = 250;

/** Unlimited recovery attempts, because a session may outlive any number of processes. */
const ANY_NUMBER = 2 ** 31 - 1;

/**
 * Lets DBOS decide which process holds a session. One claim is one workflow in a queue that is partitioned by session.
 */
export interface Claims {
  /** Requests that some process holds the session. The request is durable when this resolves. */
  request(sessionId: string): Promise<void>;
  /**
   * Takes waiting sessions if there is room; returns false if there is none. A session requested meanwhile is taken by
   * the next look.
   */
  look(): Promise<boolean>;
  recover(replicaIds: readonly string[]): Promise<void>;
  /** Makes channels take turns among the waiting claims, once. */
  keepFair(): Promise<FairTurns>;
  /** Stops holding sessions. Their claims remain until another process recovers them. */
  close(): Promise<void>;
}

export async function openClaims(claiming: Claiming): Promise<Claims> {
  const { url, replicaId, mostHeld, log, sdk, hold } = claiming;
  const { DBOS, recover } = sdk;
  // Outside the workflow's context: DBOS would otherwise count this work as steps and child workflows.
  const outside = AsyncLocalStorage.snapshot();
  const claim = DBOS.registerWorkflow((sessionId: string) => outside(() => hold(sessionId)), {
    name: "session",
    maxRecoveryAttempts: ANY_NUMBER,
  });
  const pool = await openEnginePool(url, log);
  DBOS.setConfig({
    name: APPLICATION.name,
    applicationVersion: APPLICATION.version,
    executorID: replicaId,
    systemDatabaseUrl: url,
    systemDatabasePool: pool,
    useListenNotify: false,
    logger: logged(log),
  });
  await launch(sdk);
  const queue = await DBOS.registerQueue(SESSION_QUEUE, {
    partitionConcurrency: 1,
    workerConcurrency: mostHeld,
    minPollingIntervalMs: LOOK_EVERY_MS,
  });
  return {
    look: looker(claiming, queue),
    request: (sessionId) =>
      outside(async () => {
        const enqueueOptions = { queuePartitionKey: sessionId };
        await DBOS.startWorkflow(claim, { queueName: SESSION_QUEUE, enqueueOptions })(sessionId);
      }),
    recover,
    keepFair: () => keepFair({ query: async (sql, values = []) => (await pool.query(sql, [...values])).rows }),
    close: async () => {
      await DBOS.shutdown();
      if (!pool.ending) await pool.end();
    },
  };
}

/** Allows one look at a time. Callers during a look share the next one. */
function looker({ sdk, free, ids }: Claiming, queue: WorkflowQueue): Claims["look"] {
  let looking: Promise<boolean> = Promise.resolve(true);
  let next: Promise<boolean> | null = null;
  const look = async () => {
    const room = free();
    if (room <= 0) return false;
    await sdk.take(queue, room, ids.next("claim"));
    return true;
  };
  return () => {
    next ??= looking
      .catch(() => false)
      .then(() => {
        next = null;
        looking = look();
        return looking;
      });
    return next;
  };
}

async function launch({ DBOS }: LoadedSdk): Promise<void> {
  try {
    await DBOS.launch();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError([`DATABASE_URL: DECKHAND_ENGINE=dbos cannot make or use its tables there (${reason}).`]);
  }
}

function logged(log: Log) {
  const fields = (entry: unknown) => (entry instanceof Error ? { err: entry } : { message: String(entry) });
  return {
    debug: (entry: unknown) => log.debug(fields(entry), "dbos"),
    info: (entry: unknown) => log.debug(fields(entry), "dbos"),
    warn: (entry: unknown) => log.warn(fields(entry), "dbos"),
    error: (entry: unknown) => log.error(fields(entry), "dbos"),
  };
}

/** Loads the package. It keeps its registrations per copy, so one process is one replica. */
export async function loadSdk(): Promise<LoadedSdk> {
  const [{ DBOS }, { DBOSExecutor }] = await Promise.all([
    import("@dbos-inc/dbos-sdk"),
    import("@dbos-inc/dbos-sdk/internal/dbos-executor"),
  ]);
  return sdkOf(DBOS, DBOSExecutor);
}

type Executor = typeof import("@dbos-inc/dbos-sdk/internal/dbos-executor").DBOSExecutor;

/** Wraps one copy of the package. */
export function sdkOf(DBOS: Sdk["DBOS"], executors: Pick<Executor, "globalInstance">): LoadedSdk {
  return {
    DBOS,
    recover: async (executorIds) => {
      await executors.globalInstance?.recoverPendingWorkflows([...executorIds]);
    },
    async take(queue, most, token) {
      const executor = executors.globalInstance;
      if (executor === undefined) return;
      const { systemDatabase: claims, executorID } = executor;
      const { version } = APPLICATION;
      const taken = await claims.findAndMarkStartablePartitionedWorkflows(queue, executorID, version, most, token);
      await executor.dispatchDequeuedWorkflows(taken, token);
    },
  };
}
