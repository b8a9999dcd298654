import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  type Stats,
} from "node:fs";
import { join, relative, resolve } from "node:path";
import { systemCode, unlessSystem } from "../../../core/protocol/system-code.ts";
import { type Directory, type OpenDirectory, openDirectory } from "./directory.ts";
import { segmentsOf } from "./path-rules.ts";
import { Refusal } from "./refusal.ts";

/** As many links as Linux follows. */
const MAX_LINKS = 40;

/** Where a path leads: an entry of a directory that is proven to be beneath the root. */
export interface ResolvedPath {
  readonly directory: Directory;
  readonly name: string;
  /** Relative to the root, with links resolved. */
  readonly relative: string;
  /** Null if the entry does not exist; describes a symbolic link only if the entry itself was requested. */
  readonly stats: Stats | null;
}

export interface MakeHooks {
  /** Called before each directory with its resolved path; throws if it must not be created. */
  readonly check: (relative: string) => void;
  /** Called for each created directory; may throw to stop. */
  readonly made: (relative: string) => void;
}

const FREE: MakeHooks = { check: () => {}, made: () => {} };

/**
 * Finds and opens what lies beneath one root. Links are followed as long as they stay beneath it, and the resolved path
 * is checked for `.git` too. Keeps one directory open, since files come in groups.
 */
export class PathResolver {
  readonly #given: string;
  readonly #root: string;
  readonly #open: OpenDirectory;
  #held: { readonly path: string; readonly directory: Directory } | null = null;

  constructor(root: string, open: OpenDirectory = openDirectory) {
    mkdirSync(root, { recursive: true });
    this.#given = resolve(root);
    this.#root = realpathSync(root);
    this.#open = open;
  }

  find(path: string): ResolvedPath {
    let segments = segmentsOf(path, [this.#root, this.#given]);
    for (let links = 0; links <= MAX_LINKS; links++) {
      const entry = this.#entryAt(segments);
      const { directory, name, stats } = entry;
      if (stats === null || !stats.isSymbolicLink()) return entry;
      const target = readlinkSync(directory.at(name));
      segments = segmentsOf(resolve(directory.real, target), [this.#root, this.#given]);
    }
    throw new Refusal(`${path} goes through too many symbolic links.`);
  }

  /** The entry itself, which may be a symbolic link. `stats` is null if it does not exist. */
  entry(path: string): ResolvedPath {
    return this.#entryAt(segmentsOf(path, [this.#root, this.#given]));
  }

  #entryAt(segments: readonly string[]): ResolvedPath {
    const name = segments.at(-1) ?? ".";
    const directory = this.directory(segments.slice(0, -1).join("/"));
    const stats = lstatSync(directory.at(name), { throwIfNoEntry: false }) ?? null;
    return { directory, name, relative: this.relative(directory, name), stats };
  }

  /** The verified directory at a relative path; it stays open until another one is requested. */
  directory(path: string): Directory {
    if (this.#held?.path === path && this.#held.directory.holds()) return this.#held.directory;
    this.keep()?.close();
    const directory = this.#open(this.#root, join(this.#root, path));
    try {
      segmentsOf(directory.real, [this.#root]); // a link may have led into .git
    } catch (error) {
      directory.close();
      throw error;
    }
    this.#held = { path, directory };
    return directory;
  }

  /** Keeps the held directory open while others are looked up; the caller closes it. */
  keep(): Directory | null {
    const directory = this.#held?.directory ?? null;
    this.#held = null;
    return directory;
  }

  relative(directory: Directory, name: string): string {
    return relative(this.#root, join(directory.real, name));
  }

  /** Like `find`, but creates missing directories on the way. */
  make(path: string, { check, made }: MakeHooks = FREE): ResolvedPath {
    const segments = segmentsOf(path, [this.#root, this.#given]);
    for (let depth = 1; depth < segments.length; depth++) {
      const parent = this.directory(segments.slice(0, depth - 1).join("/"));
      const name = segments[depth - 1] ?? ".";
      check(this.relative(parent, name));
      try {
        mkdirSync(parent.at(name));
        made(this.relative(parent, name));
      } catch (error) {
        if (systemCode(error) !== "EEXIST") throw error;
      }
    }
    return this.find(path);
  }

  [Symbol.dispose](): void {
    this.keep()?.close();
  }
}

/** Opens a regular file for reading and passes on the descriptor; never waits for a pipe's other end. */
export function withFile<T>(place: ResolvedPath, path: string, use: (fd: number, stats: Stats) => T): T {
  if (place.stats === null) throw new Refusal(`${path} does not exist.`);
  if (!place.stats.isFile()) throw notRegular(path, place.stats);
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;
  const fd = openSync(place.directory.at(place.name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw notRegular(path, stats);
    return use(fd, stats);
  } finally {
    closeSync(fd);
  }
}

export function notRegular(path: string, stats: Stats): Refusal {
  return new Refusal(
    stats.isDirectory()
      ? `${path} is a directory.`
      : `${path} is neither a regular file nor a directory; tools cannot use it.`,
  );
}

/** Null if a directory on the way does not exist. */
export function findOrNull(resolver: PathResolver, path: string): ResolvedPath | null {
  return unlessSystem(["ENOENT"], () => resolver.find(path));
}
