import { Buffer } from "node:buffer";
import { readSync } from "node:fs";
import type { FilesystemScope } from "./filesystem.ts";
import { BINARY, HEAD_BYTES, inUtf8, mediaTypeOf } from "./media-type.ts";
import { withFile } from "./path-resolver.ts";
import { type Prefilter, prefilterOf } from "./prefilter.ts";
import { hashOf, MAX_WHOLE } from "./read-file.ts";
import { Refusal, unlessRefused } from "./refusal.ts";

/** Maximum bytes of text in one batch, unless a single file is larger. */
const BATCH_BYTES = 1_048_576;

export interface Search {
  readonly paths: readonly string[];
  readonly first: number;
  readonly prefilter: Prefilter;
}

type Files = Pick<FilesystemScope, "resolver" | "refuseSecret">;

export interface Batch {
  readonly paths: readonly string[];
  readonly texts: readonly string[];
  readonly next: number;
  readonly skipped: number;
}

/** Reads files in turn and keeps the texts that pass the prefilter, until a batch is full. */
export function readMatching(scope: Files, { paths, first, prefilter }: Search): Batch {
  const wanted = prefilterOf(prefilter);
  const matching: { path: string; text: string }[] = [];
  const buffer = new FileBuffer();
  let bytes = 0;
  let skipped = 0;
  let at = first;
  for (; at < paths.length && bytes < BATCH_BYTES; at++) {
    const path = paths[at] ?? "";
    const read = readQuietly(scope, path, buffer);
    if (read === "too large") skipped++;
    if (read === null || read === "too large" || !wanted(read.content)) continue;
    const { content } = read;
    if (isSecret(scope, read)) {
      skipped++;
      continue;
    }
    matching.push({ path, text: textOf(content) });
    bytes += content.length;
  }
  return { paths: matching.map(({ path }) => path), texts: matching.map(({ text }) => text), next: at, skipped };
}

/** Strips the byte order mark, which would precede the first line. */
function textOf(content: Buffer): string {
  const text = content.toString("utf8");
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

interface ReadFile {
  /** Path with links resolved. */
  readonly at: string;
  readonly content: Buffer;
}

/** Null if the file is not text, is gone or may not be read: a search continues without it. */
function readQuietly({ resolver }: Files, path: string, buffer: FileBuffer): ReadFile | "too large" | null {
  return unlessRefused(() => {
    const place = resolver.find(path);
    return withFile(place, path, (fd, { size }) => {
      if (size > MAX_WHOLE) return "too large";
      const content = buffer.read(fd, size);
      return content === null ? null : { at: place.relative, content };
    });
  });
}

function isSecret({ refuseSecret }: Files, { at, content }: ReadFile): boolean {
  try {
    refuseSecret(at, content, () => hashOf(content));
    return false;
  } catch (error) {
    if (error instanceof Refusal) return true;
    throw error;
  }
}

/** One buffer for all files, since the system call is most of the cost of a small file. */
class FileBuffer {
  #buffer = Buffer.allocUnsafe(65_536);

  read(fd: number, size: number): Buffer | null {
    if (this.#buffer.length < size) this.#buffer = Buffer.allocUnsafe(size);
    let length = 0;
    while (length < size) {
      const bytes = readSync(fd, this.#buffer, length, size - length, length);
      if (bytes === 0) break;
      length += bytes;
    }
    const content = inUtf8(this.#buffer.subarray(0, length));
    const type = mediaTypeOf(content.subarray(0, HEAD_BYTES));
    return type === BINARY || type.startsWith("image/") || type === "application/pdf" ? null : content;
  }
}
