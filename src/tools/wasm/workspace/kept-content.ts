import type { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { z } from "zod";
import { type QuotaMeter, UNBOUNDED } from "../../quotas/quota-meter.ts";
import { keepMode } from "./kept-mode.ts";
import { type ResolvedPath, withFile } from "./path-resolver.ts";
import { hashOf, readWhole } from "./read-file.ts";
import { unlessRefused } from "./refusal.ts";

export const fileChangeSchema = z.object({
  /** Relative to the root. */
  path: z.string(),
  /** sha256 of the content before the call, null if the file did not exist; absent if the content was not kept. */
  before: z.string().nullable().exactOptional(),
  /** The topmost directory above a new file that the call created. */
  made: z.string().exactOptional(),
});
export type FileChange = z.infer<typeof fileChangeSchema>;

/** Limits of what one call keeps: larger files, and anything beyond these totals, cannot be restored. */
export const MAX_KEPT = { fileBytes: 16_777_216, callBytes: 67_108_864, callFiles: 1_000 };

/** Keeps what files held before a call first changes them, by the hash of the content. */
export interface ContentKeeper {
  /** Must be called before the change. */
  file(place: ResolvedPath): void;
  /** Records that a file is new, so there is no content to keep. */
  absent(path: string): void;
  /** Records that a directory was created. */
  made(directory: string): void;
  /** Records that a directory was removed. */
  gone(directory: string): void;
  /** Describes a changed file, with what was kept of it. */
  change(path: string): FileChange;
}

/** `directory` is where contents are kept; null to keep nothing, so that nothing is known of the state before. */
export function createContentKeeper(directory: string | null, quota: QuotaMeter = UNBOUNDED): ContentKeeper {
  const befores = new Map<string, string | null | undefined>();
  const made = new Set<string>();
  const gone = new Set<string>();
  let left = MAX_KEPT.callBytes;
  const contentOf = (place: ResolvedPath): string | null | undefined => {
    if (place.stats === null) return null;
    const { size } = place.stats;
    const isKept = place.stats.isFile() && size <= Math.min(MAX_KEPT.fileBytes, left);
    if (directory === null || !isKept || befores.size >= MAX_KEPT.callFiles) return undefined;
    if (!quota.reserveKept(size)) return undefined;
    left -= size;
    return keptOf(place, directory);
  };
  return {
    file: (place) => {
      if (!befores.has(place.relative)) befores.set(place.relative, contentOf(place));
    },
    absent: (path) => {
      if (!befores.has(path)) befores.set(path, null);
    },
    // A directory that the call removes and makes again existed before it.
    made: (path) => void (gone.has(path) || made.add(path)),
    gone: (path) => void (made.has(path) || gone.add(path)),
    change: (path) => {
      const before = befores.get(path);
      if (directory === null || before === undefined) return { path };
      const top = before === null ? topmostAbove(path, made) : null;
      return top === null ? { path, before } : { path, before, made: top };
    },
  };
}

function topmostAbove(file: string, made: ReadonlySet<string>): string | null {
  let top: string | null = null;
  for (let above = posix.dirname(file); made.has(above); above = posix.dirname(above)) top = above;
  return top;
}

/** Undefined if the content cannot be kept: being unable to undo a change is no reason to refuse it. */
function keptOf(place: ResolvedPath, directory: string): string | undefined {
  const stored = unlessRefused(() => {
    const bytes = withFile(place, place.relative, (fd) => readWhole(fd, place.relative, MAX_KEPT.fileBytes));
    const sha256 = keepContent(directory, bytes);
    keepMode(directory, { path: place.relative, sha256 }, place.stats?.mode ?? 0);
    return sha256;
  });
  return stored ?? undefined;
}

/**
 * Stores a content under its hash, which is returned. An existing content gets a new timestamp, because old ones are
 * removed.
 */
export function keepContent(directory: string, bytes: Buffer): string {
  const sha256 = hashOf(bytes);
  const file = join(directory, sha256);
  if (lstatSync(file, { throwIfNoEntry: false })?.size === bytes.length) {
    const now = new Date();
    utimesSync(file, now, now);
    return sha256;
  }
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const temporary = `${file}.${randomBytes(8).toString("hex")}.tmp`;
  try {
    writeFileSync(temporary, bytes, { mode: 0o600, flag: "wx" });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  return sha256;
}
