/** The processes that share the database. */
export interface TeamReplicas {
  /** The oldest first; none where one process has the database to itself. */
  readonly rows: readonly TeamReplica[];
  readonly mayDrain: boolean;
}

export interface TeamReplica {
  readonly id: string;
  /** `host:pid` */
  readonly name: string;
  /** It answers this page. */
  readonly isOwn: boolean;
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Runs that go on there, and that wait there for a place. */
  readonly running: number;
  readonly waiting: number;
  /** It hands all over and ends. */
  readonly draining: boolean;
  /** Work that it alone does for all. */
  readonly roles: readonly string[];
  /** Platforms that are not connected there. */
  readonly away: readonly string[];
  /** Settings that are not those of the process that has begun last. */
  readonly differing: readonly string[];
}
