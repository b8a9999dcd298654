import { isUtf8 } from "node:buffer";
import { rmdirSync, statSync, unlinkSync } from "node:fs";
import path from "node:path";
import type { ExecutorCopy } from "../../core/agent/executor-copy.ts";
import type { FileState } from "../../core/protocol/tool-result.ts";
import { instructionRefusal, isInstructionFile } from "../instruction-files.ts";
import { keepContent, MAX_KEPT } from "../wasm/workspace/kept-content.ts";
import { type Place, Places, withFile } from "../wasm/workspace/places.ts";
import { hashOf, readWhole } from "../wasm/workspace/read-file.ts";
import { Refusal, refusing, systemCode } from "../wasm/workspace/refusal.ts";
import { replaceFile } from "../wasm/workspace/replace-file.ts";
import { mergedText } from "./diff.ts";
import type { CopyChange } from "./executor-copies.ts";

/** What became of one changed file. `why` is a few words. */
export interface MergedFile {
  readonly path: string;
  readonly outcome: "merged" | "there already" | "conflict" | "left out";
  readonly why: string;
  readonly state: FileState | null;
}

/** Larger files are taken whole or not at all. Bytes. */
const MAX_FILE = 50_000_000;

export interface Merging {
  /** The sandbox root that the changes are brought into. */
  readonly root: string;
  readonly copy: ExecutorCopy;
  /** Where what files held is kept, so that a merge can be taken back. */
  readonly snapshots: string;
  readonly signal: AbortSignal;
}

/**
 * Brings all that an executor has changed into the sandbox root. What was deleted goes first: a file may have become a
 * directory, or a directory a file. Answers in order of path.
 */
export async function mergeChanges(changes: readonly CopyChange[], merging: Merging): Promise<MergedFile[]> {
  const files: MergedFile[] = [];
  const isDeleted = ({ kind }: CopyChange) => kind === "deleted";
  for (const change of [...changes.filter(isDeleted), ...changes.filter((each) => !isDeleted(each))]) {
    merging.signal.throwIfAborted();
    files.push(await mergeFile(change, merging));
  }
  return files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** What the file's place does not permit is a conflict of that file; the others are merged all the same. */
async function mergeFile(change: CopyChange, merging: Merging): Promise<MergedFile> {
  try {
    return await mergeContent(change, merging);
  } catch (error) {
    if (error instanceof Refusal) return conflict(change.path, error.payload);
    throw error;
  }
}

/**
 * Brings an executor's change of a file into the sandbox root. A file that nobody else has changed since is taken as it is;
 * one that has been changed here, too, is merged by lines, or stays as it is here and is named as a conflict. Nothing
 * is lost: the copy keeps what was not taken. Done again, it finds its work done.
 */
async function mergeContent(change: CopyChange, merging: Merging): Promise<MergedFile> {
  const file = change.path;
  if (isInstructionFile(file)) return left(file, "it instructs agents, so a person changes it");
  const base = change.kind === "added" ? null : contentIn(merging.copy.base, file);
  const theirs = change.kind === "deleted" ? null : contentIn(merging.copy.tree, file);
  const here = contentIn(merging.root, file);
  if (isSame(here, theirs)) return { path: file, outcome: "there already", why: "", state: null };
  if (isSame(here, base)) return put(file, { content: theirs, here, merging });
  if (here === null || theirs === null || base === null) {
    return conflict(file, oneSided(here, theirs));
  }
  if (![here, base, theirs].every((content) => isUtf8(content)))
    return conflict(file, "no text, and changed on both sides");
  const merged = await mergedText({ here, base, theirs }, merging.copy, merging.signal);
  if (merged === null) return conflict(file, "the same lines are changed on both sides");
  if (merged === here.toString("utf8")) return { path: file, outcome: "there already", why: "", state: null };
  const joined = put(file, { content: Buffer.from(merged), here, merging });
  return { ...joined, why: "joined with what was changed here" };
}

function oneSided(here: Buffer | null, theirs: Buffer | null): string {
  if (here === null) return "deleted here, changed by the executor";
  return theirs === null ? "changed here, deleted by the executor" : "added here, too, with other content";
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

/** Null when there is no such file. */
function contentIn(root: string, file: string): Buffer | null {
  const places = new Places(root);
  try {
    return refusing(file, () => {
      const place = places.find(file);
      return place.stats === null ? null : withFile(place, file, (fd) => readWhole(fd, file, MAX_FILE));
    });
  } catch (error) {
    if (error instanceof Refusal && isMissing(places, file)) return null;
    throw error;
  } finally {
    places.close();
  }
}

/** Also when its directory is not there, or is a file. */
function isMissing(places: Places, file: string): boolean {
  try {
    return places.find(file).stats === null;
  } catch (error) {
    return ["ENOENT", "ENOTDIR"].includes(systemCode(error) ?? "");
  }
}

interface Putting {
  /** Null: the file goes. */
  readonly content: Buffer | null;
  readonly here: Buffer | null;
  readonly merging: Merging;
}

/** The file must still be what it was when it was looked at. */
function put(file: string, { content, here, merging }: Putting): MergedFile {
  const places = new Places(merging.root);
  const before = keptBefore(here, merging);
  try {
    refusing(file, () => {
      if (content === null) remove(file, { places, merging });
      else replaceFile(makePlace(file, places), file, { content, before: here === null ? null : hashOf(here) });
    });
  } finally {
    places.close();
  }
  const sha256 = content === null ? null : hashOf(content);
  return {
    path: file,
    outcome: "merged",
    why: content === null ? "deleted" : "",
    state: { path: file, sha256, action: "wrote", ...before },
  };
}

/** Larger files are merged, but not kept. */
function keptBefore(here: Buffer | null, { snapshots }: Merging): Pick<FileState, "before"> {
  if (here === null) return { before: null };
  return here.length > MAX_KEPT.fileBytes ? {} : { before: keepContent(snapshots, here) };
}

/** Also by the resolved path, so that a link is no way to what instructs agents. */
function makePlace(file: string, places: Places) {
  const check = (relative: string) => {
    if (isInstructionFile(relative)) throw instructionRefusal(relative);
  };
  const place = places.make(file, { check, made: () => {} });
  check(place.relative);
  return place;
}

/** With the directories that it leaves empty, where the executor has none any more. */
function remove(file: string, { places, merging }: { places: Places; merging: Merging }): void {
  const place = places.find(file);
  if (isInstructionFile(place.relative)) throw instructionRefusal(place.relative);
  unlinkSync(place.directory.at(place.name));
  for (let above = path.dirname(file); above !== "."; above = path.dirname(above)) {
    if (isDirectory(path.join(merging.copy.tree, above)) || !removeEmpty(places.entry(above))) return;
  }
}

function isDirectory(at: string): boolean {
  return statSync(at, { throwIfNoEntry: false })?.isDirectory() === true;
}

function removeEmpty({ directory, name }: Place): boolean {
  try {
    rmdirSync(directory.at(name));
    return true;
  } catch (error) {
    if (["ENOTEMPTY", "EEXIST", "ENOTDIR", "ENOENT"].includes(systemCode(error) ?? "")) return false;
    throw error;
  }
}
