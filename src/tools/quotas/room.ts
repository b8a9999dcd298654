import type { Stats } from "node:fs";

/** Bytes of the unit in which file systems give room: what an entry takes at least, whatever it holds. */
export const BLOCK_BYTES = 4_096;

/** The room that a file of so many bytes takes. */
export function roomOf(size: number): number {
  return Math.max(1, Math.ceil(size / BLOCK_BYTES)) * BLOCK_BYTES;
}

/** The room that falls free with an entry's name: none where the file has other names. */
export function roomHeld(stats: Stats | null): number {
  if (stats === null) return 0;
  if (!stats.isFile()) return BLOCK_BYTES;
  return stats.nlink > 1 ? 0 : roomOf(stats.size);
}
