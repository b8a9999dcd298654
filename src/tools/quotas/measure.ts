import { type Dirent, lstatSync, readdirSync } from "node:fs";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { unlessRefused } from "../wasm/workspace/refusal.ts";
import { allocatedBytes, BLOCK_BYTES } from "./disk-usage.ts";

/** Milliseconds of work before other tasks get a turn. */
const AT_ONCE_MS = 4;

/**
 * Measures the room that a tree takes, and reports each part to `soFar`. Changes made meanwhile may or may not count.
 */
export async function measure(root: string, soFar: (bytes: number) => void, signal: AbortSignal): Promise<number> {
  let bytes = 0;
  let turnEnds = performance.now() + AT_ONCE_MS;
  const directories = [root];
  for (let directory = directories.pop(); directory !== undefined; directory = directories.pop()) {
    for (const entry of entriesOf(directory)) {
      const place = path.join(directory, entry.name);
      if (entry.isDirectory()) directories.push(place);
      bytes += entry.isFile() ? fileRoom(place) : BLOCK_BYTES;
      if (performance.now() < turnEnds) continue;
      soFar(bytes);
      await nextTurn();
      signal.throwIfAborted();
      turnEnds = performance.now() + AT_ONCE_MS;
    }
  }
  return bytes;
}

/**
 * Entries of a directory; empty if it is gone or unreadable. Failing instead would make each call measure the rest
 * again.
 */
function entriesOf(directory: string): Dirent[] {
  return unlessRefused(() => readdirSync(directory, { withFileTypes: true })) ?? [];
}

function fileRoom(file: string): number {
  const stats = unlessRefused(() => lstatSync(file));
  return stats === null ? 0 : allocatedBytes(stats.size);
}
