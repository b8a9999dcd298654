import { isUtf8 } from "node:buffer";
import { unlinkSync } from "node:fs";
import type { ExecutorCopy } from "../../core/agent/executor-copy.ts";
import type { FileState } from "../../core/protocol/tool-result.ts";
import { isInstructionFile } from "../instruction-files.ts";
import { Places, withFile } from "../wasm/workspace/places.ts";
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
  readonly signal: AbortSignal;
}

/**
 * Brings an executor's change of a file into the sandbox root. A file that nobody else has changed since is taken as it is;
 * one that has been changed here, too, is merged by lines, or stays as it is here and is named as a conflict. Nothing
 * is lost: the copy keeps what was not taken. Done again, it finds its work done.
 */
export async function mergeFile(change: CopyChange, merging: Merging): Promise<MergedFile> {
  const file = change.path;
  if (isInstructionFile(file)) return left(file, "it instructs agents, so a person changes it");
  const base = contentIn(merging.copy.base, file);
  const theirs = change.kind === "deleted" ? null : contentIn(merging.copy.tree, file);
  const here = contentIn(merging.root, file);
  if (isSame(here, theirs)) return { path: file, outcome: "there already", why: "", state: null };
  if (isSame(here, base)) return put(file, { content: theirs, here, root: merging.root });
  if (here === null || theirs === null || base === null) {
    return conflict(file, oneSided(here, theirs));
  }
  if (![here, base, theirs].every((content) => isUtf8(content)))
    return conflict(file, "no text, and changed on both sides");
  const merged = await mergedText({ here, base, theirs }, merging.copy, merging.signal);
  if (merged === null) return conflict(file, "the same lines are changed on both sides");
  if (merged === here.toString("utf8")) return { path: file, outcome: "there already", why: "", state: null };
  const joined = put(file, { content: Buffer.from(merged), here, root: merging.root });
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

/** Also when its directory is not there. */
function isMissing(places: Places, file: string): boolean {
  try {
    return places.find(file).stats === null;
  } catch (error) {
    return systemCode(error) === "ENOENT";
  }
}

/** The file must still be what it was when it was looked at. */
function put(
  file: string,
  { content, here, root }: { content: Buffer | null; here: Buffer | null; root: string },
): MergedFile {
  const places = new Places(root);
  try {
    refusing(file, () => {
      const place = content === null ? places.find(file) : places.make(file);
      if (content === null) unlinkSync(place.directory.at(place.name));
      else replaceFile(place, file, { content, before: here === null ? null : hashOf(here) });
    });
  } finally {
    places.close();
  }
  const sha256 = content === null ? null : hashOf(content);
  return {
    path: file,
    outcome: "merged",
    why: content === null ? "deleted" : "",
    state: { path: file, sha256, action: "wrote" },
  };
}
