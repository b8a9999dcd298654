import { rm } from "node:fs/promises";

/** Also while something that was cancelled, or a process that is dying, puts one more file there. */
export function removeDirectory(directory: string): Promise<void> {
  return rm(directory, { recursive: true, force: true, maxRetries: 5 });
}
