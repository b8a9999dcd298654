import { realpathSync } from "node:fs";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { systemCode, unlessMissing, unlessSystem } from "../../core/protocol/system-code.ts";
import { segmentsOf } from "../wasm/workspace/path-rules.ts";
import { Refusal } from "../wasm/workspace/refusal.ts";
import { INDEX_BYTES, INDEX_NAMES, requireOwnPaths } from "./index-paths.ts";
import {
  directoryIn,
  directoryOrNull,
  entryOf,
  type FoundRepository,
  findRepository,
  noRepository,
} from "./repository.ts";
import { findGit, GIT_PROGRAMS, gitRunner, type RunGit } from "./run-git.ts";
import { type GitSettings, gitSettingsSchema, readSettings } from "./settings.ts";
import { copyRepositoryState, withStandIn } from "./stand-in-directory.ts";

/**
 * The repositories of a worktree, as they were when it was made. HEAD, index and refs are the worktree's own, so later
 * commits in the root change nothing here; objects stay in the root and are only read. The data lie outside the
 * worktree's tree and outside the root, and each use gets a stand-in of its own.
 */
const worktreeSchema = z.object({
  /** Path of the repository's work tree within the worktree; empty for all of it. */
  path: z.string(),
  /** Why git cannot be used there, or the location of its data. */
  repository: z.union([
    z.object({ refused: z.string() }),
    z.object({
      /** Path beneath the directory of the list. */
      state: z.string(),
      /** The sandbox root that the worktree copies, and the path of its repository's objects within it. */
      root: z.string(),
      objects: z.string(),
      settings: gitSettingsSchema,
    }),
  ]),
});
type Worktree = z.infer<typeof worktreeSchema>;

const listSchema = z.array(worktreeSchema);

const LIST = "worktrees.json";
/** Maximum number of repositories to prepare in one root. */
const MOST = 50;
const LIMITS = { timeoutMs: 30_000, outputBytes: INDEX_BYTES };

export interface CopiedRoot {
  readonly root: string;
  /** Path of the worktree's files. */
  readonly tree: string;
  /** Directories of the worktree's files, relative to it; empty string for the root itself. */
  readonly directories: ReadonlySet<string>;
}

/** Saves what git needs in a worktree to a new directory `to`. Without repositories, no directory is made. */
export async function keepRepositories(copied: CopiedRoot, to: string, signal: AbortSignal): Promise<void> {
  const isTop = (directory: string) => entryOf(path.join(copied.root, directory, ".git")) !== null;
  const tops = [...copied.directories].filter(isTop).sort();
  if (tops.length === 0) return;
  await mkdir(to);
  const program = findGit(GIT_PROGRAMS);
  const git = program === null ? null : gitRunner(program, LIMITS, signal);
  const saved: Worktree[] = [];
  for (const top of tops)
    saved.push({ path: top, repository: await saveRepository(top, { copied, to, git }, saved.length) });
  await writeFile(path.join(to, LIST), JSON.stringify(saved));
}

interface KeepArgs {
  readonly copied: CopiedRoot;
  readonly to: string;
  readonly git: RunGit | null;
}

/** Saves one repository. If git cannot be used on it in the root, the same refusal applies in the worktree. */
async function saveRepository(top: string, keeping: KeepArgs, before: number): Promise<Worktree["repository"]> {
  if (before >= MOST)
    return { refused: `There are more than ${MOST} repositories here, so git cannot be used on this one.` };
  if (keeping.git === null)
    return { refused: "git was not available when the files were copied, so it cannot be used on the copy." };
  try {
    return await keepRepository(top, { ...keeping, git: keeping.git }, String(before));
  } catch (error) {
    if (error instanceof Refusal) return { refused: error.payload };
    // Another git process may remove files of the repository while they are copied.
    if (systemCode(error) !== undefined)
      return { refused: "The repository could not be read when the files were copied." };
    throw error;
  }
}

async function keepRepository(top: string, { copied, to, git }: KeepArgs & { git: RunGit }, state: string) {
  const { repository } = findRepository(copied.root, top);
  const settings = await readSettings(repository, git);
  const own = path.join(to, state);
  await mkdir(own);
  await copyRepositoryState(repository, own);
  const tree = path.join(copied.tree, top);
  const worktree = { top: tree, gitDir: own, commonDir: own, objects: repository.objects };
  await withStandIn(worktree, { parent: to, settings }, async (directory) => {
    const where = { cwd: tree, env: { GIT_DIR: directory, GIT_WORK_TREE: tree } };
    requireOwnPaths(await git({ ...where, args: INDEX_NAMES }));
    const missing = await git({ ...where, args: MISSING, settings: settings.harmless });
    const left = missing.stdout.split("\0").filter((file) => file !== "" && isIn(repository.top, file));
    if (left.length === 0) return;
    const input = Buffer.from(left.join("\0"));
    // Writes a whole index even if the repository's is split.
    const marked = await git({ ...where, args: LEAVE, settings: [["core.splitIndex", "false"]], input });
    if (marked.code === 0) await copyFile(path.join(directory, "index"), path.join(own, "index"));
  });
  return { state, root: realpathSync(copied.root), objects: repository.objects, settings };
}

/** Lists files that are in the index but not in the work tree. */
const MISSING = ["diff-files", "--name-only", "--diff-filter=D", "--ignore-submodules=all", "--no-renames", "-z"];
/** Marks files that were not copied, such as links, so that git does not report them as deleted. */
const LEAVE = ["update-index", "--skip-worktree", "-z", "--stdin"];

function isIn(top: string, file: string): boolean {
  return unlessSystem(["ENOTDIR"], () => entryOf(path.join(top, file))) !== null;
}

export interface FoundWorktree extends FoundRepository {
  readonly settings: GitSettings;
}

/** Like `findRepository`, for a worktree. `stateDirectory` is the directory that `keepRepositories` filled. */
export async function findWorktree(worktree: string, stateDirectory: string, asked: string): Promise<FoundWorktree> {
  const tree = realpathSync(worktree);
  const segments = segmentsOf(asked, [tree, path.resolve(worktree)]);
  const list = await worktreesIn(stateDirectory);
  const within = (top: string) => segments.slice(0, top.split("/").length).join("/") === top;
  const found = list.findLast(({ path: top }) => top === "" || within(top));
  if (found === undefined) throw noRepository();
  const { path: top, repository } = found;
  if ("refused" in repository) throw new Refusal(repository.refused);
  const own = path.join(stateDirectory, repository.state);
  const objects = directoryIn(repository.root, repository.objects);
  const at = directoryOrNull(tree, path.join(tree, top));
  if (at === null) throw noRepository(); // the executor has removed it
  const depth = top === "" ? 0 : top.split("/").length;
  return {
    repository: { top: at, gitDir: own, commonDir: own, objects },
    path: segments.slice(depth).join("/"),
    settings: repository.settings,
  };
}

/** Outer repositories come before those within them. */
async function worktreesIn(stateDirectory: string): Promise<Worktree[]> {
  const list = await unlessMissing(readFile(path.join(stateDirectory, LIST), "utf8"));
  return list === null ? [] : listSchema.parse(JSON.parse(list));
}
