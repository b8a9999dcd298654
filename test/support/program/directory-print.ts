import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** A fingerprint that is equal for directories with the same files and contents. */
export function directoryPrint(directory: string): string {
  const hash = createHash("sha256");
  const entries = readdirSync(directory, { withFileTypes: true, recursive: true });
  const files = entries.map((entry) => ({ at: path.join(entry.parentPath, entry.name), isFile: entry.isFile() }));
  for (const { at, isFile } of files.sort((a, b) => (a.at < b.at ? -1 : 1))) {
    hash.update(`${at}\0`);
    if (isFile) hash.update(readFileSync(at));
  }
  return hash.digest("hex");
}
