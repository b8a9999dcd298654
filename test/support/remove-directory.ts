import { rm } from "node:fs/promises";

/** Removes a directory even if cancelled work or a dying process adds another file meanwhile. */
export function removeDirectory(directory: string): Promise<void> {
  return rm(directory, { recursive: true, force: true, maxRetries: 5 });
}
