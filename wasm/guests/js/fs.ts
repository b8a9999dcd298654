import { bytesOfLatin1, latin1Of, textOfBytes, utf8Bytes } from "../runtime/text-encoding.ts";
import { type EntryStatus, FileError, type Filesystem } from "../workspace-files.ts";
import { absolute, inner } from "./paths.ts";

type Encoding = string | { readonly encoding?: string | null } | null | undefined;
type Data = string | ArrayBuffer | ArrayBufferView;
interface Depth {
  readonly recursive?: boolean;
  readonly force?: boolean;
  readonly withFileTypes?: boolean;
}

type Work = Readonly<Record<string, (...args: never[]) => unknown>>;

/** The modules `node:fs` and `node:fs/promises`: the same functions, synchronous and with promises. */
export function createFs(files: Filesystem): { sync: Record<string, unknown>; promises: Record<string, unknown> } {
  const work: Work = { ...contentWork(files), ...entryWork(files) };
  const later = Object.entries(work).map(([name, run]) => [name, async (...args: never[]) => run(...args)] as const);
  const promises = Object.fromEntries(later);
  const sync = Object.fromEntries(Object.entries(work).map(([name, run]) => [`${name}Sync`, run]));
  const existsSync = (path: string): boolean => {
    try {
      files.status(at(path, "stat"), true);
      return true;
    } catch (error) {
      if (error instanceof FileError) return false;
      throw error;
    }
  };
  return { sync: { ...sync, existsSync, promises }, promises };
}

function contentWork(files: Filesystem): Work {
  const write = (path: string, data: Data, append: boolean): void =>
    files.writeFile(at(path, "open"), contentOf(data), append);
  return {
    readFile: (path: string, encoding?: Encoding) => decoded(files.readFile(at(path, "open")), encoding),
    writeFile: (path: string, data: Data) => write(path, data, false),
    appendFile: (path: string, data: Data) => write(path, data, true),
    copyFile: (source: string, target: string) => files.copyFile(at(source, "copyfile"), at(target, "copyfile")),
    rename: (source: string, target: string) => files.rename(at(source, "rename"), at(target, "rename")),
  };
}

function entryWork(files: Filesystem): Work {
  const remove = (path: string, { recursive = false, force = false }: Depth = {}): void => {
    try {
      files.remove(at(path, "rm"), recursive);
    } catch (error) {
      if (!force || !(error instanceof FileError) || error.code !== "ENOENT") throw error;
    }
  };
  return {
    stat: (path: string) => statsOf(files.status(at(path, "stat"), true)),
    lstat: (path: string) => statsOf(files.status(at(path, "lstat"), false)),
    access: (path: string): void => {
      files.status(at(path, "access"), true);
    },
    realpath: (path: string) => absolute(files.resolve(at(path, "realpath"))),
    mkdir: (path: string, { recursive = false }: Depth = {}) => files.makeDirectory(at(path, "mkdir"), recursive),
    readdir: (path: string, options: Depth = {}) => entriesOf(files, at(path, "scandir"), options),
    rm: remove,
    rmdir: (path: string) => remove(path),
    unlink: (path: string) => remove(path),
  };
}

/** The path as the host names it. Nothing exists outside the sandbox. */
function at(path: string, call: string): string {
  const place = inner(path);
  if (place === null) throw new FileError("ENOENT", { call, path });
  return place;
}

function contentOf(data: Data): string {
  if (typeof data === "string") return utf8Bytes(data);
  const bytes = ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
  return latin1Of(bytes);
}

function decoded(content: string, encoding: Encoding): string | Uint8Array {
  const name = typeof encoding === "object" ? encoding?.encoding : encoding;
  if (name === "latin1" || name === "binary") return content;
  if (name === "base64") return btoa(content);
  if (name === undefined || name === null) return bytesOfLatin1(content);
  if (/^utf-?8$/i.test(name)) return textOfBytes(content);
  return new TextDecoder(name).decode(bytesOfLatin1(content));
}

function statsOf({ kind, size, modified, mode }: EntryStatus): object {
  return { ...kindTests(kind), size, mode, mtimeMs: modified, mtime: new Date(modified) };
}

function kindTests(kind: EntryStatus["kind"]): Record<string, () => boolean> {
  return {
    isFile: () => kind === "file",
    isDirectory: () => kind === "directory",
    isSymbolicLink: () => kind === "link",
  };
}

const KINDS: Readonly<Record<string, EntryStatus["kind"]>> = { f: "file", d: "directory", l: "link" };

function entriesOf(files: Filesystem, path: string, options: Depth): unknown[] {
  return below(files, path, options.recursive === true).map(({ directory, name, kind }) => {
    if (options.withFileTypes === true) return { name, parentPath: absolute(directory), ...kindTests(kind) };
    const from = path === "" ? directory : directory.slice(path.length + 1);
    return from === "" ? name : `${from}/${name}`;
  });
}

interface Entry {
  readonly directory: string;
  readonly name: string;
  readonly kind: EntryStatus["kind"];
}

function below(files: Filesystem, directory: string, recursive: boolean): Entry[] {
  const listed = files.entries(directory);
  return (listed === "" ? [] : listed.split("\0")).flatMap((entry) => {
    const kind = KINDS[entry.charAt(0)] ?? "other";
    const name = entry.slice(1);
    const found = { directory, name, kind };
    if (!recursive || kind !== "directory") return [found];
    return [found, ...below(files, directory === "" ? name : `${directory}/${name}`, recursive)];
  });
}
