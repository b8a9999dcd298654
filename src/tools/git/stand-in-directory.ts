import { constants } from "node:fs";
import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { unlessFails } from "../../core/protocol/system-code.ts";
import { Refusal } from "../wasm/workspace/refusal.ts";
import { entryOf, type Repository } from "./repository.ts";
import type { GitSettings } from "./settings.ts";

/** Git's folders of loose objects, and its folder of packs. */
const OBJECT_FOLDER = /^([0-9a-f]{2}|pack)$/;

/** Prefix of the calls' directories, and the age in milliseconds beyond which none is in use. */
const PREFIX = "deckhand-git-";
const STALE_MS = 3_600_000;

/** A branch or a commit. With any other HEAD git treats the directory as no repository, and compares any two files. */
const HEAD = /^(ref:\s*refs\/[^\0\n]+|[0-9a-f]{40}|[0-9a-f]{64})$/;
/** Maximum bytes of HEAD; a branch name is a path. */
const MAX_HEAD = 4_096;
/** Maximum bytes of each copied file; the indexes of the largest known repositories are smaller. */
const MAX_COPIED = 512_000_000;

/**
 * Makes a directory for git to use as `.git` in place of the repository's: HEAD and index are copies, refs and objects
 * are links to the real ones, and the configuration is the bot's. Nothing that a repository could set to run programs
 * (configuration, hooks, attributes, filters) or to lead elsewhere (alternates, links, a work tree) is there to be
 * read. Git can write only to copies, even the trees that it makes of a sparse index. The directory is removed when
 * `use` ends.
 */
export async function withStandIn<T>(
  repository: Repository,
  { parent, settings }: { readonly parent: string; readonly settings: GitSettings },
  use: (directory: string) => Promise<T>,
): Promise<T> {
  await clearStale(parent);
  const directory = await mkdtemp(path.join(parent, PREFIX));
  try {
    await writeFile(path.join(directory, "config"), configuration(settings));
    await copyState(repository, directory);
    await linkFolders(repository, directory);
    await borrowObjects(repository.objects, directory);
    return await use(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Removes the directories of killed processes: they hold copies of indexes, which may be large. */
async function clearStale(parent: string): Promise<void> {
  for (const name of (await unlessFails(["EACCES"], readdir(parent))) ?? []) {
    const directory = path.join(parent, name);
    const entry = name.startsWith(PREFIX) ? entryOf(directory) : null;
    if (entry?.isDirectory() !== true || Date.now() - entry.mtimeMs < STALE_MS) continue;
    await rm(directory, { recursive: true, force: true }).catch(() => undefined); // it may belong to another user
  }
}

/** Copies the current state of a repository, except objects and configuration, into an existing directory. */
export async function copyRepositoryState(repository: Repository, to: string): Promise<void> {
  await copyState(repository, to);
  const refs = path.join(repository.commonDir, "refs");
  await requirePlain(refs);
  await cp(refs, path.join(to, "refs"), { recursive: true });
}

/** Only the settings that git must find in the file; the others are passed in the environment. */
function configuration({ objectFormat }: GitSettings): string {
  const sha256 = objectFormat === "sha256";
  return [
    "[core]",
    `\trepositoryformatversion = ${sha256 ? 1 : 0}`,
    "\tbare = false",
    ...(sha256 ? ["[extensions]", "\tobjectformat = sha256"] : []),
    "",
  ].join("\n");
}

async function copyState({ gitDir, commonDir }: Repository, to: string): Promise<void> {
  await requireHead(path.join(gitDir, "HEAD"));
  const shared = (await readdir(gitDir)).filter((name) => /^sharedindex\.[0-9a-f]+$/.test(name));
  const state = ["HEAD", "index", ...shared].map((name) => path.join(gitDir, name));
  const isPlain = entryOf(path.join(commonDir, "info"))?.isDirectory() === true;
  const names = ["packed-refs", "shallow", ...(isPlain ? ["info/exclude"] : [])];
  const common = names.map((name) => path.join(commonDir, name));
  await mkdir(path.join(to, "info"));
  for (const file of [...state, ...common]) {
    const entry = entryOf(file);
    if (entry === null) continue;
    if (!entry.isFile()) throw notPlain(file);
    if (entry.size > MAX_COPIED)
      throw new Refusal(`${nameOf(file)} is too large, so git cannot be used on this repository.`);
    const relative = path.relative(state.includes(file) ? gitDir : commonDir, file);
    await copyFile(file, path.join(to, relative), constants.COPYFILE_FICLONE);
  }
}

async function requireHead(file: string): Promise<void> {
  const entry = entryOf(file);
  if (entry !== null && !entry.isFile()) throw notPlain(file);
  if (entry !== null && entry.size <= MAX_HEAD && HEAD.test((await readFile(file, "utf8")).trimEnd())) return;
  throw new Refusal("The repository's HEAD names neither a branch nor a commit, so git cannot be used on it.");
}

async function linkFolders({ commonDir }: Repository, to: string): Promise<void> {
  for (const name of ["refs", "logs"]) {
    const folder = path.join(commonDir, name);
    // Git does not recognise a repository without refs.
    if (name !== "refs" && entryOf(folder) === null) continue;
    await requirePlain(folder);
    await symlink(folder, path.join(to, name));
  }
}

/** Lets git write objects to a folder of its own, and find the repository's through links beside it. */
async function borrowObjects(objects: string, directory: string): Promise<void> {
  const own = path.join(directory, "objects", "info");
  await mkdir(own, { recursive: true });
  await writeFile(path.join(own, "alternates"), "../borrowed\n");
  await linkObjects(objects, path.join(directory, "borrowed"));
}

async function linkObjects(objects: string, to: string): Promise<void> {
  if (entryOf(path.join(objects, "info", "alternates")) !== null) {
    throw new Refusal(
      "The repository borrows objects from another one (objects/info/alternates), which the git tool does not follow.",
    );
  }
  await mkdir(to);
  requireDirectory(objects);
  for (const { name } of await readdir(objects, { withFileTypes: true })) {
    if (!OBJECT_FOLDER.test(name)) continue;
    await requirePlain(path.join(objects, name));
    await symlink(path.join(objects, name), path.join(to, name));
  }
}

/** Verifies that nothing in the folder leads out of it. */
async function requirePlain(folder: string): Promise<void> {
  requireDirectory(folder);
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() && !entry.isDirectory()) throw notPlain(path.join(entry.parentPath, entry.name));
  }
}

function requireDirectory(folder: string): void {
  if (entryOf(folder)?.isDirectory() !== true) throw notPlain(folder);
}

function notPlain(file: string): Refusal {
  return new Refusal(`${nameOf(file)} is not a plain file or directory, so git cannot be used on this repository.`);
}

function nameOf(file: string): string {
  return file.slice(file.lastIndexOf(".git"));
}
