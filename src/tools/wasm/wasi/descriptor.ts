import { posix } from "node:path";
import type { FilesystemImport } from "../workspace/filesystem.ts";
import { isBeneath } from "../workspace/path-rules.ts";
import { asWasi } from "./file-errors.ts";
import { type FileHolder, OpenFile } from "./open-file.ts";
import { InputStream, OutputStream } from "./streams.ts";
import { WasiFailure } from "./wasi-failure.ts";

/** Implements `wasi:filesystem/types` on the sandbox's verified paths. */

export interface FileAccess extends FileHolder {
  readonly writable: boolean;
  /** Files that the program has not closed. */
  readonly open: Set<OpenFile>;
  /** Lines about files that could not be written when the program closed them. */
  readonly unsaved: string[];
}

/** Closing a file cannot fail in WASI, so a failure is reported when the program has ended. */
export function saveOrNote(file: OpenFile, { unsaved }: FileAccess): void {
  try {
    file.save();
  } catch (error) {
    if (!(error instanceof WasiFailure)) throw error;
    unsaved.push(`${file.path} could not be written: ${error.message}`);
  }
}

type DescriptorFlags = Readonly<Record<"read" | "write" | "mutateDirectory", boolean | undefined>>;
type OpenFlags = Readonly<Record<"create" | "directory" | "exclusive" | "truncate", boolean | undefined>>;
type PathFlags = Readonly<Record<"symlinkFollow", boolean | undefined>>;
type Status = ReturnType<FilesystemImport["status"]>;

const TYPES = { file: "regular-file", directory: "directory", link: "symbolic-link", other: "unknown" } as const;
const LETTERS: Readonly<Record<string, string>> = { f: TYPES.file, d: TYPES.directory, l: TYPES.link };

export class DirectoryEntryStream {
  readonly #entries: string[];

  constructor(entries: readonly string[]) {
    this.#entries = entries.toReversed();
  }

  readDirectoryEntry(): { readonly type: string; readonly name: string } | undefined {
    const entry = this.#entries.pop();
    return entry === undefined ? undefined : { type: LETTERS[entry.charAt(0)] ?? TYPES.other, name: entry.slice(1) };
  }
}

export interface DescriptorTarget {
  /** Relative to the root. */
  readonly path: string;
  /** Null for a directory. */
  readonly file: OpenFile | null;
  readonly flags: DescriptorFlags;
}

export class Descriptor {
  readonly #access: FileAccess;
  readonly #path: string;
  readonly #file: OpenFile | null;
  readonly #flags: DescriptorFlags;

  constructor(access: FileAccess, { path, file, flags }: DescriptorTarget) {
    this.#access = access;
    this.#path = path;
    this.#file = file;
    this.#flags = flags;
  }

  // oxlint-disable-next-line max-params -- as WASI has it
  openAt(follow: PathFlags, path: string, how: OpenFlags, flags: DescriptorFlags): Descriptor {
    const { filesystem } = this.#access;
    const target = this.#at(path);
    if (how.create || how.truncate || flags.write) this.#requireWritable();
    const status = this.#statusOrNull(target, follow);
    if (status === null && !how.create) throw new WasiFailure("no-entry");
    if (status !== null && how.create && how.exclusive) throw new WasiFailure("exist");
    if (status?.kind === "directory") {
      if (flags.write) throw new WasiFailure("is-directory");
      return new Descriptor(this.#access, { path: target, file: null, flags });
    }
    if (how.directory) throw new WasiFailure("not-directory");
    if (status !== null && status.kind !== "file")
      throw new WasiFailure(status.kind === "link" ? "loop" : "not-permitted");
    if (status === null || how.truncate) asWasi(() => filesystem.writeFile(target, "", false));
    const file = new OpenFile(this.#access, target);
    this.#access.open.add(file);
    return new Descriptor(this.#access, { path: target, file, flags });
  }

  read(bytes: bigint, offset: bigint): [Uint8Array, boolean] {
    const file = this.#asFile("read");
    const part = file.read(Number(bytes), Number(offset));
    return [Uint8Array.from(part), Number(offset) + part.length >= file.size];
  }

  write(bytes: Uint8Array, offset: bigint): bigint {
    this.#asFile("write").write(bytes, Number(offset));
    return BigInt(bytes.length);
  }

  readViaStream(offset: bigint): InputStream {
    const file = this.#asFile("read");
    let at = Number(offset);
    return new InputStream((bytes) => {
      const part = file.read(bytes, at);
      at += part.length;
      return part.length === 0 && bytes > 0 ? null : Uint8Array.from(part);
    });
  }

  writeViaStream(offset: bigint): OutputStream {
    const file = this.#asFile("write");
    let at = Number(offset);
    return new OutputStream((bytes) => {
      file.write(bytes, at);
      at += bytes.length;
      return true;
    });
  }

  appendViaStream(): OutputStream {
    return this.writeViaStream(BigInt(this.#asFile("write").size));
  }

  setSize(size: bigint): void {
    this.#asFile("write").resize(Number(size));
  }

  getType(): string {
    return this.#file === null ? TYPES.directory : TYPES.file;
  }

  getFlags(): DescriptorFlags {
    return this.#flags;
  }

  stat(): object {
    return statRecord(this.#ownStatus());
  }

  statAt({ symlinkFollow }: PathFlags, path: string): object {
    return statRecord(this.#status(this.#at(path), symlinkFollow === true));
  }

  readDirectory(): DirectoryEntryStream {
    const listing = asWasi(() => this.#access.filesystem.entries(this.#path));
    return new DirectoryEntryStream(listing === "" ? [] : listing.split("\0"));
  }

  createDirectoryAt(path: string): void {
    this.#change((filesystem) => filesystem.makeDirectory(this.#at(path), false));
  }

  unlinkFileAt(path: string): void {
    const target = this.#at(path);
    if (this.#status(target, false).kind === "directory") throw new WasiFailure("is-directory");
    this.#requireWritable();
    const open = this.#openAt(target);
    for (const file of open) file.keep();
    this.#change((filesystem) => filesystem.remove(target, false));
    for (const file of open) file.unlink();
  }

  removeDirectoryAt(path: string): void {
    if (this.#status(this.#at(path), false).kind !== "directory") throw new WasiFailure("not-directory");
    this.#change((filesystem) => filesystem.remove(this.#at(path), false));
  }

  renameAt(path: string, directory: Descriptor, target: string): void {
    const [from, to] = [this.#at(path), directory.#at(target)];
    this.#requireWritable();
    const [moved, replaced] = [this.#openAt(from), this.#openAt(to)];
    if (posix.relative(from, to) === "") return;
    for (const file of moved) file.save();
    for (const file of replaced) file.keep();
    this.#change((filesystem) => filesystem.rename(from, to));
    for (const file of moved) file.move(posix.join(to, posix.relative(from, file.path)));
    for (const file of replaced) file.unlink();
  }

  metadataHash(): object {
    return hashRecord(this.#ownStatus());
  }

  metadataHashAt({ symlinkFollow }: PathFlags, path: string): object {
    return hashRecord(this.#status(this.#at(path), symlinkFollow === true));
  }

  isSameObject(other: Descriptor): boolean {
    return other === this;
  }

  sync(): void {
    this.#file?.save();
  }

  syncData(): void {
    this.#file?.save();
  }

  advise(): void {}

  /** File times belong to the host, so setting them does nothing. */
  setTimes(): void {}

  setTimesAt(): void {}

  linkAt(): void {
    throw new WasiFailure("not-permitted");
  }

  symlinkAt(): void {
    throw new WasiFailure("not-permitted");
  }

  readlinkAt(): string {
    throw new WasiFailure("not-permitted");
  }

  /** Called when the component drops the descriptor. */
  [Symbol.dispose](): void {
    if (this.#file === null) return;
    saveOrNote(this.#file, this.#access);
    this.#access.open.delete(this.#file);
    this.#file.release();
  }

  #at(path: string): string {
    if (path.startsWith("/")) throw new WasiFailure("not-permitted");
    return this.#path === "" ? path : `${this.#path}/${path}`;
  }

  #asFile(right: "read" | "write"): OpenFile {
    if (this.#file === null) throw new WasiFailure("is-directory");
    if (!this.#flags[right]) throw new WasiFailure("bad-descriptor");
    return this.#file;
  }

  #requireWritable(): void {
    if (!this.#access.writable) throw new WasiFailure("read-only");
  }

  #change(work: (filesystem: FilesystemImport) => void): void {
    this.#requireWritable();
    asWasi(() => work(this.#access.filesystem));
  }

  #openAt(path: string): OpenFile[] {
    const place = posix.resolve("/", path);
    return [...this.#access.open].filter((file) => !file.unlinked && isBeneath(place, posix.resolve("/", file.path)));
  }

  #ownStatus(): Status {
    const file = this.#file;
    if (file === null) return this.#status(this.#path, true);
    if (file.unlinked) return { ...NAMELESS, size: file.size };
    file.save();
    return this.#status(file.path, true);
  }

  #status(path: string, follow: boolean): Status {
    return asWasi(() => this.#access.filesystem.status(path, follow));
  }

  #statusOrNull(path: string, { symlinkFollow }: PathFlags): Status | null {
    try {
      return this.#status(path, symlinkFollow === true);
    } catch (error) {
      if (error instanceof WasiFailure && error.payload === "no-entry") return null;
      throw error;
    }
  }
}

/** Status of a file whose name is gone. */
const NAMELESS: Omit<Status, "size"> = { kind: "file", modified: 0, mode: 0o600, identity: "0:0" };

function statRecord({ kind, size, modified }: Status): object {
  const seconds = Math.floor(modified / 1_000);
  const time = { seconds: BigInt(seconds), nanoseconds: Math.floor((modified - seconds * 1_000) * 1e6) };
  return {
    type: TYPES[kind],
    linkCount: 1n,
    size: BigInt(size),
    dataAccessTimestamp: time,
    dataModificationTimestamp: time,
    statusChangeTimestamp: time,
  };
}

/** Equal for the same file until it is written. */
function hashRecord({ identity, modified }: Status): object {
  const inode = BigInt(identity.slice(identity.indexOf(":") + 1));
  return { upper: BigInt(Math.floor(modified)), lower: BigInt.asUintN(64, inode) };
}
