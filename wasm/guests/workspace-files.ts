import * as host from "deckhand:sandbox/filesystem@0.1.0";

/**
 * The `filesystem` interface of wasm/wit/sandbox.wit as a guest sees it. Paths are relative to the sandbox root;
 * contents have one character from U+0000 to U+00FF for each byte. Throws FileError.
 */
export interface Filesystem {
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

export interface EntryStatus {
  readonly kind: "file" | "directory" | "link" | "other";
  readonly size: number;
  readonly modified: number;
  readonly mode: number;
  readonly identity: string;
}

/** The wording of operating systems, since programs look for it. */
const WORDS: Readonly<Record<string, string>> = {
  ENOENT: "no such file or directory",
  EEXIST: "file already exists",
  ENOTDIR: "not a directory",
  EISDIR: "illegal operation on a directory",
  ENOTEMPTY: "directory not empty",
  EACCES: "permission denied",
  EPERM: "operation not permitted",
  EFBIG: "file too large",
  ELOOP: "too many symbolic links encountered",
  EINVAL: "invalid argument",
  ENOSPC: "no space left on device",
  ENOTSUP: "operation not supported",
};

/** `ENOENT: no such file or directory, open 'a.txt'`. The sandbox's own sentences are reported separately. */
export class FileError extends Error {
  readonly code: string;

  constructor(code: string, { call, path }: { readonly call: string; readonly path: string }) {
    super(`${code}: ${WORDS[code] ?? "file error"}, ${call} '${path}'`);
    this.name = "Error";
    this.code = code;
  }
}

/** Node's names of the calls, which appear in error messages. */
const CALLS = {
  status: "stat",
  entries: "scandir",
  resolve: "realpath",
  readFile: "open",
  writeFile: "open",
  makeDirectory: "mkdir",
  remove: "rm",
  rename: "rename",
  copyFile: "copyfile",
  setModified: "utime",
  compress: "gzip",
  decompress: "gunzip",
  digest: "digest",
} as const;

const OF_CONTENTS: ReadonlySet<string> = new Set(["compress", "decompress", "digest"]);

/**
 * Wraps the host's functions so that errors name the path, formatted by `shown`; `refused` receives the sandbox's
 * sentences.
 */
export function openFilesystem(shown: (path: string) => string, refused: (sentence: string) => void): Filesystem {
  const calling =
    <A extends readonly unknown[], R>(name: keyof typeof CALLS, work: (...args: A) => R) =>
    (...args: A): R => {
      try {
        return work(...args);
      } catch (error) {
        const { code, sentence } = failureOf(error);
        if (sentence !== "") refused(sentence);
        const path = OF_CONTENTS.has(name) ? "" : shown(String(args[0]));
        throw new FileError(code, { call: CALLS[name], path });
      }
    };
  return {
    status: calling("status", host.status),
    entries: calling("entries", host.entries),
    resolve: calling("resolve", host.resolve),
    readFile: calling("readFile", host.readFile),
    writeFile: calling("writeFile", host.writeFile),
    makeDirectory: calling("makeDirectory", host.makeDirectory),
    remove: calling("remove", host.remove),
    rename: calling("rename", host.rename),
    copyFile: calling("copyFile", host.copyFile),
    setModified: calling("setModified", host.setModified),
    compress: calling("compress", host.compress),
    decompress: calling("decompress", host.decompress),
    digest: calling("digest", host.digest),
  };
}

/** An error without the interface's payload is a defect and is rethrown. */
function failureOf(error: unknown): { code: string; sentence: string } {
  const payload: unknown = error instanceof Error && "payload" in error ? error.payload : null;
  if (typeof payload === "object" && payload !== null && "code" in payload && "sentence" in payload) {
    return { code: String(payload.code), sentence: String(payload.sentence) };
  }
  throw error;
}
