import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { removeDirectory } from "./remove-directory.ts";

/** Limit in milliseconds for a slow disk to remove the tens of thousands of files left by a flood. */
const REMOVAL_MS = 300_000;

/** Creates a directory for the running test, which is removed when it ends. */
export function tempDirectory(): string {
  const directory = mkdtempSync(path.join(tmpdir(), "deckhand-test-"));
  onTestFinished(() => removeDirectory(directory), REMOVAL_MS);
  return directory;
}
