import type {
  BufferEncoding,
  CpOptions,
  FileContent,
  FsStat,
  IFileSystem,
  MkdirOptions,
  RmOptions,
} from "just-bash/browser";
import { bytesOfLatin1, latin1Of, textKeepingBytes, utf8Bytes } from "../runtime/text-encoding.ts";
import { type EntryStatus, FileError, type Filesystem } from "../workspace-files.ts";

type Encoding = { readonly encoding?: BufferEncoding | null } | BufferEncoding;
type Dirent = { name: string; isFile: boolean; isDirectory: boolean; isSymbolicLink: boolean };

const ABOUT_LINKS = "Links cannot be made in the sandbox; copy the file with cp.";

/** Throws if a file must not be read with this content (one character per byte). The path is relative to the root. */
export type ReadGuard = (path: string, content: string) => void;

/** The sandbox's files as the shell mounts them: `/a` is the file `a` of the root. */
export class WorkspaceFs implements IFileSystem {
  readonly #files: Filesystem;
  readonly #refused: (sentence: string) => void;
  readonly #guard: ReadGuard;
  /** Permission bits that the present call has set, which are lost at its end. */
  readonly #modes = new Map<string, number>();

  constructor(files: Filesystem, refused: (sentence: string) => void, guard: ReadGuard) {
    this.#files = files;
    this.#refused = refused;
    this.#guard = guard;
  }

  #read(path: string): string {
    const content = this.#files.readFile(inner(path));
    this.#guard(inner(path), content);
    return content;
  }

  async readFile(path: string, encoding?: Encoding): Promise<string> {
    const content = this.#read(path);
    return isBytes(encoding) ? content : textKeepingBytes(content).replace(/^\uFEFF/, "");
  }

  async readFileBuffer(path: string): Promise<Uint8Array> {
    return bytesOfLatin1(this.#read(path));
  }

  async writeFile(path: string, content: FileContent, encoding?: Encoding): Promise<void> {
    this.#files.writeFile(inner(path), contentOf(content, encoding), false);
  }

  async appendFile(path: string, content: FileContent, encoding?: Encoding): Promise<void> {
    this.#files.writeFile(inner(path), contentOf(content, encoding), true);
  }

  async exists(path: string): Promise<boolean> {
    try {
      this.#files.status(inner(path), true);
      return true;
    } catch (error) {
      if (error instanceof FileError) return false;
      throw error;
    }
  }

  isFile(path: string): boolean {
    try {
      return this.#files.status(inner(path), true).kind === "file";
    } catch (error) {
      if (error instanceof FileError) return false;
      throw error;
    }
  }

  async stat(path: string): Promise<FsStat> {
    return this.#statOf(path, this.#files.status(inner(path), true));
  }

  async lstat(path: string): Promise<FsStat> {
    return this.#statOf(path, this.#files.status(inner(path), false));
  }

  #statOf(path: string, { kind, size, modified, mode, identity }: EntryStatus): FsStat {
    return {
      isFile: kind === "file",
      isDirectory: kind === "directory",
      isSymbolicLink: kind === "link",
      mode: this.#modes.get(inner(path)) ?? mode,
      size,
      mtime: new Date(modified),
      identity,
    };
  }

  async mkdir(path: string, options?: MkdirOptions): Promise<void> {
    this.#files.makeDirectory(inner(path), options?.recursive === true);
  }

  async readdir(path: string): Promise<string[]> {
    return (await this.readdirWithFileTypes(path)).map(({ name }) => name);
  }

  async readdirWithFileTypes(path: string): Promise<Dirent[]> {
    const entries = this.#files.entries(inner(path));
    return (entries === "" ? [] : entries.split("\0")).map((entry) => ({
      name: entry.slice(1),
      isFile: entry.startsWith("f"),
      isDirectory: entry.startsWith("d"),
      isSymbolicLink: entry.startsWith("l"),
    }));
  }

  async rm(path: string, options: RmOptions = {}): Promise<void> {
    try {
      this.#files.remove(inner(path), options.recursive === true);
    } catch (error) {
      if (options.force !== true || !(error instanceof FileError) || error.code !== "ENOENT") throw error;
    }
  }

  async cp(source: string, target: string, options: CpOptions = {}): Promise<void> {
    if (this.#files.status(inner(source), true).kind !== "directory") {
      this.#files.copyFile(inner(source), inner(target));
      return;
    }
    if (options.recursive !== true) throw new FileError("EISDIR", { call: "cp", path: source });
    await this.mkdir(target, { recursive: true });
    for (const name of await this.readdir(source)) await this.cp(`${source}/${name}`, `${target}/${name}`, options);
  }

  async mv(source: string, target: string): Promise<void> {
    this.#files.rename(inner(source), inner(target));
  }

  resolvePath(base: string, path: string): string {
    return normal(path.startsWith("/") ? path : `${base}/${path}`);
  }

  getAllPaths(): string[] {
    return [];
  }

  async chmod(path: string, mode: number): Promise<void> {
    this.#files.status(inner(path), true);
    this.#modes.set(inner(path), mode);
  }

  async symlink(_target: string, path: string): Promise<void> {
    this.#refuseLink("symlink", path);
  }

  async link(_existing: string, path: string): Promise<void> {
    this.#refuseLink("link", path);
  }

  #refuseLink(call: string, path: string): never {
    this.#refused(ABOUT_LINKS);
    throw new FileError("ENOTSUP", { call, path });
  }

  async readlink(path: string): Promise<string> {
    if (this.#files.status(inner(path), false).kind !== "link")
      throw new FileError("EINVAL", { call: "readlink", path });
    return `/${this.#files.resolve(inner(path))}`;
  }

  async realpath(path: string): Promise<string> {
    return `/${this.#files.resolve(inner(path))}`;
  }

  async utimes(path: string, _accessed: Date, modified: Date): Promise<void> {
    this.#files.setModified(inner(path), modified.getTime());
  }
}

/** Converts a path to the form that the host uses, relative to the root. */
export function inner(path: string): string {
  return normal(path).slice(1);
}

function normal(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return `/${segments.join("/")}`;
}

function isBytes(encoding?: Encoding): boolean {
  const name = typeof encoding === "object" ? encoding?.encoding : encoding;
  return name === "binary" || name === "latin1";
}

function contentOf(content: FileContent, encoding?: Encoding): string {
  if (typeof content !== "string") return latin1Of(content);
  return isBytes(encoding) ? content : utf8Bytes(content);
}
