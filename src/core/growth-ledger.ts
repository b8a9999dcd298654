/** What has been added today (UTC), for each person and channel; and what directories of the operator's held at first. */
export interface GrowthLedger {
  /** Looks up what is not known of these keys, or was too long ago, and of a directory; null: nothing. Never rejects. */
  ready(keys: readonly string[], root: string | null): Promise<void> | null;
  /** As far as it is known. */
  bytes(key: string): number;
  add(key: string, bytes: number): void;
  /** Null until the directory has been seen. */
  given(root: string): number | null;
  see(root: string, bytes: number): void;
  /** Keeps what is not kept yet. Never rejects. */
  close(): Promise<void>;
}

/** The day (UTC) of a time in milliseconds since the epoch: `2026-11-23`. */
export function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}
