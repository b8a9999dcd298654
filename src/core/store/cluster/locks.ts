import { hash } from "node:crypto";
import { z } from "zod";
import type { Cluster, ClusterLock, LockWait, TakeLock } from "../../cluster.ts";
import { toAppError } from "../../protocol/errors.ts";
import { unlessAborted } from "../../unless-aborted.ts";
import type { ReplicaScope } from "./cluster-connection.ts";
import type { Membership } from "./membership.ts";

/** Live processes that wait for the lock, and those of them that came before this process. */
const EARLIER = `waiting AS (
    SELECT replica, place FROM deckhand_cluster.lock_wait AS one
    WHERE name = $1 AND EXISTS (SELECT FROM deckhand_cluster.replica WHERE id = one.replica)
  ), earlier AS (
    SELECT FROM waiting WHERE replica <> $2
      AND place < coalesce((SELECT place FROM waiting WHERE replica = $2), 9223372036854775807)
  )`;

/**
 * Takes a lock that no live process holds and for which no earlier process waits; otherwise joins the queue. A dead
 * holder is replaced only if it also held the lock when the statement began, because another process may have joined
 * and taken it meanwhile.
 */
const TAKE = `WITH ${EARLIER}, taken AS (
    INSERT INTO deckhand_cluster.lock AS held (name, replica)
    SELECT $1, $2 WHERE NOT EXISTS (SELECT FROM earlier) AND EXISTS (SELECT FROM deckhand_cluster.replica WHERE id = $2)
    ON CONFLICT (name) DO UPDATE SET replica = excluded.replica
      WHERE held.replica = excluded.replica OR (
        held.replica = (SELECT seen.replica FROM deckhand_cluster.lock AS seen WHERE seen.name = $1)
        AND NOT EXISTS (SELECT FROM deckhand_cluster.replica AS holder WHERE holder.id = held.replica)
      )
    RETURNING held.name
  ), served AS (
    DELETE FROM deckhand_cluster.lock_wait WHERE name = $1 AND replica = $2 AND EXISTS (SELECT FROM taken)
  ), waits AS (
    INSERT INTO deckhand_cluster.lock_wait (name, replica) SELECT $1, $2 WHERE NOT EXISTS (SELECT FROM taken)
    ON CONFLICT DO NOTHING
  )
  SELECT EXISTS (SELECT FROM taken) AS taken, (SELECT count(*) FROM earlier)::int + 1 AS before`;

const takeSchema = z.object({ taken: z.boolean(), before: z.number() });

const WAIT_NO_MORE = "DELETE FROM deckhand_cluster.lock_wait WHERE name = $1 AND replica = $2";

const RELEASE = `WITH given AS (DELETE FROM deckhand_cluster.lock WHERE name = $1 AND replica = $2)
  SELECT EXISTS (SELECT FROM deckhand_cluster.lock_wait WHERE name = $1) AS wanted`;

const givenSchema = z.object({ wanted: z.boolean() });

/** Deletes the rows that dead processes left. */
const FORGET = ["lock", "lock_wait"].map(
  (table) => `DELETE FROM deckhand_cluster.${table} AS one
    WHERE NOT EXISTS (SELECT FROM deckhand_cluster.replica WHERE id = one.replica)`,
);

/** How often a waiting process checks on its own whether it is its turn, since the holder may die. Milliseconds. */
const LOOK_MS = 500;

/** How long a lock that no other process wants is kept after its last use, since uses come in series. Milliseconds. */
const LINGER_MS = 1_000;

/** Longer names are replaced by their hashes. Characters. */
const MAX_NAME = 500;

interface LocksScope extends ReplicaScope {
  readonly notifications: Pick<Cluster, "publish" | "subscribe">;
  readonly membership: Pick<Membership, "validForMs" | "requireAlive">;
}

/** One lock, from this process's request until it has been given back. */
interface Holding {
  readonly name: string;
  /** Number of pieces of work in this process that use the lock or wait for it. */
  users: number;
  isTaken: boolean;
  /** Whether newcomers must queue anew because another process wants the lock or nobody here does. */
  isClosed: boolean;
  readonly taken: PromiseWithResolvers<void>;
  /** Resolves when the lock has been given back. */
  readonly over: PromiseWithResolvers<void>;
  /** Wakes the wait to try again to take the lock. */
  retry: () => void;
  stopLingering: () => void;
  /** Number of processes ahead of this one, and the callbacks that report it. */
  before: number;
  readonly queued: Set<LockWait["queued"]>;
}

/** Locks held by one live process at a time, as rows. Work within this process shares a lock. */
export class Locks {
  readonly #options: LocksScope;
  readonly #holdings = new Map<string, Holding>();

  private constructor(options: LocksScope) {
    this.#options = options;
  }

  static async open(options: LocksScope): Promise<Locks> {
    const locks = new Locks(options);
    for (const forget of FORGET) await options.connection.query(forget);
    options.notifications.subscribe("locks", (name) => locks.#onNotification(name));
    return locks;
  }

  readonly take: TakeLock = async (named, wait) => {
    const name = named.length > MAX_NAME ? hash("sha256", named) : named;
    for (;;) {
      wait.signal.throwIfAborted();
      const holding = this.#holdings.get(name) ?? this.#begin(name);
      if (!holding.isClosed) return this.#use(holding, wait);
      await unlessAborted(holding.over.promise, wait.signal);
    }
  };

  #begin(name: string): Holding {
    const holding: Holding = {
      name,
      users: 0,
      isTaken: false,
      isClosed: false,
      taken: Promise.withResolvers(),
      over: Promise.withResolvers(),
      retry: () => undefined,
      stopLingering: () => undefined,
      before: 0,
      queued: new Set(),
    };
    this.#holdings.set(name, holding);
    this.#wait(holding).then(holding.taken.resolve, (error: unknown) => {
      holding.taken.reject(error);
      this.#end(holding);
    });
    return holding;
  }

  async #use(holding: Holding, { signal, queued }: LockWait): Promise<ClusterLock> {
    const { membership } = this.#options;
    holding.users += 1;
    holding.stopLingering();
    holding.queued.add(queued);
    if (holding.before > 0 && !holding.isTaken) queued(holding.before);
    try {
      await unlessAborted(holding.taken.promise, signal);
      await membership.requireAlive();
    } catch (error) {
      this.#leave(holding);
      throw error;
    } finally {
      holding.queued.delete(queued);
    }
    return {
      validForMs: () => membership.validForMs(),
      requireHeld: () => membership.requireAlive(),
      [Symbol.dispose]: () => this.#leave(holding),
    };
  }

  /** Waits until the lock is taken or nobody here wants it any more. */
  async #wait(holding: Holding): Promise<void> {
    const { connection, id, notifications } = this.#options;
    while (!holding.isClosed) {
      const [row] = await connection.query(TAKE, [holding.name, id]);
      const { taken, before } = takeSchema.parse(row);
      holding.isTaken = taken;
      if (taken) return this.#releaseIfUnused(holding);
      if (before !== holding.before) for (const queued of holding.queued) queued(before);
      holding.before = before;
      await notifications.publish("locks", holding.name);
      await this.#untilChanged(holding);
    }
    await connection.query(WAIT_NO_MORE, [holding.name, id]);
    this.#end(holding);
  }

  async #untilChanged(holding: Holding): Promise<void> {
    if (holding.isClosed) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    holding.retry = resolve;
    const cancel = this.#options.clock.after(LOOK_MS, resolve);
    await promise;
    cancel();
  }

  #leave(holding: Holding): void {
    holding.users -= 1;
    this.#releaseIfUnused(holding);
  }

  /** Lets go of a lock that nobody here uses: at once if another process wants it, otherwise after `LINGER_MS`. */
  #releaseIfUnused(holding: Holding): void {
    if (holding.users > 0) return;
    if (!holding.isTaken) holding.isClosed = true;
    if (!holding.isTaken) holding.retry();
    else if (holding.isClosed) this.#release(holding);
    else holding.stopLingering = this.#options.clock.after(LINGER_MS, () => this.#release(holding));
  }

  /** Handles a word from a process that waits for the lock, or that has given it back while others wait. */
  #onNotification(name: string): void {
    const holding = this.#holdings.get(name);
    if (holding === undefined) return;
    if (!holding.isTaken) return holding.retry();
    if (holding.isClosed) return;
    holding.isClosed = true;
    holding.stopLingering();
    this.#releaseIfUnused(holding);
  }

  #release(holding: Holding): void {
    const { connection, id, notifications, log } = this.#options;
    holding.isClosed = true;
    const give = async () => {
      const [row] = await connection.query(RELEASE, [holding.name, id]);
      this.#end(holding);
      if (givenSchema.parse(row).wanted) await notifications.publish("locks", holding.name);
    };
    give().catch((error: unknown) => {
      log.warn({ err: toAppError(error) }, "lock_not_given_back");
      this.#end(holding);
    });
  }

  #end(holding: Holding): void {
    holding.isClosed = true;
    this.#holdings.delete(holding.name);
    holding.over.resolve();
  }
}
