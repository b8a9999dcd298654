import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { accessSync, constants, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { systemCode } from "../../../src/core/protocol/system-code.ts";

const CACHE = fileURLToPath(new URL("../../../node_modules/.cache", import.meta.url));

/**
 * Fills the directory of a new server. The result of the first `initdb` is kept and copied afterwards, which takes a
 * tenth of the time. `made` lists the options and version, since another PostgreSQL needs other files.
 */
export function fillData(data: string, made: readonly string[], initialise: () => void): void {
  const print = createHash("sha256").update(JSON.stringify(made)).digest("hex").slice(0, 16);
  const template = path.join(CACHE, `deckhand-postgres-${print}`);
  if (isReadable(template)) return copy(template, data);
  initialise();
  keep(data, template);
}

/** False also if another user keeps it, because only the owner may read a server's files. */
function isReadable(directory: string): boolean {
  try {
    accessSync(directory, constants.R_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Copies to a temporary place and renames, so that nobody finds an incomplete copy. If it cannot be kept, each server
 * is initialised anew.
 */
function keep(data: string, template: string): void {
  try {
    mkdirSync(CACHE, { recursive: true });
    const aside = mkdtempSync(`${template}-`);
    try {
      copy(data, path.join(aside, "data"));
      renameSync(path.join(aside, "data"), template);
    } finally {
      rmSync(aside, { recursive: true, force: true });
    }
  } catch (error) {
    const isOthers = ["EEXIST", "ENOTEMPTY", "EACCES", "EROFS", "EPERM"].includes(systemCode(error) ?? "");
    if (!isOthers) throw error;
  }
}

/** Copies with owners and modes, which PostgreSQL checks. */
function copy(from: string, to: string): void {
  const { status, stderr, error } = spawnSync("cp", ["-a", from, to], { encoding: "utf8" });
  if (status !== 0) throw new Error(`the files of a server could not be copied: ${stderr}`, { cause: error });
}
