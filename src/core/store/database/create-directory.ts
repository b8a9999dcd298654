import { access, mkdir } from "node:fs/promises";
import path from "node:path";
import { unlessFails } from "../../protocol/system-code.ts";

/**
 * Creates a directory step by step, because Node's recursive mkdir never returns if a file system such as /proc refuses
 * a new entry with ENOENT.
 */
export async function createDirectory(directory: string, mode: number): Promise<void> {
  try {
    await access(directory);
  } catch {
    const parent = path.dirname(directory);
    if (parent !== directory) await createDirectory(parent, 0o777);
    await unlessFails(["EEXIST"], mkdir(directory, { mode }));
  }
}
