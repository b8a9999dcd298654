import { AsyncLocalStorage } from "node:async_hooks";
import { ConfigError } from "../protocol/errors.ts";
import type { Log } from "../protocol/log.ts";
import { SESSION_QUEUE } from "../store/cluster/claim-rows.ts";

/** What this engine needs of DBOS Transact; the package is loaded when it is first needed. */
export type Sdk = Pick<typeof import("@dbos-inc/dbos-sdk"), "DBOS">;
export interface LoadedSdk extends Sdk {
  /** Gives what processes held that are no more back to the queue. */
  readonly recover: (executorIds: readonly string[]) => Promise<void>;
}

export interface Claiming {
  readonly url: string;
  /** This process among the others. */
  readonly replicaId: string;
  /** How many sessions this process holds at most: those that run, and some that wait for a place. */
  readonly mostHeld: number;
  readonly log: Log;
  readonly sdk: LoadedSdk;
  /** Does what a session has to do; resolves when nothing is left. */
  readonly hold: (sessionId: string) => Promise<void>;
}

/** The program's name and version to DBOS. With a version of each release, what an older one left would be nobody's. */
const APPLICATION = { name: "deckhand", version: "1" };

/** How often a process looks for sessions to hold. Milliseconds. */
const LOOK_EVERY_MS = 10;

/** A session may outlive any number of processes. */
const ANY_NUMBER = 2 ** 31 - 1;

/** Connections: DBOS looks for work with one, and writes what begins and ends with the others. */
const CONNECTIONS = 5;

/** DBOS decides which process holds a session: one claim is one workflow, in a queue that is partitioned by session. */
export interface Claims {
  /** Asks that some process holds the session; durable when it resolves. */
  request(sessionId: string): Promise<void>;
  recover(replicaIds: readonly string[]): Promise<void>;
  /** Holds nothing more; what is held stays claimed until somebody recovers it. */
  close(): Promise<void>;
}

export async function openClaims({ url, replicaId, mostHeld, log, sdk, hold }: Claiming): Promise<Claims> {
  const { DBOS, recover } = sdk;
  // What runs in a workflow would count as its steps, and what it delivers as its children.
  const outside = AsyncLocalStorage.snapshot();
  const claim = DBOS.registerWorkflow((sessionId: string) => outside(() => hold(sessionId)), {
    name: "session",
    maxRecoveryAttempts: ANY_NUMBER,
  });
  DBOS.setConfig({
    name: APPLICATION.name,
    applicationVersion: APPLICATION.version,
    executorID: replicaId,
    systemDatabaseUrl: url,
    systemDatabasePoolSize: CONNECTIONS,
    useListenNotify: false,
    logger: logged(log),
  });
  await launch(sdk);
  await DBOS.registerQueue(SESSION_QUEUE, {
    partitionConcurrency: 1,
    workerConcurrency: mostHeld,
    minPollingIntervalMs: LOOK_EVERY_MS,
  });
  return {
    request: (sessionId) =>
      outside(async () => {
        const enqueueOptions = { queuePartitionKey: sessionId };
        await DBOS.startWorkflow(claim, { queueName: SESSION_QUEUE, enqueueOptions })(sessionId);
      }),
    recover,
    close: () => DBOS.shutdown(),
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
  return {
    DBOS,
    recover: async (executorIds) => {
      await DBOSExecutor.globalInstance?.recoverPendingWorkflows([...executorIds]);
    },
  };
}
