import { lstatSync, readFileSync, realpathSync, type Stats } from "node:fs";
import path from "node:path";
import { systemCode } from "../../core/protocol/system-code.ts";
import { type Directory, openDirectory } from "../wasm/workspace/directory.ts";
import { segmentsOf } from "../wasm/workspace/path-rules.ts";
import { Refusal } from "../wasm/workspace/refusal.ts";

/** A repository whose data are proven to lie beneath a sandbox root. All paths are absolute and free of links. */
export interface Repository {
  /** The top directory of the work tree. */
  readonly top: string;
  /** Holds HEAD and the index. */
  readonly gitDir: string;
  /** Holds refs and configuration: `gitDir`, except in a linked work tree. */
  readonly commonDir: string;
  readonly objects: string;
}

export interface FoundRepository {
  readonly repository: Repository;
  /** The requested path relative to `top`; empty for the whole work tree. */
  readonly path: string;
}

/** Maximum bytes of `.git` and `commondir` when they are files, which hold one path. */
const MAX_POINTER = 4_096;

/** Finds the innermost repository that contains a path, searching upward to the root and never beyond. */
export function findRepository(sandboxRoot: string, asked: string): FoundRepository {
  if (entryOf(sandboxRoot) === null) throw noRepository();
  const root = realpathSync(sandboxRoot);
  const segments = segmentsOf(asked, [root, path.resolve(sandboxRoot)]);
  for (let depth = segments.length; depth >= 0; depth--) {
    const top = directoryOrNull(root, path.join(root, ...segments.slice(0, depth)));
    if (top === null || entryOf(path.join(top, ".git")) === null) continue;
    return { repository: repositoryAt(root, top), path: segments.slice(depth).join("/") };
  }
  throw noRepository();
}

export function noRepository(): Refusal {
  return new Refusal("There is no git repository here.");
}

function repositoryAt(root: string, top: string): Repository {
  const dotGit = path.join(top, ".git");
  const entry = entryOf(dotGit);
  if (entry?.isSymbolicLink() === true)
    throw new Refusal("`.git` is a symbolic link, which the git tool does not follow.");
  const gitDir = entry?.isFile() === true ? pointedTo(root, top, dotGit) : dotGit;
  const pointer = path.join(gitDir, "commondir");
  const commonDir = entryOf(pointer) === null ? gitDir : pointedTo(root, gitDir, pointer);
  return { top, gitDir, commonDir, objects: path.join(commonDir, "objects") };
}

/** Returns the directory that a file points to, such as `.git` in submodules and linked work trees. */
function pointedTo(root: string, from: string, file: string): string {
  const stats = entryOf(file);
  if (stats === null || !stats.isFile() || stats.size > MAX_POINTER)
    throw new Refusal(
      `${path.basename(file)} is not a file that git could have written, so git cannot be used on this repository.`,
    );
  const target = readFileSync(file, "utf8")
    .replace(/^gitdir: /, "")
    .trimEnd();
  return directoryIn(root, path.resolve(from, target));
}

/** Resolves the links of a directory that holds git data. Throws Refusal if it is no directory beneath the root. */
export function directoryIn(root: string, asked: string): string {
  const directory = directoryOrNull(root, asked);
  if (directory === null)
    throw new Refusal("The repository's data is outside the sandbox, so git cannot be used on it.");
  return directory;
}

/** Resolves the links of a directory; null if it is no directory or lies outside the root. */
export function directoryOrNull(root: string, asked: string): string | null {
  let directory: Directory | undefined;
  try {
    directory = openDirectory(root, asked);
    return directory.real;
  } catch (error) {
    if (error instanceof Refusal || systemCode(error) !== undefined) return null;
    throw error;
  } finally {
    directory?.close();
  }
}

/** Stats of the entry itself, without following a link; null if it does not exist. */
export function entryOf(file: string): Stats | null {
  return lstatSync(file, { throwIfNoEntry: false }) ?? null;
}
