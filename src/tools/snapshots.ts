import { readdir, stat, unlink } from "node:fs/promises";
import path from "node:path";
import { toAppError } from "../core/protocol/errors.ts";
import type { Log } from "../core/protocol/log.ts";
import type { Clock } from "../core/protocol/runtime.ts";
import { systemCode } from "../core/protocol/system-code.ts";

/** How much is kept of what files held before they were changed, and how long. */
export const SNAPSHOT_LIMITS = { bytes: 1_073_741_824, ageMs: 14 * 86_400_000 };

/** How often it is looked after. Milliseconds. */
const EVERY_MS = 60_000;

export interface SnapshotScope {
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits?: typeof SNAPSHOT_LIMITS;
}

/** Keeps the kept contents within their limits from now on; the answer ends it. */
export function keepWithinLimits(options: SnapshotScope): () => void {
  const { clock, log } = options;
  const next = { cancel: () => {} };
  const again = (): void => {
    prune(options)
      .catch((error: unknown) => log.warn({ code: toAppError(error).code, err: error }, "snapshots_not_pruned"))
      .finally(() => {
        next.cancel = clock.after(EVERY_MS, again);
      })
      .catch(() => {}); // unreachable: what may fail is caught above
  };
  next.cancel = clock.after(0, again);
  return () => next.cancel();
}

/** Removes contents that are too old, then the oldest until the rest is within the limit. */
export async function prune({ directory, clock, limits = SNAPSHOT_LIMITS }: SnapshotScope): Promise<void> {
  const files = await entriesOf(directory);
  let left = limits.bytes;
  for (const { file, bytes, at } of files.toSorted((a, b) => b.at - a.at)) {
    left -= bytes;
    if (left < 0 || clock.now() - at > limits.ageMs) await remove(file);
  }
}

interface Kept {
  readonly file: string;
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

async function entriesOf(directory: string): Promise<Kept[]> {
  const kept: Kept[] = [];
  for (const name of await namesIn(directory)) {
    const file = path.join(directory, name);
    const stats = await unlessGone(stat(file));
    if (stats !== null) kept.push({ file, bytes: stats.size, at: stats.mtimeMs });
  }
  return kept;
}

async function namesIn(directory: string): Promise<string[]> {
  return (await unlessGone(readdir(directory))) ?? [];
}

async function remove(file: string): Promise<void> {
  await unlessGone(unlink(file));
}

async function unlessGone<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return null;
    throw error;
  }
}
