import { hash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unlessSystem } from "../../../core/protocol/system-code.ts";

/** Permissions of a file that somebody may execute; all others are what a new file gets. */
const EXECUTABLE = 0o111;
const PERMISSIONS = 0o777;

/** A file as it was: where, and which content it had. */
interface KeptFile {
  /** Relative to the root. */
  readonly path: string;
  readonly sha256: string;
}

/** Notes, beside a kept content, with which permissions it could be executed. Equal contents may stand in files of other permissions. */
export function keepMode(directory: string, file: KeptFile, mode: number): void {
  const note = noteOf(directory, file);
  if ((mode & EXECUTABLE) === 0) rmSync(note, { force: true });
  else writeFileSync(note, (mode & PERMISSIONS).toString(8), { mode: 0o600 });
}

/** Undefined where nothing is noted. */
export function keptMode(directory: string, file: KeptFile): number | undefined {
  const noted = unlessSystem(["ENOENT"], () => readFileSync(noteOf(directory, file), "utf8"));
  const mode = Number.parseInt(noted ?? "", 8);
  return Number.isNaN(mode) ? undefined : mode & PERMISSIONS;
}

function noteOf(directory: string, { path, sha256 }: KeptFile): string {
  return join(directory, `${sha256}.${hash("sha256", path).slice(0, 16)}`);
}
