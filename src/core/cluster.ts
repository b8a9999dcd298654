/** What is in the database already, and what a process may want to read at once. */
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

/** What this process has to itself, of all processes, until it is disposed of. */
export interface ClusterLock extends Disposable {
  /** For so many milliseconds from now on no other process can have it, whatever becomes of this one; 0: nobody knows. */
  certainMs(): number;
  /** Throws StoreError `stale_owner` once the others have taken this process for dead. */
  requireHeld(): Promise<void>;
}

export interface LockWait {
  readonly signal: AbortSignal;
  /** Told when others have it, and whenever fewer are before this one. */
  readonly queued: (before: number) => void;
}

/** Resolves once no other process has what is named, in the order in which they ask; work of one process shares it. */
export type TakeLock = (name: string, wait: LockWait) => Promise<ClusterLock>;

/** Another process that lives, as the database has it. */
export interface OtherReplica {
  readonly id: string;
  /** What it reports of itself; empty until it has begun. JSON. */
  readonly state: unknown;
}

/** Sessions at platforms' gateways: whoever has a shard's role goes on with what the one before has kept. JSON. */
export interface GatewaySessions {
  /** By the role; null where there is none. */
  of(role: string): Promise<unknown>;
  /** Does nothing where another process has the role by now. */
  keep(role: string, session: object | null): Promise<void>;
}

/** A process that lives, as it tells the others. */
export interface ClusterMember {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly startedAt: number;
  /** A short digest of what all processes must have in common, by its name. */
  readonly settings: Readonly<Record<string, string>>;
  /** What its file and environment set, by name: JSON, or a digest behind `#`. Null: its release does not tell. */
  readonly given: Readonly<Record<string, string>> | null;
  /** Runs that go on there, and that wait there for a place. */
  readonly running: number;
  readonly waiting: number;
  /** Whether each platform is connected there, by its name. */
  readonly platforms: Readonly<Record<string, boolean>>;
  readonly roles: readonly string[];
  /** Somebody has asked it to hand all over and end. */
  readonly draining: boolean;
}

/** Whether a process has been asked to end: not the last one that takes sessions, and none that is no more. */
export type DrainOutcome = "asked" | "last" | "gone";

/** The processes that share a database, this one among them: a replica each. */
export interface Cluster {
  /** This process among the others. */
  readonly id: string;
  /** False: no other ever comes, as long as this one lives. */
  readonly isShared: boolean;
  /** How many processes there are, as far as this one knows; at least 1. */
  size(): number;
  readonly gatewaySessions: GatewaySessions;
  /** Asked of the database. */
  others(): Promise<readonly OtherReplica[]>;
  /** What the others are told of what this process does, beside what is reported already. JSON. */
  report(state: () => object): void;
  /** All processes that live, this one among them, the oldest first; none where there are no others to come. */
  members(): Promise<readonly ClusterMember[]>;
  /** Asks a process to hand all over and end. */
  drain(id: string): Promise<DrainOutcome>;
  /**
   * Tells the others. A word may be lost, and one that is told many times may be heard once: whoever hears it reads what is
   * in the database, and reads it now and then without a word. At most 4,000 bytes. Never rejects.
   */
  tell(topic: ClusterTopic, about: string): Promise<void>;
  /** Hears what the others tell from now on; what it returns ends that. */
  hear(topic: ClusterTopic, listener: (about: string) => void): () => void;
  /**
   * Does work that one process at a time does: whenever this one gets the role, until the signal aborts. Work that is over by
   * itself or fails is begun again after a while. What it returns gives the role up, once the work is over. Of several roles
   * one is taken, whichever is free.
   */
  hold(role: string | readonly string[], work: (signal: AbortSignal) => Promise<void>): () => Promise<void>;
  readonly lock: TakeLock;
}
