import { isUtf8 } from "node:buffer";
import { constants, lstatSync, statSync, unlinkSync } from "node:fs";
import path from "node:path";
import type { CancelCause } from "../../../core/protocol/cancel-cause.ts";
import { CancelSignal } from "../../../core/protocol/signals.ts";
import { systemCode } from "../../../core/protocol/system-code.ts";
import type { FileState } from "../../../core/protocol/tool-result.ts";
import { instructionRefusal } from "../../../tools/instructions/instruction-files.ts";
import { changesScripts } from "../../../tools/instructions/package-scripts.ts";
import { type IsInstructionFile, instructionFileCheck } from "../../../tools/instructions/protected-files.ts";
import { allocatedBytes } from "../../../tools/quotas/disk-usage.ts";
import { madeFor, removeEmptyAbove } from "../../../tools/wasm/workspace/empty-directories.ts";
import { keepContent, MAX_KEPT } from "../../../tools/wasm/workspace/kept-content.ts";
import { keepMode } from "../../../tools/wasm/workspace/kept-mode.ts";
import { PathResolver, withFile } from "../../../tools/wasm/workspace/path-resolver.ts";
import { hashFile, hashOf, readWhole } from "../../../tools/wasm/workspace/read-file.ts";
import { Refusal, refusing } from "../../../tools/wasm/workspace/refusal.ts";
import { replaceFile } from "../../../tools/wasm/workspace/replace-file.ts";
import { mergedText } from "./diff.ts";
import type { ExecutorWorktree } from "./executor-worktree.ts";
import type { WorktreeChange } from "./executor-worktrees.ts";
import type { MergeLog } from "./merge-log.ts";

/** The outcome for one changed file. `why` is a few words. */
export interface MergedFile {
  readonly path: string;
  readonly outcome: "merged" | "there already" | "conflict" | "left out";
  readonly why: string;
  readonly state: FileState | null;
}

/** Maximum size of a file, in bytes; a larger one is a conflict. */
const MAX_FILE = 50_000_000;

export interface MergeArgs {
  /** The sandbox root to merge into. */
  readonly root: string;
  readonly guardedFiles?: readonly string[];
  readonly worktree: ExecutorWorktree;
  /** Directory for former contents, so that a merge can be undone. */
  readonly snapshots: string;
  readonly log: MergeLog;
  readonly signal: AbortSignal;
  /** Takes the written bytes from the quota; throws Refusal if they exceed it. Absent if there is no quota. */
  readonly take?: (bytes: number) => void;
  /** Called before each change; throws if another process may hold the files. Absent if there are none. */
  readonly requireHeld?: () => Promise<void>;
}

interface Work extends MergeArgs {
  /** Whether agents take instructions from a file of the root. */
  readonly instructs: IsInstructionFile;
}

export interface Merged {
  /** Sorted by path. */
  readonly files: readonly MergedFile[];
  /** Who or what stopped the merge before all files; null if it was not stopped. */
  readonly stoppedBy: CancelCause | null;
}

/**
 * Merges all changes of an executor into the sandbox root. Deletions come first, since a file may have become a
 * directory, or a directory a file. If a person stops it, the merge ends between two files and reports what was merged,
 * including by an interrupted earlier run of the call. Any other abort throws its reason, and the log keeps what was
 * merged for the call's next run.
 */
export async function mergeChanges(changes: readonly WorktreeChange[], into: MergeArgs): Promise<Merged> {
  const merging = { ...into, instructs: instructionFileCheck(into.root, into.guardedFiles) };
  const files: MergedFile[] = [];
  const isDeleted = ({ kind }: WorktreeChange) => kind === "deleted";
  let stoppedBy: CancelCause | null = null;
  for (const change of [...changes.filter(isDeleted), ...changes.filter((each) => !isDeleted(each))]) {
    const end = await unlessStopped(change, merging);
    if (end instanceof CancelSignal) stoppedBy = end.cause;
    const file = end instanceof CancelSignal ? mergedBefore(change, merging) : end;
    if (file !== null) files.push(file);
  }
  return { files: files.toSorted((a, b) => (a.path < b.path ? -1 : 1)), stoppedBy };
}

async function unlessStopped(change: WorktreeChange, merging: Work): Promise<MergedFile | CancelSignal> {
  const { signal } = merging;
  try {
    signal.throwIfAborted();
    return await mergeFile(change, merging);
  } catch (error) {
    if (error instanceof CancelSignal && error === signal.reason) return error;
    throw error;
  }
}

/** What an interrupted earlier run of the call made of the file, if the file still has that content. */
function mergedBefore({ path: file }: WorktreeChange, { root, log }: MergeArgs): MergedFile | null {
  const noted = log.noted(file);
  if (noted === null) return null;
  try {
    return noted.sha256 === printOf(contentIn(root, file)) ? merged(noted) : null;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/** Merges one file. If its path does not permit the change, the file is a conflict and the others continue. */
async function mergeFile(change: WorktreeChange, merging: Work): Promise<MergedFile> {
  try {
    const merged = await mergeContent(change, merging);
    const isGone = change.kind === "deleted" && ["merged", "there already"].includes(merged.outcome);
    if (isGone) clearAbove(change.path, merging);
    return merged;
  } catch (error) {
    if (error instanceof Refusal) return conflict(change.path, error.payload);
    throw error;
  }
}

/**
 * Merges an executor's change of a file into the sandbox root. A file unchanged there is replaced. A file changed on
 * both sides is merged by lines, or stays as it is and is reported as a conflict. Nothing is lost, since the worktree
 * keeps what was not merged. Running it again changes nothing.
 */
async function mergeContent(change: WorktreeChange, merging: Work): Promise<MergedFile> {
  const file = change.path;
  if (merging.instructs(file)) return left(file, "it instructs agents or is guarded, so a person must change it");
  const base = change.kind === "added" ? null : contentIn(merging.worktree.base, file);
  const theirs = change.kind === "deleted" ? null : contentIn(merging.worktree.tree, file);
  const here = contentIn(merging.root, file);
  const noted = merging.log.noted(file);
  if (noted !== null && noted.sha256 === printOf(here)) return merged(noted);
  if (isSame(here, theirs)) return { path: file, outcome: "there already", why: "", state: null };
  if (here !== null && leadsElsewhere(merging.root, file)) return conflict(file, "here, a link points elsewhere");
  if (isSame(here, base)) return put(file, { content: theirs, here, merging });
  if (here === null || theirs === null || base === null) {
    return conflict(file, oneSided(here, theirs));
  }
  if (![here, base, theirs].every(isText)) return conflict(file, "not text, and changed on both sides");
  const joining = await mergedText({ here, base, theirs }, merging.worktree, merging.signal);
  if ("why" in joining) return conflict(file, joining.why);
  const { text } = joining;
  if (text === here.toString("utf8")) return { path: file, outcome: "there already", why: "", state: null };
  const joined = await put(file, { content: Buffer.from(text), here, merging });
  return joined.outcome === "merged" ? { ...joined, why: "merged with what was changed here" } : joined;
}

/** Whether git, too, treats the content as text; it merges nothing else by lines. */
function isText(content: Buffer): boolean {
  return isUtf8(content) && !content.includes(0);
}

function oneSided(here: Buffer | null, theirs: Buffer | null): string {
  if (here === null) return "deleted here, changed by the executor";
  return theirs === null ? "changed here, deleted by the executor" : "also added here, with other content";
}

function left(path: string, why: string): MergedFile {
  return { path, outcome: "left out", why, state: null };
}

function conflict(path: string, why: string): MergedFile {
  return { path, outcome: "conflict", why, state: null };
}

function isSame(a: Buffer | null, b: Buffer | null): boolean {
  return a === null || b === null ? a === b : a.equals(b);
}

/** Null if there is no such file. */
function contentIn(root: string, file: string): Buffer | null {
  using resolver = new PathResolver(root);
  try {
    return refusing(file, () => {
      const place = resolver.find(file);
      return place.stats === null ? null : withFile(place, file, (fd) => readWhole(fd, file, MAX_FILE));
    });
  } catch (error) {
    if (error instanceof Refusal && isMissing(resolver, file)) return null;
    throw error;
  }
}

/** Whether the path leads through a link to another file, which nobody asked to change. */
function leadsElsewhere(root: string, file: string): boolean {
  using resolver = new PathResolver(root);
  return refusing(file, () => resolver.find(file).relative !== file);
}

/** True also if the directory is missing or is a file. */
function isMissing(resolver: PathResolver, file: string): boolean {
  try {
    return resolver.find(file).stats === null;
  } catch (error) {
    return ["ENOENT", "ENOTDIR"].includes(systemCode(error) ?? "");
  }
}

interface PutArgs {
  /** Null to delete the file. */
  readonly content: Buffer | null;
  readonly here: Buffer | null;
  readonly merging: Work;
}

/** Writes or deletes a file, unless it has changed since it was read. First stores its former content and a record. */
async function put(file: string, { content, here, merging }: PutArgs): Promise<MergedFile> {
  if (content !== null && changesScripts(file, here?.toString("utf8") ?? null, content.toString("utf8")))
    return left(file, "it changes what developers' machines run, so a person must change it");
  merging.take?.(room(content) - room(here));
  const state = { path: file, sha256: printOf(content), action: "wrote", ...keptBefore(file, here, merging) } as const;
  await merging.log.note(state);
  await merging.requireHeld?.();
  using resolver = new PathResolver(merging.root);
  const before = printOf(here);
  const { instructs } = merging;
  refusing(file, () => {
    if (content === null) remove(file, { resolver, before, instructs });
    else {
      const mode = modeOf(merging.worktree.tree, file);
      const isProgram = here === null && (mode & constants.S_IXUSR) !== 0;
      replaceFile(makePlace(file, resolver, instructs), file, {
        content,
        before,
        mode: isProgram ? mode : undefined,
      });
    }
  });
  return merged(state);
}

function merged(state: FileState): MergedFile {
  return { path: state.path, outcome: "merged", why: state.sha256 === null ? "deleted" : "", state };
}

/** Null for a missing file. */
function printOf(content: Buffer | null): string | null {
  return content === null ? null : hashOf(content);
}

/** Stores the former content, unless it is too large. */
function keptBefore(
  file: string,
  here: Buffer | null,
  { root, snapshots }: MergeArgs,
): Pick<FileState, "before" | "made"> {
  if (here === null) return { before: null, ...madeFor(file, root) };
  if (here.length > MAX_KEPT.fileBytes) return {};
  const sha256 = keepContent(snapshots, here);
  keepMode(snapshots, { path: file, sha256 }, modeOf(root, file));
  return { before: sha256 };
}

function modeOf(root: string, file: string): number {
  return lstatSync(path.join(root, file), { throwIfNoEntry: false })?.mode ?? 0;
}

function room(content: Buffer | null): number {
  return content === null ? 0 : allocatedBytes(content.length);
}

/** Checks the resolved path, too, so that a link cannot lead to a file that instructs agents. */
function makePlace(file: string, resolver: PathResolver, instructs: IsInstructionFile) {
  const check = (relative: string) => {
    if (instructs(relative)) throw instructionRefusal(relative);
  };
  const place = resolver.make(file, { check, made: () => {} });
  check(place.relative);
  return place;
}

interface RemoveArgs {
  readonly resolver: PathResolver;
  readonly instructs: IsInstructionFile;
  /** sha256 of the content when it was read. */
  readonly before: string | null;
}

function remove(file: string, { resolver, before, instructs }: RemoveArgs): void {
  const place = resolver.find(file);
  if (instructs(place.relative)) throw instructionRefusal(place.relative);
  if (place.stats?.isFile() !== true || withFile(place, file, hashFile) !== before)
    throw new Refusal(`${file} changed in the meantime; it was not removed.`);
  unlinkSync(place.directory.at(place.name));
}

/** Removes parent directories that became empty, if the executor has none of that name. */
function clearAbove(file: string, { root, worktree }: MergeArgs): void {
  using resolver = new PathResolver(root);
  refusing(file, () => removeEmptyAbove(file, resolver, (above) => isDirectory(path.join(worktree.tree, above))));
}

function isDirectory(at: string): boolean {
  return statSync(at, { throwIfNoEntry: false })?.isDirectory() === true;
}
