import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { removeDirectory } from "./remove-directory.ts";

/** How long a slow disk may take to remove the tens of thousands of files that a flood leaves. */
const REMOVAL_MS = 300_000;

/** A directory of its own for the running test, removed when it ends. */
export function tempDirectory(): string {
  const directory = mkdtempSync(path.join(tmpdir(), "deckhand-test-"));
  onTestFinished(() => removeDirectory(directory), REMOVAL_MS);
  return directory;
}
