import type { Stats } from "node:fs";

/** Allocation unit of file systems in bytes, and the least that an entry takes. */
export const BLOCK_BYTES = 4_096;

/** Room in bytes taken by a file of a given size. */
export function allocatedBytes(size: number): number {
  return Math.max(1, Math.ceil(size / BLOCK_BYTES)) * BLOCK_BYTES;
}

/** Room that removing an entry frees: none if the file has other hard links. */
export function freedBytes(stats: Stats | null): number {
  if (stats === null) return 0;
  if (!stats.isFile()) return BLOCK_BYTES;
  return stats.nlink > 1 ? 0 : allocatedBytes(stats.size);
}
