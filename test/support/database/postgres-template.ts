import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { accessSync, constants, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { systemCode } from "../../../src/core/protocol/system-code.ts";

const CACHE = fileURLToPath(new URL("../../../node_modules/.cache", import.meta.url));

/**
 * Fills the directory of a new server. What `initdb` makes the first time is kept and copied from then on, which takes
 * a tenth of its time. `made`: what it was made with and by, since another PostgreSQL wants other files.
 */
export function fillData(data: string, made: readonly string[], initialise: () => void): void {
  const print = createHash("sha256").update(JSON.stringify(made)).digest("hex").slice(0, 16);
  const template = path.join(CACHE, `deckhand-postgres-${print}`);
  if (isReadable(template)) return copy(template, data);
  initialise();
  keep(data, template);
}

/** False also for what another user has kept: a server's files are their owner's alone. */
function isReadable(directory: string): boolean {
  try {
    accessSync(directory, constants.R_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Copied aside and moved into place: nobody finds half of it. Where it cannot be kept, each server begins anew. */
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

/** With owners and modes, which PostgreSQL looks at. */
function copy(from: string, to: string): void {
  const { status, stderr, error } = spawnSync("cp", ["-a", from, to], { encoding: "utf8" });
  if (status !== 0) throw new Error(`the files of a server could not be copied: ${stderr}`, { cause: error });
}
