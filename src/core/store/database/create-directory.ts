import { access, mkdir } from "node:fs/promises";
import path from "node:path";
import { unlessFails } from "../../protocol/system-code.ts";

/** Step by step: Node's recursive mkdir never returns where a file system denies a new entry with ENOENT, as /proc does. */
export async function createDirectory(directory: string, mode: number): Promise<void> {
  try {
    await access(directory);
  } catch {
    const parent = path.dirname(directory);
    if (parent !== directory) await createDirectory(parent, 0o777);
    await unlessFails(["EEXIST"], mkdir(directory, { mode }));
  }
}
