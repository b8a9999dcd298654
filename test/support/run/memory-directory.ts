import { readFileSync, statfsSync } from "node:fs";
import { freemem } from "node:os";

const SHARED_MEMORY = "/dev/shm";
/** Four times of what all tests that are at work at once keep there. Bytes. */
const ROOM = 2 ** 30;

/**
 * A file system in memory for what tests write, or null where there is none with room to spare in which
 * programs may run: containers have a small one. Without a disk, what migrates databases, and copies or
 * removes trees, takes half of the system's time and hardly ever waits.
 */
export function memoryDirectory(): string | null {
  const [, type, options] = mountOf(SHARED_MEMORY);
  if (type !== "tmpfs" || options === undefined || /(?:^|,)(?:ro|noexec)(?:,|$)/u.test(options)) return null;
  const { bavail, bsize } = statfsSync(SHARED_MEMORY);
  return Math.min(bavail * bsize, freemem()) >= ROOM ? SHARED_MEMORY : null;
}

/** Directory, type and options of the newest mount there; nothing where there is none. Source: proc_mounts(5). */
function mountOf(directory: string): readonly string[] {
  if (process.platform !== "linux") return [];
  const mounts = readFileSync("/proc/mounts", "utf8").split("\n");
  return mounts.map((line) => line.split(" ").slice(1)).findLast(([at]) => at === directory) ?? [];
}
