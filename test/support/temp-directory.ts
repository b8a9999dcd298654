import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

/** How long a slow disk may take to remove the tens of thousands of files that a flood leaves. */
const REMOVAL_MS = 300_000;

/**
 * A directory of its own for the running test, removed when it ends; again if something that was
 * cancelled put one more file there meanwhile.
 */
export function tempDirectory(): string {
  const directory = mkdtempSync(path.join(tmpdir(), "deckhand-test-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }), REMOVAL_MS);
  return directory;
}
