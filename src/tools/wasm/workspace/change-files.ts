import { Buffer } from "node:buffer";
import {
  closeSync,
  constants,
  futimesSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmdirSync,
  type Stats,
  unlinkSync,
} from "node:fs";
import { changesScripts, isPackageFile } from "../../instructions/package-scripts.ts";
import { allocatedBytes, BLOCK_BYTES, freedBytes } from "../../quotas/disk-usage.ts";
import { withDirectoryQuota, withQuota } from "../../quotas/quota-meter.ts";
import { namedKind, openSecretKind, refuseOpenSecret } from "../../secrets/secret-files.ts";
import { FileFailure, guarded } from "./file-failure.ts";
import { type FilesystemImport, type FilesystemScope, present, readBytes } from "./filesystem.ts";
import { type MakeHooks, type PathResolver, type ResolvedPath, withFile } from "./path-resolver.ts";
import { segmentsOf } from "./path-rules.ts";
import { Refusal } from "./refusal.ts";
import { removeUnfinished } from "./replace-file.ts";
import { refuseInstructions, type Tree, treeOf } from "./tree.ts";
import { writeBytes } from "./write-bytes.ts";

/** Maximum bytes that one call writes, so that a loop cannot fill the disk. */
const MAX_WRITTEN = 268_435_456;

type Changes = Pick<FilesystemImport, "writeFile" | "makeDirectory" | "remove" | "rename" | "copyFile" | "setModified">;

/** Each change first checks that the scope permits it, and reports it afterwards. */
export function createChanges(scope: () => FilesystemScope): Changes {
  const budget = { scope: null as FilesystemScope | null, left: 0 };
  const spend = (current: FilesystemScope, bytes: number): void => {
    if (budget.scope !== current) Object.assign(budget, { scope: current, left: MAX_WRITTEN });
    budget.left -= bytes;
    if (budget.left >= 0) return;
    throw new Refusal(`A call can write at most ${MAX_WRITTEN} bytes; each new entry counts as ${BLOCK_BYTES}.`);
  };
  const writing = (): FilesystemScope => {
    const current = scope();
    if (!current.writable) throw new Refusal("Writing is not permitted here.");
    current.passFence();
    return current;
  };
  const write = (path: string, bytes: Buffer, append: boolean): void => {
    const current = writing();
    const place = writable(current.resolver.find(path), path, current);
    refuseScripts(place, { path, bytes, append });
    spend(current, bytes.length + (place.stats === null ? BLOCK_BYTES : 0));
    current.contentKeeper.file(place);
    const size = bytes.length + (append ? (place.stats?.size ?? 0) : 0);
    const changed = () => current.changed([place.relative]);
    withQuota(current.quota, allocatedBytes(size) - freedBytes(place.stats), () =>
      writeBytes(place, path, { bytes, append, changed }),
    );
  };
  return {
    writeFile: guarded((path: string, content: string, append: boolean) =>
      write(path, Buffer.from(content, "latin1"), append),
    ),
    copyFile: guarded((source: string, target: string) => write(target, readBytes(writing(), source), false)),
    makeDirectory: guarded((path: string, parents: boolean) => {
      const current = writing();
      const check = (directory: string) => refuseInstructions(directory, current.isInstructionFile);
      withDirectoryQuota(current.quota, path, (counted) => {
        const made = (directory: string): void => {
          counted();
          current.contentKeeper.made(directory);
          spend(current, BLOCK_BYTES);
        };
        makeDirectory(current.resolver, path, { check, made, parents });
      });
    }),
    remove: guarded((path: string, recursive: boolean) => remove(writing(), path, recursive)),
    rename: guarded((source: string, target: string) => rename(writing(), source, target)),
    setModified: guarded((path: string, modified: number) => setModified(writing(), path, modified)),
  };
}

/** Keeps programs from changing what a package runs. */
function refuseScripts(
  place: ResolvedPath,
  { path, bytes, append }: { readonly path: string; readonly bytes: Buffer; readonly append: boolean },
): void {
  const before = packageText(place);
  const after = `${append ? (before ?? "") : ""}${bytes.toString("utf8")}`;
  refuseInstructions(path, () => changesScripts(place.relative, before, after));
}

/** Text of a package.json; null for a missing file and for other files. */
export function packageText(place: ResolvedPath): string | null {
  return isPackageFile(place.relative) && place.stats?.isFile() === true ? contentOf(place) : null;
}

function contentOf(place: ResolvedPath): string {
  return withFile(place, place.relative, (fd) => readFileSync(fd, "utf8"));
}

/** Checks both the given and the resolved path, so that a link cannot evade the protection. */
function writable(place: ResolvedPath, path: string, { isInstructionFile }: FilesystemScope): ResolvedPath {
  refuseInstructions(path, isInstructionFile);
  refuseInstructions(place.relative, isInstructionFile);
  return place;
}

function makeDirectory(resolver: PathResolver, path: string, how: MakeHooks & { readonly parents: boolean }): void {
  const { parents, check, made } = how;
  check(path);
  const place = parents ? resolver.make(path, how) : resolver.find(path);
  if (place.stats !== null) {
    if (parents && place.stats.isDirectory()) return;
    throw new FileFailure("EEXIST");
  }
  check(place.relative);
  mkdirSync(place.directory.at(place.name));
  made(place.relative);
}

function remove(scope: FilesystemScope, path: string, recursive: boolean): void {
  const { resolver, contentKeeper, changed, isInstructionFile, quota } = scope;
  const place = writable(resolver.entry(path), path, scope);
  const stats = present(place.stats);
  refuseRoot(place);
  if (!stats.isDirectory()) {
    contentKeeper.file(place);
    unlinkSync(place.directory.at(place.name));
    quota.release(freedBytes(stats));
    changed([place.relative]);
    return;
  }
  const tree = recursive
    ? treeOf(resolver, place.relative, isInstructionFile)
    : { files: [], directories: [place.relative] };
  removeFiles(scope, tree.files);
  for (const directory of tree.directories.toReversed()) {
    removeUnfinished(resolver.directory(directory), recursive ? Number.NEGATIVE_INFINITY : undefined);
    rmdirSync(at(resolver, directory));
    quota.release(BLOCK_BYTES);
    contentKeeper.gone(directory);
  }
}

/** Number of removals reported at once. Reporting each would take longer than removing it, and any may be the last. */
const REMOVALS_PER_REPORT = 20;

function removeFiles(
  { resolver, contentKeeper, changed, quota, passFence }: FilesystemScope,
  files: readonly string[],
): void {
  const unreported: string[] = [];
  try {
    for (const file of files) {
      const entry = resolver.entry(file);
      contentKeeper.file(entry);
      passFence();
      unlinkSync(at(resolver, file));
      quota.release(freedBytes(entry.stats));
      unreported.push(file);
      if (unreported.length === REMOVALS_PER_REPORT) changed(unreported.splice(0));
    }
  } finally {
    changed(unreported);
  }
}

/** A path for one system call, whose directory has just been verified. */
function at(resolver: PathResolver, path: string): string {
  const { directory, name } = resolver.entry(path);
  return directory.at(name);
}

function refuseRoot(place: ResolvedPath): void {
  if (place.relative === "") throw new Refusal("The root of the sandbox cannot be moved or removed.");
}

function rename(scope: FilesystemScope, source: string, target: string): void {
  const { resolver, contentKeeper, changed, isInstructionFile, quota } = scope;
  const to = writable(resolver.entry(target), target, scope);
  refuseRoot(to);
  contentKeeper.file(to);
  const directory = resolver.keep();
  try {
    const from = writable(resolver.entry(source), source, scope);
    refuseRoot(from);
    const renamed = isPackageFile(to.relative) && from.stats?.isFile() === true ? contentOf(from) : null;
    refuseInstructions(target, () => renamed !== null && changesScripts(to.relative, packageText(to), renamed));
    const tree: Tree = present(from.stats).isDirectory()
      ? treeOf(resolver, from.relative, isInstructionFile)
      : { files: [from.relative], directories: [] };
    for (const target of targetsOf(tree, from.relative, to.relative)) {
      refuseInstructions(target, isInstructionFile);
      segmentsOf(target, []);
    }
    for (const file of tree.files) refuseDisguise(scope, file, moved(file, from.relative, to.relative));
    for (const file of tree.files) {
      contentKeeper.file(resolver.entry(file));
      contentKeeper.absent(moved(file, from.relative, to.relative));
    }
    renameSync(at(resolver, from.relative), to.directory.at(to.name));
    if (!isSameEntry(from.stats, to.stats)) quota.release(freedBytes(to.stats));
    for (const directory of tree.directories) {
      contentKeeper.gone(directory);
      // The target may have been an existing empty directory.
      if (directory !== from.relative || to.stats === null)
        contentKeeper.made(moved(directory, from.relative, to.relative));
    }
    changed(tree.files.flatMap((file) => [file, moved(file, from.relative, to.relative)]));
  } finally {
    directory?.close();
  }
}

/**
 * Refuses to rename a file that only its name shows to be a secret to an unsuspicious one, unless the session has read
 * it.
 */
function refuseDisguise({ resolver, refuseSecret }: FilesystemScope, file: string, target: string): void {
  if (namedKind(file) === null || namedKind(target) !== null) return;
  const place = resolver.entry(file);
  if (place.stats?.isFile() !== true) return;
  withFile(place, file, (fd) => {
    if (openSecretKind(target, fd) === null) refuseOpenSecret(refuseSecret, file, fd);
  });
}

/** True if a file is moved onto itself, which changes nothing. */
function isSameEntry(one: Stats | null, other: Stats | null): boolean {
  return one !== null && other !== null && one.dev === other.dev && one.ino === other.ino;
}

/**
 * Target paths of everything that moves: a file may instruct agents, or lie too deep for any tool, only at its target.
 */
function targetsOf(tree: Tree, from: string, to: string): string[] {
  return [...tree.files, ...tree.directories].map((file) => moved(file, from, to));
}

function moved(path: string, from: string, to: string): string {
  return `${to}${path.slice(from.length)}`;
}

function setModified(scope: FilesystemScope, path: string, modified: number): void {
  const place = writable(scope.resolver.find(path), path, scope);
  const stats = present(place.stats);
  if (!stats.isFile() && !stats.isDirectory()) throw new FileFailure("EPERM");
  const fd = openSync(place.directory.at(place.name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    futimesSync(fd, Date.now() / 1_000, modified / 1_000);
  } finally {
    closeSync(fd);
  }
}
