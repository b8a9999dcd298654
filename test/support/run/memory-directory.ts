import { readFileSync, statfsSync } from "node:fs";
import { freemem } from "node:os";

const SHARED_MEMORY = "/dev/shm";
/** Four times the bytes that all concurrent tests keep there. */
const ROOM = 2 ** 30;

/**
 * An in-memory file system for what tests write, or null if there is none that has enough room and allows execution
 * (containers have a small one). Without a disk, migrating databases and copying or removing trees takes half of the
 * system time and hardly ever waits.
 */
export function memoryDirectory(): string | null {
  const [, type, options] = mountOf(SHARED_MEMORY);
  if (type !== "tmpfs" || options === undefined || /(?:^|,)(?:ro|noexec)(?:,|$)/u.test(options)) return null;
  const { bavail, bsize } = statfsSync(SHARED_MEMORY);
  return Math.min(bavail * bsize, freemem()) >= ROOM ? SHARED_MEMORY : null;
}

/** Directory, type and options of the newest mount at a directory; empty if there is none. Source: proc_mounts(5). */
function mountOf(directory: string): readonly string[] {
  if (process.platform !== "linux") return [];
  const mounts = readFileSync("/proc/mounts", "utf8").split("\n");
  return mounts.map((line) => line.split(" ").slice(1)).findLast(([at]) => at === directory) ?? [];
}
