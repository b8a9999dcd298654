import { randomUUID } from "node:crypto";
import { constants, realpathSync, type Stats } from "node:fs";
import { chmod, copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { TakeLock } from "../../../core/cluster.ts";
import { KeyedMutex } from "../../../core/keyed-mutex.ts";
import { unlessMissing, unlessSystem } from "../../../core/protocol/system-code.ts";
import { figure } from "../../../core/text/dollars.ts";
import { keepRepositories } from "../../../tools/git/worktree-repositories.ts";
import type { GrowthPlace, Quotas } from "../../../tools/quotas/quotas.ts";
import { listFiles } from "../../../tools/wasm/workspace/list-files.ts";
import { PathResolver, type ResolvedPath, withFile } from "../../../tools/wasm/workspace/path-resolver.ts";
import { isBeneath } from "../../../tools/wasm/workspace/path-rules.ts";
import { hashFile, readWhole } from "../../../tools/wasm/workspace/read-file.ts";
import { Refusal, refusing } from "../../../tools/wasm/workspace/refusal.ts";
import { type ExecutorWorktree, executorWorktree } from "./executor-worktree.ts";

/** Maximum size of a worktree and of one file; more would take too long to copy and compare. */
const MOST = { bytes: 200_000_000, fileBytes: 50_000_000 };
/** `bytes` limits all worktrees together, `entries` the root that is copied. */
const ROOM = { bytes: 5_000_000_000, entries: 20_000 };
/** A worktree may grow to this many times the entry limit and still be compared. */
const GROWTH = 5;
/** File in a worktree's directory with its original size in bytes. */
const SIZE = "size";
/** File in a worktree's directory that marks it as fully merged. */
const TAKEN = "taken";
/** Suffix of a worktree in the making; a dead process may have left it. */
const MAKING = ".making";
/** Suffix of a worktree being removed. */
const GOING = ".going";
/** Number of files processed before other work gets its turn. */
const AT_ONCE = 50;

export type WorktreeChange =
  | { readonly kind: "added" | "changed"; readonly path: string; readonly sha256: string }
  | { readonly kind: "deleted"; readonly path: string };

/** Worktrees: copies of sandbox roots, one per executor, in the home directory and so outside every root. */
export interface ExecutorWorktrees {
  of(childId: string): ExecutorWorktree;
  /** The worktree whose tree is this sandbox root; null for any other root. */
  at(sandboxRoot: string): ExecutorWorktree | null;
  /** Copies a sandbox root for an executor, once. Throws Refusal if it is too large. */
  make(childId: string, place: GrowthPlace, signal: AbortSignal): Promise<void>;
  /** What an executor has changed in its files. Throws Refusal if the worktree is gone or has become too large. */
  changes(childId: string, signal: AbortSignal): Promise<readonly WorktreeChange[]>;
  /** Marks a worktree as fully merged, so that it may be removed. */
  taken(childId: string): Promise<void>;
  /** All worktrees, the oldest first. */
  list(): Promise<readonly KeptWorktree[]>;
  remove(name: string): Promise<void>;
}

export interface KeptWorktree {
  /** The executor's session, or the directory name of leftovers from a dead process. */
  readonly name: string;
  readonly isWhole: boolean;
  readonly isTaken: boolean;
  /** Original size of both copies. */
  readonly bytes: number;
  readonly madeAt: number;
}

interface WorktreeParts {
  readonly quotas?: Quotas;
  /** Lock against other processes that make worktrees; absent if there are none. */
  readonly lock?: TakeLock;
}

export function createExecutorWorktrees(
  home: string,
  { quotas, lock, ...given }: Partial<typeof ROOM> & WorktreeParts = {},
): ExecutorWorktrees {
  const most = { ...ROOM, ...given };
  /** Quota to return when a worktree is removed, and to whom. */
  const takenFor = new Map<string, { readonly place: GrowthPlace; readonly bytes: number }>();
  const comparing: ListLimits = { maxEntries: GROWTH * most.entries, tooMany: grownTooLarge };
  const of = (childId: string): ExecutorWorktree => executorWorktree(home, childId);
  const directoryOf = (childId: string) => path.dirname(of(childId).tree);
  const all = path.dirname(directoryOf("any"));
  const list = () => keptIn(all);
  const makeOne = async (childId: string, { root, ...whose }: GrowthPlace, signal: AbortSignal): Promise<void> => {
    const done = directoryOf(childId);
    using held = await lock?.(all, { signal, queued: () => {} });
    if (await isThere(done)) return;
    signal.throwIfAborted();
    await held?.requireHeld();
    await removeHalfMade(all, childId);
    const used = (await list()).reduce((sum, { bytes }) => sum + bytes, 0);
    const place = { ...whose, root: of(childId).tree };
    const take = (bytes: number): void => {
      quotas?.take(place, bytes);
      takenFor.set(childId, { place, bytes });
    };
    await makeWorktree(root, done, { signal, home, room: most.bytes - used, entries: most.entries, take });
  };
  const making = new KeyedMutex();
  return {
    of,
    at(sandboxRoot) {
      const worktree = of(path.basename(path.dirname(sandboxRoot)));
      return worktree.tree === sandboxRoot ? worktree : null;
    },
    list,
    // One at a time, so that each knows how much room is left.
    make: (childId, place, signal) => making.run("worktrees", () => makeOne(childId, place, signal)),
    async changes(childId, signal) {
      if (!(await isThere(directoryOf(childId)))) throw gone();
      const { tree, base } = of(childId);
      return changesBetween(await hashesOf(base, comparing, signal), await hashesOf(tree, comparing, signal));
    },
    async taken(childId) {
      await writeFile(path.join(directoryOf(childId), TAKEN), "");
    },
    async remove(name) {
      const whole = path.join(all, path.basename(name));
      const going = name.endsWith(GOING) ? whole : `${whole}${GOING}`;
      // Renamed first, so that nobody finds a partly removed worktree.
      if (going !== whole) await rename(whole, going);
      await rm(going, { recursive: true, force: true });
      const taken = takenFor.get(name);
      if (taken !== undefined) quotas?.give(taken.place, taken.bytes);
      takenFor.delete(name);
    },
  };
}

function gone(): Refusal {
  return new Refusal("Its copy no longer exists: it was removed some time after its work had ended.");
}

/** Removes a dead process's half-made copy of this worktree; the caller holds the lock. */
async function removeHalfMade(all: string, childId: string): Promise<void> {
  const names = (await unlessMissing(readdir(all))) ?? [];
  for (const name of names)
    if (name.startsWith(`${childId}.`) && name.endsWith(MAKING))
      await rm(path.join(all, name), { recursive: true, force: true });
}

async function keptIn(all: string): Promise<KeptWorktree[]> {
  const names = (await unlessMissing(readdir(all))) ?? [];
  const kept = await Promise.all(names.map((name) => keptWorktree(path.join(all, name))));
  return kept.filter((each) => each !== null).sort((a, b) => a.madeAt - b.madeAt);
}

async function keptWorktree(directory: string): Promise<KeptWorktree | null> {
  const file = path.join(directory, SIZE);
  // The size file is written last. Shared volumes may not report when a directory was created.
  const stats = (await stat(file).catch(() => null)) ?? (await stat(directory).catch(() => null));
  if (stats === null) return null;
  const size = await readFile(file, "utf8").catch(() => "0");
  const name = path.basename(directory);
  return {
    name,
    isWhole: !name.endsWith(MAKING) && !name.endsWith(GOING),
    isTaken: await isThere(path.join(directory, TAKEN)),
    bytes: Number(size),
    madeAt: stats.mtimeMs,
  };
}

interface MakeArgs {
  readonly signal: AbortSignal;
  readonly home: string;
  /** Bytes that are left for it. */
  readonly room: number;
  /** Maximum number of entries in the root. */
  readonly entries: number;
  /** Takes the size from the quota; throws Refusal if it exceeds that. */
  readonly take: (bytes: number) => void;
}

async function makeWorktree(root: string, done: string, how: MakeArgs): Promise<void> {
  const making = `${done}.${randomUUID()}${MAKING}`;
  await mkdir(making, { recursive: true, mode: 0o700 });
  try {
    const { bytes: treeBytes, directories } = await copyTree(root, making, how);
    const bytes = 2 * treeBytes;
    await keepRepositories(
      { root, tree: path.join(making, "tree"), directories },
      path.join(making, "git"),
      how.signal,
    );
    await writeFile(path.join(making, SIZE), String(bytes));
    how.take(treeBytes);
    await rename(making, done);
  } catch (error) {
    await rm(making, { recursive: true, force: true });
    throw error;
  }
}

type Hashes = ReadonlyMap<string, string>;

function changesBetween(before: Hashes, after: Hashes): WorktreeChange[] {
  const written = [...after].flatMap(([file, sha256]): WorktreeChange[] => {
    const was = before.get(file);
    return was === sha256 ? [] : [{ kind: was === undefined ? "added" : "changed", path: file, sha256 }];
  });
  const deleted = [...before.keys()].filter((file) => !after.has(file));
  const all = [...written, ...deleted.map((file): WorktreeChange => ({ kind: "deleted", path: file }))];
  return all.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function isThere(directory: string): Promise<boolean> {
  return (await stat(directory).catch(() => null)) !== null;
}

/**
 * Copies regular files that are verified to lie below the root. Links, `.git` and node_modules are left out, and also
 * the home directory if it lies below the root, since it holds the worktrees.
 */
async function copyTree(root: string, to: string, { signal, home, room, entries }: MakeArgs) {
  const ours = path.relative(realpathSync(root), realpathSync(home));
  const [tree, base] = [path.join(to, "tree"), path.join(to, "base")];
  await Promise.all([mkdir(tree), mkdir(base)]);
  const directories = new Set([""]);
  let bytes = 0;
  for await (const { file, place } of filesOf(root, { maxEntries: entries, tooMany: tooLarge }, signal)) {
    const read = isBeneath(ours, file) ? null : readFileOf(place, file);
    if (read === null) continue;
    const { data, mode } = read;
    bytes += data.length;
    if (bytes > MOST.bytes) throw tooLarge(`${MOST.bytes / 1_000_000} MB`);
    if (2 * bytes > room) throw noRoom();
    const directory = path.dirname(file);
    for (const above of directoriesOf(file)) directories.add(above);
    await mkdir(path.join(tree, directory), { recursive: true });
    await mkdir(path.join(base, directory), { recursive: true });
    await writeFile(path.join(tree, file), data);
    // Independent of the process's umask.
    await chmod(path.join(tree, file), mode);
    await copyFile(path.join(tree, file), path.join(base, file), constants.COPYFILE_FICLONE);
  }
  return { bytes, directories };
}

/** Null for a file that the bot may not read, since no tool can either. Copies get read permission for their owner. */
function readFileOf(place: ResolvedPath, file: string) {
  const read = (fd: number, stats: Stats) => {
    if (stats.size > MOST.fileBytes) throw fileTooLarge(file);
    return { data: readWhole(fd, file, MOST.fileBytes), mode: (stats.mode & 0o777) | constants.S_IRUSR };
  };
  return refusing(file, () => unlessSystem(["EACCES"], () => withFile(place, file, read)));
}

function* directoriesOf(file: string): Generator<string> {
  for (let above = path.dirname(file); above !== "."; above = path.dirname(above)) yield above;
}

function noRoom(): Refusal {
  return new Refusal(
    "The copies of executors have used up their space. Merge what has ended and answer; copies are removed once their manager's run has ended. Then ask again.",
  );
}

function tooLarge(what: string): Refusal {
  return new Refusal(
    `The files here amount to more than ${what} without node_modules and .git, which is too much to copy for an executor. ${INSTEAD}`,
  );
}

function fileTooLarge(file: string): Refusal {
  const most = `${MOST.fileBytes / 1_000_000} MB`;
  return new Refusal(`${file} alone is larger than ${most}, which is too much to copy for an executor. ${INSTEAD}`);
}

const INSTEAD = "Turn executorIsolation off, or choose a smaller directory for the channel.";

interface ListLimits {
  readonly maxEntries: number;
  readonly tooMany: (what: string) => Refusal;
}

function grownTooLarge(what: string): Refusal {
  return new Refusal(
    `Its copy has grown to more than ${what}, which is too much to compare, so its work cannot be merged. Delegate it again, in smaller pieces.`,
  );
}

/**
 * Yields regular files. A file that disappears meanwhile is skipped, as is a name that is not valid Unicode, which no
 * tool could name.
 */
async function* filesOf(root: string, { maxEntries, tooMany }: ListLimits, signal: AbortSignal) {
  using resolver = new PathResolver(root);
  const options = { hidden: true, dependencies: false, maxEntries };
  const { paths, cut } = refusing(root, () => listFiles(resolver, "", options));
  if (cut) throw tooMany(`${figure(maxEntries)} entries`);
  for (const [index, file] of paths.entries()) {
    if (index % AT_ONCE === 0) {
      await nextTurn();
      signal.throwIfAborted();
    }
    const place = placeOf(file, resolver);
    if (place !== null) yield { file, place };
  }
}

/** Null if there is no such regular file. */
function placeOf(file: string, resolver: PathResolver): ResolvedPath | null {
  const place = refusing(file, () => unlessSystem(["ENOENT", "ENOTDIR"], () => resolver.entry(file)));
  return place?.stats?.isFile() === true ? place : null;
}

async function hashesOf(root: string, listing: ListLimits, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const hashes = new Map<string, string>();
  for await (const { file, place } of filesOf(root, listing, signal)) {
    hashes.set(
      file,
      refusing(file, () => withFile(place, file, hashFile)),
    );
  }
  return hashes;
}
