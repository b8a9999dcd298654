/** The processes that share the database. */
export interface TeamReplicas {
  /** The oldest first; empty if only one process uses the database. */
  readonly rows: readonly TeamReplica[];
  readonly mayDrain: boolean;
}

export interface TeamReplica {
  readonly id: string;
  /** `host:pid` */
  readonly name: string;
  /** True for the process that serves this page. */
  readonly isOwn: boolean;
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Number of active runs there; `waiting` counts the runs queued for a slot. */
  readonly running: number;
  readonly waiting: number;
  /** True while the process hands over its work before it exits. */
  readonly draining: boolean;
  /** Roles that the process holds for all processes. */
  readonly roles: readonly string[];
  /** Platforms that are not connected there. */
  readonly away: readonly string[];
  /** Settings that differ from those of the process that started last. */
  readonly differing: readonly string[];
}
