/** Bytes added today (UTC) per person and channel, and the size of operator directories when they were first seen. */
export interface GrowthLedger {
  /** Loads missing or outdated figures for these keys and a directory; null if nothing needs loading. Never rejects. */
  ready(keys: readonly string[], root: string | null): Promise<void> | null;
  /** Bytes added today under the key, as far as they are loaded. */
  bytes(key: string): number;
  add(key: string, bytes: number): void;
  /** Bytes that the directory held when it was first seen; null before that. */
  given(root: string): number | null;
  see(root: string, bytes: number): void;
  /** Stores figures that are not stored yet. Never rejects. */
  close(): Promise<void>;
}
