import { randomBytes } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { systemCode, unlessSystem } from "../../../core/protocol/system-code.ts";
import type { Directory } from "./directory.ts";
import { notRegular, type ResolvedPath, withFile } from "./path-resolver.ts";
import { TEMPORARY_NAME } from "./path-rules.ts";
import { hashFile } from "./read-file.ts";
import { Refusal } from "./refusal.ts";

/** Age in milliseconds at which a temporary file counts as left by a dead write. */
const STALE_MS = 600_000;

export interface FileReplacement {
  readonly content: string | Uint8Array;
  readonly before: string | null;
  readonly mode?: number | undefined;
}

/**
 * Replaces a file's content atomically: readers see the old or the new content, also after a crash. The file must still
 * be what `before` says (a sha256; null if absent) at the moment of replacement. Keeps the mode, unless another is
 * given, and the owner if permitted.
 */
export function replaceFile(place: ResolvedPath, path: string, change: FileReplacement): void {
  const { directory, name, stats } = place;
  if (stats !== null && !stats.isFile()) throw notRegular(path, stats);
  if (stats !== null) accessSync(directory.at(name), constants.W_OK);
  removeUnfinished(directory);
  const temporary = directory.at(`.deckhand-${randomBytes(8).toString("hex")}.tmp`);
  try {
    writeTemporary(temporary, place, change);
    if (change.before === null) takeFreeName(temporary, directory.at(name));
    else {
      requireUnchanged(place, path, change.before);
      renameSync(temporary, directory.at(name));
    }
  } finally {
    removeIfThere(temporary);
  }
  syncDirectory(directory);
}

function writeTemporary(
  temporary: string,
  { stats }: ResolvedPath,
  { content, mode = stats?.mode }: FileReplacement,
): void {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const fd = openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, stats === null ? 0o666 : 0o600);
  try {
    writeFileSync(fd, content);
    if (stats !== null) keepOwner(fd, stats);
    if (mode !== undefined) fchmodSync(fd, mode & 0o777);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/**
 * Only the superuser may change a file's owner, and others only to groups of their own; a confined process knows few
 * names (EINVAL).
 */
function keepOwner(fd: number, { uid, gid }: { uid: number; gid: number }): void {
  const isKept = (owner: number) =>
    unlessSystem(["EPERM", "EINVAL"], () => {
      fchownSync(fd, owner, gid);
      return true;
    });
  if (!isKept(uid)) isKept(-1);
}

function requireUnchanged(place: ResolvedPath, path: string, before: string): void {
  const current = withFile(place, path, hashFile);
  if (current !== before) throw new Refusal(`${path} changed in the meantime; nothing was written. Read it again.`);
}

/** A link never replaces an existing file. If the file system has no links, an empty file takes the name first. */
function takeFreeName(temporary: string, target: string): void {
  try {
    linkSync(temporary, target);
  } catch (error) {
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(systemCode(error) ?? "")) throw error;
    closeSync(openSync(target, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL));
    renameSync(temporary, target);
  }
}

function removeIfThere(path: string): void {
  unlessSystem(["ENOENT"], () => unlinkSync(path));
}

/** Removes temporary files left by dead writes; with an age in milliseconds, all that are older. */
export function removeUnfinished(directory: Directory, ageMs = STALE_MS): void {
  for (const name of readdirSync(directory.at("."))) {
    if (!TEMPORARY_NAME.test(name)) continue;
    const stats = lstatSync(directory.at(name), { throwIfNoEntry: false });
    if (stats !== undefined && Date.now() - stats.mtimeMs > ageMs) removeIfThere(directory.at(name));
  }
}

/** Makes the new name durable before the write is reported; not all file systems support that (EINVAL). */
function syncDirectory(directory: Directory): void {
  if (process.platform === "win32") return; // directories cannot be opened there
  const fd = openSync(directory.at("."), constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    unlessSystem(["EINVAL"], () => fsyncSync(fd));
  } finally {
    closeSync(fd);
  }
}
