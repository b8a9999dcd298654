import { createHash } from "node:crypto";
import type { Dirent, Stats } from "node:fs";
import type { IsInstructionFile } from "../../instructions/protected-files.ts";
import type { QuotaMeter } from "../../quotas/quota-meter.ts";
import type { RefuseSecret } from "../../secrets/secret-files.ts";
import { compress, decompress } from "./compression.ts";
import { FileFailure, guarded } from "./file-failure.ts";
import type { ContentKeeper } from "./kept-content.ts";
import { type PathResolver, withFile } from "./path-resolver.ts";
import { segmentsOf } from "./path-rules.ts";
import { hashOf, readWhole } from "./read-file.ts";
import { entriesAt, isShown } from "./tree.ts";

/** Maximum bytes of one file that a program reads at once. */
const MAX_READ = 33_554_432;

/** The guest's `filesystem` import (wasm/wit/sandbox.wit). */
export interface FilesystemImport {
  status(path: string, follow: boolean): EntryStatus;
  entries(path: string): string;
  resolve(path: string): string;
  readFile(path: string): string;
  writeFile(path: string, content: string, append: boolean): void;
  makeDirectory(path: string, parents: boolean): void;
  remove(path: string, recursive: boolean): void;
  rename(source: string, target: string): void;
  copyFile(source: string, target: string): void;
  setModified(path: string, modified: number): void;
  compress(content: string, level: number): string;
  decompress(content: string): string;
  digest(algorithm: string, content: string): string;
}

interface EntryStatus {
  readonly kind: "file" | "directory" | "link" | "other";
  readonly size: number;
  readonly modified: number;
  readonly mode: number;
  readonly identity: string;
}

/** What one call can access, and who is notified of its changes. */
export interface FilesystemScope {
  readonly resolver: PathResolver;
  readonly writable: boolean;
  /** Called before each change: sleeps while other processes may have the files. */
  readonly passFence: () => void;
  /** Whether agents take instructions from a file. */
  readonly isInstructionFile: IsInstructionFile;
  /** The one instruction file that may be written; null if none. */
  readonly instructionFile: string | null;
  /** Throws if content looks like a secret and is not open to this call. */
  readonly refuseSecret: RefuseSecret;
  readonly quota: QuotaMeter;
  readonly contentKeeper: ContentKeeper;
  /** Receives the paths, relative to the root, of files that were written, moved or removed. */
  readonly changed: (paths: readonly string[]) => void;
}

/**
 * Creates the reading functions of a program's file system. The scope is requested for each call, as in
 * change-files.ts.
 */
export function createFileReads(
  scope: () => FilesystemScope,
): Pick<FilesystemImport, "status" | "entries" | "resolve" | "readFile" | "compress" | "decompress" | "digest"> {
  const resolver = (): PathResolver => scope().resolver;
  return {
    status: guarded((path: string, follow: boolean) =>
      statusOf(present((follow ? resolver().find(path) : resolver().entry(path)).stats)),
    ),
    entries: guarded((path: string) =>
      entriesAt(resolver(), segmentsOf(path, []).join("/"))
        .filter(({ name }) => isShown(name))
        .map((entry) => `${kindOf(entry).charAt(0)}${entry.name}`)
        .join("\0"),
    ),
    resolve: guarded((path: string) => {
      const place = resolver().find(path);
      present(place.stats);
      return place.relative;
    }),
    readFile: guarded((path: string) => readBytes(scope(), path).toString("latin1")),
    compress: guarded(compress),
    decompress: guarded(decompress),
    digest: guarded(digest),
  };
}

const DIGESTS: ReadonlySet<string> = new Set(["MD5", "SHA-1", "SHA-256", "SHA-384", "SHA-512"]);

function digest(algorithm: string, content: string): string {
  if (!DIGESTS.has(algorithm)) throw new FileFailure("EINVAL");
  return createHash(algorithm.replace("-", "").toLowerCase()).update(content, "latin1").digest("hex");
}

export function readBytes(
  { resolver, refuseSecret }: Pick<FilesystemScope, "resolver" | "refuseSecret">,
  path: string,
): Buffer {
  const place = resolver.find(path);
  if (present(place.stats).isDirectory()) throw new FileFailure("EISDIR");
  const bytes = withFile(place, path, (fd) => readWhole(fd, path, MAX_READ));
  refuseSecret(place.relative, bytes, () => hashOf(bytes));
  return bytes;
}

export function present(stats: Stats | null): Stats {
  if (stats === null) throw new FileFailure("ENOENT");
  return stats;
}

function statusOf(stats: Stats): EntryStatus {
  return {
    kind: kindOf(stats),
    size: stats.size,
    modified: stats.mtimeMs,
    mode: stats.mode & 0o777,
    identity: `${stats.dev}:${stats.ino}`,
  };
}

function kindOf(entry: Stats | Dirent): EntryStatus["kind"] {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  return entry.isSymbolicLink() ? "link" : "other";
}
