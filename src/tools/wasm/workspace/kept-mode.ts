import { hash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unlessSystem } from "../../../core/protocol/system-code.ts";

/** Permission bits of which any one makes a file executable. Other files get the permissions of new ones. */
const EXECUTABLE = 0o111;
const PERMISSIONS = 0o777;

/** A former state of a file: its path and content. */
interface KeptFile {
  /** Relative to the root. */
  readonly path: string;
  readonly sha256: string;
}

/**
 * Records an executable file's permissions beside its kept content. Files of equal content may have different
 * permissions.
 */
export function keepMode(directory: string, file: KeptFile, mode: number): void {
  const note = noteOf(directory, file);
  if ((mode & EXECUTABLE) === 0) rmSync(note, { force: true });
  else writeFileSync(note, (mode & PERMISSIONS).toString(8), { mode: 0o600 });
}

/** Undefined if no permissions are recorded. */
export function keptMode(directory: string, file: KeptFile): number | undefined {
  const noted = unlessSystem(["ENOENT"], () => readFileSync(noteOf(directory, file), "utf8"));
  const mode = Number.parseInt(noted ?? "", 8);
  return Number.isNaN(mode) ? undefined : mode & PERMISSIONS;
}

function noteOf(directory: string, { path, sha256 }: KeptFile): string {
  return join(directory, `${sha256}.${hash("sha256", path).slice(0, 16)}`);
}
