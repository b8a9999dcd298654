/** Who has done what, as the audit log has it. */
export interface AuditRow {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Empty: nobody known. */
  readonly by: string;
  readonly act: string;
  readonly about: string;
  readonly details: string;
  /** The session of a decision; null of anything else. */
  readonly sessionId: string | null;
}
