/** Kinds of change, already written to the database, that processes notify each other of. */
export type ClusterTopic =
  | "claims"
  | "stops"
  | "threads"
  | "jobs"
  | "settings"
  | "definitions"
  | "keys"
  | "runs"
  | "sessions"
  | "logins"
  | "memories"
  | "replicas"
  | "locks"
  | "volumes"
  | "providers"
  | "servers";

/** A lock that this process holds against all other processes until the value is disposed of. */
export interface ClusterLock extends Disposable {
  /** Milliseconds for which no other process can take the lock, even if this process dies; 0 if that is unknown. */
  validForMs(): number;
  /** Throws StoreError `stale_owner` once the other processes have declared this one dead. */
  requireHeld(): Promise<void>;
}

export interface LockWait {
  readonly signal: AbortSignal;
  /** Called with the number of processes ahead if the lock is taken, and again whenever that number falls. */
  readonly queued: (before: number) => void;
}

/** Takes a named lock. Processes get it in the order of their requests, and work within one process shares it. */
export type TakeLock = (name: string, wait: LockWait) => Promise<ClusterLock>;

/** Another live process, as recorded in the database. */
export interface OtherReplica {
  readonly id: string;
  /** JSON that the process reports about itself; empty until it has started. */
  readonly state: unknown;
}

/** Gateway sessions, as JSON: the process that takes over a shard's role resumes the session its predecessor stored. */
export interface GatewaySessions {
  /** Session stored for a role; null if there is none. */
  of(role: string): Promise<unknown>;
  /** Stores a role's session; does nothing if another process holds the role by now. */
  keep(role: string, session: object | null): Promise<void>;
}

/** A live process, as it describes itself to the others. */
export interface ClusterMember {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly startedAt: number;
  /** Short digests of the settings that all processes must share, by name. */
  readonly settings: Readonly<Record<string, string>>;
  /** Settings from its file and environment, by name: JSON or `#` and a digest. Null if its release reports none. */
  readonly given: Readonly<Record<string, string>> | null;
  /** Number of active runs there; `waiting` counts the runs queued for a slot. */
  readonly running: number;
  readonly waiting: number;
  /** Whether each platform is connected in that process, by platform name. */
  readonly platforms: Readonly<Record<string, boolean>>;
  readonly roles: readonly string[];
  /** Whether the process was asked to hand over its work and exit. */
  readonly draining: boolean;
}

/** Outcome of a drain request: refused for the last process that takes sessions, and for one that no longer exists. */
export type DrainOutcome = "asked" | "last" | "gone";

/** The processes (replicas) that share a database, including this one. */
export interface Cluster {
  /** Id of this process within the cluster. */
  readonly id: string;
  /** False if no other process can join while this one lives. */
  readonly isShared: boolean;
  /** Number of processes known to this one; at least 1. */
  size(): number;
  readonly gatewaySessions: GatewaySessions;
  /** Reads the other live processes from the database. */
  others(): Promise<readonly OtherReplica[]>;
  /** Adds a source of JSON state to what this process reports to the others. */
  report(state: () => object): void;
  /** All live processes, including this one, the oldest first; empty if no other can join. */
  members(): Promise<readonly ClusterMember[]>;
  /** Asks a process to hand over its work and exit. */
  drain(id: string): Promise<DrainOutcome>;
  /**
   * Notifies the other processes. Notices may be lost or merged, so a listener reads the database at each notice and
   * also polls it now and then. At most 4,000 bytes. Never rejects.
   */
  publish(topic: ClusterTopic, about: string): Promise<void>;
  /** Subscribes to the other processes' notices; returns the function that unsubscribes. */
  subscribe(topic: ClusterTopic, listener: (about: string) => void): () => void;
  /**
   * Runs the work whenever this process holds the role, which one process holds at a time, until the signal aborts.
   * Work that returns or fails is restarted after a delay. Given several roles, it takes whichever is free. The
   * returned function ends the work, then releases the role.
   */
  hold(role: string | readonly string[], work: (signal: AbortSignal) => Promise<void>): () => Promise<void>;
  readonly lock: TakeLock;
}
