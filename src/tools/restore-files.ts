import type { Buffer } from "node:buffer";
import { readFileSync, unlinkSync } from "node:fs";
import path from "node:path";
import type { TakeLock } from "../core/cluster.ts";
import type { FileOutcome, RestoreFiles } from "../core/history/file-restore.ts";
import { channelKeyOf, type ThreadRef } from "../core/platform/thread.ts";
import { SandboxError } from "../core/protocol/errors.ts";
import { unlessSystem } from "../core/protocol/system-code.ts";
import type { FileStep } from "../core/store/run/undos.ts";
import { type IsInstructionFile, instructionFileCheck } from "./instructions/protected-files.ts";
import { allocatedBytes, freedBytes } from "./quotas/disk-usage.ts";
import type { Quotas } from "./quotas/quotas.ts";
import { madeWith, removeEmpty, removeEmptyAbove } from "./wasm/workspace/empty-directories.ts";
import { keepContent, MAX_KEPT } from "./wasm/workspace/kept-content.ts";
import { keepMode, keptMode } from "./wasm/workspace/kept-mode.ts";
import { findOrNull, PathResolver, type ResolvedPath, withFile } from "./wasm/workspace/path-resolver.ts";
import { hashFile, hashOf, readWhole } from "./wasm/workspace/read-file.ts";
import { refusing } from "./wasm/workspace/refusal.ts";
import { replaceFile } from "./wasm/workspace/replace-file.ts";

export interface FileRestoreOptions {
  /** Directory where the sandbox keeps former contents. */
  readonly snapshots: string;
  readonly sandboxRootOf: (thread: ThreadRef) => string;
  readonly guardedFiles?: readonly string[];
  /** If absent, no quota applies. */
  readonly quotas?: Quotas;
  /** Keeps other processes from the root meanwhile; absent if there are none. */
  readonly lock?: TakeLock;
}

/** How long to wait for other processes' calls that change files of the root, in milliseconds. */
const WAIT_MS = 10_000;

const BUSY: FileOutcome = { type: "failed", reason: "An agent is changing files here. Try again in a moment." };

/** Restores kept contents through the same verified paths as the tools use. */
export function createFileRestore({
  snapshots,
  sandboxRootOf,
  guardedFiles,
  quotas,
  lock,
}: FileRestoreOptions): RestoreFiles {
  return async ({ thread, steps, instructions }) => {
    const root = sandboxRootOf(thread);
    const place = { root, personId: null, channelKey: channelKeyOf(thread) };
    await quotas?.ready(place);
    const take = (bytes: number) => quotas?.take(place, bytes);
    const signal = AbortSignal.timeout(WAIT_MS);
    using resolver = new PathResolver(root);
    try {
      using held = await lock?.(root, { signal, queued: () => {} });
      await held?.requireHeld();
      const outcomes = outcomesOf(steps, resolver, {
        snapshots,
        instructions,
        instructs: instructionFileCheck(root, guardedFiles),
        take,
      });
      return steps.map((step) => outcomes.get(step) ?? { type: "changed" });
    } catch (error) {
      if (error !== signal.reason) throw error;
      return steps.map(() => BUSY);
    }
  };
}

/** Removals come before restorations, because a file may be where a directory was, or the reverse. */
function outcomesOf(
  steps: readonly FileStep[],
  resolver: PathResolver,
  options: Omit<RestoreScope, "resolver" | "coming" | "removed">,
): ReadonlyMap<FileStep, FileOutcome> {
  const coming = steps.filter(({ to }) => to !== null);
  const going = steps.filter(({ to }) => to === null);
  const removed: FileStep[] = [];
  const restoring = { ...options, resolver, coming, removed };
  const outcomes = new Map([...going, ...coming].map((step) => [step, outcomeOf(step, restoring)]));
  clearMade(removed, resolver);
  return outcomes;
}

/** Removes the empty directories that were created with files that are now removed. */
function clearMade(removed: readonly FileStep[], resolver: PathResolver): void {
  for (const directory of madeWith(removed)) {
    try {
      refusing(directory, () => removeEmpty(directory, resolver));
    } catch (error) {
      if (!(error instanceof SandboxError)) throw error; // the files are restored, so an empty directory may stay
    }
  }
}

interface RestoreScope {
  /** Counts what is about to be written; throws Refusal if it is too much. */
  readonly take: (bytes: number) => void;
  readonly snapshots: string;
  readonly instructions: boolean;
  readonly instructs: IsInstructionFile;
  readonly resolver: PathResolver;
  /** The files that will exist afterwards. */
  readonly coming: readonly FileStep[];
  /** Collects the files that were removed. */
  readonly removed: FileStep[];
}

function outcomeOf(step: FileStep, restoring: RestoreScope): FileOutcome {
  try {
    return refusing(step.path, () => restore(step, restoring));
  } catch (error) {
    if (error instanceof SandboxError) return { type: "failed", reason: error.message };
    throw error;
  }
}

function restore(step: FileStep, restoring: RestoreScope): FileOutcome {
  const { path: name, from, to } = step;
  const { resolver, snapshots, instructions } = restoring;
  const place = findOrNull(resolver, name);
  // The resolved path counts too, so that a link cannot evade the protection.
  const isInstruction = restoring.instructs(name) || (place !== null && restoring.instructs(place.relative));
  if (isInstruction && !instructions) return { type: "instructs" };
  const present = contentHash(place, name);
  if (present === to) return restored(name, to, restoring);
  if (present !== from) return { type: "changed" };
  const content = to === null ? null : keptContent(snapshots, to);
  if (to !== null && content === null) return { type: "not_kept" };
  if (place !== null && from !== null) snapshotPresent(place, snapshots);
  restoring.take((content === null ? 0 : allocatedBytes(content.length)) - freedBytes(place?.stats ?? null));
  if (content !== null) restoreFile(place?.stats ? place : resolver.make(name), { step, content, snapshots });
  else if (place !== null) {
    unlinkSync(place.directory.at(place.name));
    restoring.removed.push(step);
  }
  return restored(name, to, restoring);
}

interface PuttingBack {
  readonly step: FileStep;
  readonly content: Buffer;
  readonly snapshots: string;
}

/** Restores a file's content, and its former permissions if it was executable. */
function restoreFile(place: ResolvedPath, { step, content, snapshots }: PuttingBack): void {
  const mode = step.to === null ? undefined : keptMode(snapshots, { path: place.relative, sha256: step.to });
  replaceFile(place, step.path, { content, before: step.from, mode });
}

/** Removes empty directories that are in the place of a file that is still to be restored. */
function restored(name: string, to: string | null, { resolver, coming }: RestoreScope): FileOutcome {
  const above = coming.find((step) => name.startsWith(`${step.path}/`))?.path;
  if (to === null && above !== undefined)
    removeEmptyAbove(name, resolver, (directory) => directory.length < above.length);
  return { type: "restored" };
}

/** Null if the file does not exist; undefined if something other than a file is there. */
function contentHash(place: ResolvedPath | null, name: string): string | null | undefined {
  if (place === null || place.stats === null) return null;
  return place.stats.isFile() ? withFile(place, name, hashFile) : undefined;
}

/** Keeps the present content so that the undo can itself be undone, unless the file is too large. */
function snapshotPresent(place: ResolvedPath, snapshots: string): void {
  if ((place.stats?.size ?? 0) > MAX_KEPT.fileBytes) return;
  const bytes = withFile(place, place.relative, (fd) => readWhole(fd, place.relative, MAX_KEPT.fileBytes));
  keepMode(snapshots, { path: place.relative, sha256: keepContent(snapshots, bytes) }, place.stats?.mode ?? 0);
}

/** Null if the content is no longer kept or is incomplete, which a loss of power can cause. */
function keptContent(snapshots: string, sha256: string): Buffer | null {
  const content = unlessSystem(["ENOENT"], () => readFileSync(path.join(snapshots, path.basename(sha256))));
  return content !== null && hashOf(content) === sha256 ? content : null;
}
