import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

/** A directory of its own for the running test, removed when it ends. */
export function tempDirectory(): string {
  const directory = mkdtempSync(path.join(tmpdir(), "deckhand-test-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
