import { readdir, stat, unlink } from "node:fs/promises";
import path from "node:path";
import { type Clock, sleepUnlessAborted } from "../core/protocol/runtime.ts";
import { unlessMissing } from "../core/protocol/system-code.ts";

/** Limits on the size and age of kept former contents of files. */
export const SNAPSHOT_LIMITS = { bytes: 1_073_741_824, ageMs: 14 * 86_400_000 };

/**
 * Bounds of the pause between clean-ups, in milliseconds. Checking hundreds of thousands of files takes long and is
 * done more rarely.
 */
const EVERY_MS = { least: 60_000, most: 3_600_000 };
/** Ratio of the pause after a clean-up to the duration of the clean-up. */
const RESTS = 100;

export interface SnapshotScope {
  readonly directory: string;
  readonly clock: Clock;
  readonly limits?: typeof SNAPSHOT_LIMITS;
}

/** Keeps the kept contents within their limits until the signal aborts. */
export async function keepWithinLimits(options: SnapshotScope, signal: AbortSignal): Promise<void> {
  const { clock } = options;
  while (!signal.aborted) {
    const begunAt = clock.now();
    await prune(options);
    const restMs = RESTS * (clock.now() - begunAt);
    await sleepUnlessAborted(clock, Math.min(EVERY_MS.most, Math.max(EVERY_MS.least, restMs)), signal);
  }
}

/** Removes contents that are too old, then the oldest ones until the rest is within the limit. */
export async function prune({ directory, clock, limits = SNAPSHOT_LIMITS }: SnapshotScope): Promise<void> {
  const files = await entriesOf(directory);
  let left = limits.bytes;
  for (const { file, bytes, at } of files.toSorted((a, b) => b.at - a.at)) {
    left -= bytes;
    if (left < 0 || clock.now() - at > limits.ageMs) await unlessMissing(unlink(file));
  }
}

interface SnapshotFile {
  readonly file: string;
  readonly bytes: number;
  readonly at: number;
}

async function entriesOf(directory: string): Promise<SnapshotFile[]> {
  const files: SnapshotFile[] = [];
  for (const name of (await unlessMissing(readdir(directory))) ?? []) {
    const file = path.join(directory, name);
    const stats = await unlessMissing(stat(file));
    if (stats?.isFile() === true) files.push({ file, bytes: stats.size, at: stats.mtimeMs });
  }
  return files;
}
