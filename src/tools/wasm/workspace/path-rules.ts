import { Buffer } from "node:buffer";
import { Refusal } from "./refusal.ts";

/**
 * Maximum bytes of a path and a name. Linux: PATH_MAX without the room that the root and the bot's own prefixes need;
 * NAME_MAX.
 */
const MAX_PATH = 3_500;
const MAX_NAME = 255;

/** The root as guests and models name it; its real location is hidden from them. */
export const VIRTUAL_ROOT = "/workspace";

/** Names under which files are written before they are moved into place. */
export const TEMPORARY_NAME = /^\.deckhand-[0-9a-f]{16}\.tmp$/;

/**
 * The segments of a path from the root on. Accepts relative paths and absolute ones beneath a root (given under several
 * names if links lead to it). Refuses everything else, and whatever no guest may access.
 */
export function segmentsOf(path: string, roots: readonly string[]): string[] {
  if (path.includes("\0")) throw new Refusal("A path must not contain a NUL character.");
  if (!path.isWellFormed()) throw new Refusal("A path must be valid Unicode.");
  if (Buffer.byteLength(path) > MAX_PATH) throw new Refusal(`The path is longer than ${MAX_PATH} bytes.`);
  const segments: string[] = [];
  for (const segment of relativeTo(roots, path).split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment !== "..") segments.push(segment);
    else if (segments.pop() === undefined) throw outside(path);
  }
  for (const segment of segments) checkName(segment);
  return segments;
}

function relativeTo(roots: readonly string[], path: string): string {
  if (!path.startsWith("/")) return path;
  const root = [...roots, VIRTUAL_ROOT].find((candidate) => isBeneath(candidate, path));
  if (root === undefined) throw outside(path);
  return path.slice(root.length);
}

export function isBeneath(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith("/") ? root : `${root}/`);
}

export function outside(path: string): Refusal {
  return new Refusal(`${path} is outside the sandbox; use a path relative to its root.`);
}

function checkName(name: string): void {
  if (Buffer.byteLength(name) > MAX_NAME) throw new Refusal(`A name in the path is longer than ${MAX_NAME} bytes.`);
  if (isGitName(name)) throw new Refusal("Tools cannot read, write or create `.git`.");
  if (TEMPORARY_NAME.test(name)) throw new Refusal(`${name} is a temporary file of a write in progress.`);
}

/** Whether some file system treats the name as `.git`, including its short name on NTFS. */
export function isGitName(name: string): boolean {
  return /^(\.git|git~\d+)$/.test(comparableName(name));
}

/**
 * A name as the most lenient file systems compare it: HFS+ and ext4's casefold drop invisible characters and fold
 * letters (the long s is an s); NTFS drops trailing dots and spaces and a stream's name.
 */
export function comparableName(name: string): string {
  const [plain = ""] = name.replace(/\p{Default_Ignorable_Code_Point}/gu, "").split(":", 1);
  return plain
    .replace(/(?<![. ])[. ]+$/, "")
    .toUpperCase()
    .toLowerCase();
}
