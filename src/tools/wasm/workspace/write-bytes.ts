import { Buffer } from "node:buffer";
import { closeSync, constants, fstatSync, ftruncateSync, openSync, writeFileSync } from "node:fs";
import { FileFailure } from "./file-failure.ts";
import { notRegular, type ResolvedPath, withFile } from "./path-resolver.ts";
import { hashOf, readWhole } from "./read-file.ts";
import { replaceFile } from "./replace-file.ts";

const { O_WRONLY, O_CREAT, O_EXCL, O_APPEND, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;

export interface Written {
  readonly bytes: Buffer;
  readonly append: boolean;
  /** Called once the file is no longer what it was; writing the bytes may still fail. */
  readonly changed: () => void;
}

/**
 * Writes as a shell's redirection does: in place, so that others see the file grow. A file with several hard links is
 * replaced instead, because the other names may lie outside the root and must keep their content.
 */
export function writeBytes(place: ResolvedPath, path: string, written: Written): void {
  const { bytes, append, changed } = written;
  const { directory, name, stats } = place;
  if (stats?.isDirectory()) throw new FileFailure("EISDIR");
  if (stats !== null && !stats.isFile()) throw notRegular(path, stats);
  if (stats !== null && stats.nlink > 1) {
    replaceShared(place, path, written);
    return;
  }
  const how = stats === null ? O_CREAT | O_EXCL : O_NONBLOCK | O_NOCTTY;
  const fd = openSync(directory.at(name), O_WRONLY | O_NOFOLLOW | how | (append ? O_APPEND : 0), 0o666);
  try {
    const opened = fstatSync(fd);
    if (!opened.isFile() || opened.nlink > 1) throw notRegular(path, opened);
    if (!append) ftruncateSync(fd);
    changed();
    writeFileSync(fd, bytes);
  } finally {
    closeSync(fd);
  }
}

function replaceShared(place: ResolvedPath, path: string, { bytes, append, changed }: Written): void {
  const old = withFile(place, path, (fd) => readWhole(fd, path));
  const content = append ? Buffer.concat([old, bytes]) : bytes;
  replaceFile(place, path, { content, before: hashOf(old) });
  changed();
}
