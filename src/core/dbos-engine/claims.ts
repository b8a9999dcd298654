import { AsyncLocalStorage } from "node:async_hooks";
import type { WorkflowQueue } from "@dbos-inc/dbos-sdk";
import { ConfigError } from "../protocol/errors.ts";
import type { Log } from "../protocol/log.ts";
import type { Ids } from "../protocol/runtime.ts";
import { type FairTurns, keepFair, SESSION_QUEUE } from "../store/cluster/claim-rows.ts";
import { openEnginePool } from "../store/database/connection/engine-pool.ts";

/** What this engine needs of DBOS Transact; the package is loaded when it is first needed. */
export type Sdk = Pick<typeof import("@dbos-inc/dbos-sdk"), "DBOS">;
export interface LoadedSdk extends Sdk {
  /** Gives what processes held that are no more back to the queue. */
  readonly recover: (executorIds: readonly string[]) => Promise<void>;
  /** Takes claims that wait, as many as it may, beside the looks that DBOS takes by itself. */
  readonly take: (queue: WorkflowQueue, most: number, token: string) => Promise<void>;
}

export interface Claiming {
  readonly url: string;
  /** This process among the others. */
  readonly replicaId: string;
  /** How many sessions this process holds at most: those that run, and some that wait for a place. */
  readonly mostHeld: number;
  /** How many sessions could begin to run here at once. */
  readonly free: () => number;
  readonly ids: Ids;
  readonly log: Log;
  readonly sdk: LoadedSdk;
  /** Does what a session has to do; resolves when nothing is left. */
  readonly hold: (sessionId: string) => Promise<void>;
}

/** The program's name and version to DBOS. With a version of each release, what an older one left would be nobody's. */
const APPLICATION = { name: "deckhand", version: "1" };

/** How often a process looks for sessions to hold though nobody has said that some wait. Milliseconds. */
const LOOK_EVERY_MS = 250;

/** A session may outlive any number of processes. */
const ANY_NUMBER = 2 ** 31 - 1;

/** DBOS decides which process holds a session: one claim is one workflow, in a queue that is partitioned by session. */
export interface Claims {
  /** Asks that some process holds the session; durable when it resolves. */
  request(sessionId: string): Promise<void>;
  /** Takes sessions that wait, if there is room here; false where there is none. One that is asked for meanwhile follows. */
  look(): Promise<boolean>;
  recover(replicaIds: readonly string[]): Promise<void>;
  /** Has channels take turns in what waits, once. */
  keepFair(): Promise<FairTurns>;
  /** Holds nothing more; what is held stays claimed until somebody recovers it. */
  close(): Promise<void>;
}

export async function openClaims(claiming: Claiming): Promise<Claims> {
  const { url, replicaId, mostHeld, log, sdk, hold } = claiming;
  const { DBOS, recover } = sdk;
  // What runs in a workflow would count as its steps, and what it delivers as its children.
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

/** One look at a time: whoever asks during one gets the next. */
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

/** Loads the package. It keeps what is registered per copy of itself: one process is one replica. */
export async function loadSdk(): Promise<LoadedSdk> {
  const [{ DBOS }, { DBOSExecutor }] = await Promise.all([
    import("@dbos-inc/dbos-sdk"),
    import("@dbos-inc/dbos-sdk/internal/dbos-executor"),
  ]);
  return sdkOf(DBOS, DBOSExecutor);
}

type Executor = typeof import("@dbos-inc/dbos-sdk/internal/dbos-executor").DBOSExecutor;

/** What is used of a copy of the package. */
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
