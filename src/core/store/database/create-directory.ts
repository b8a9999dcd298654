import { access, mkdir } from "node:fs/promises";
import path from "node:path";
import { systemCode } from "../../protocol/system-code.ts";

/** Step by step: Node's recursive mkdir never returns where a file system denies a new entry with ENOENT, as /proc does. */
export async function createDirectory(directory: string, mode: number): Promise<void> {
  try {
    await access(directory);
  } catch {
    const parent = path.dirname(directory);
    if (parent !== directory) await createDirectory(parent, 0o777);
    await mkdirUnlessThere(directory, mode);
  }
}

async function mkdirUnlessThere(directory: string, mode: number): Promise<void> {
  try {
    await mkdir(directory, { mode });
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
  }
}
