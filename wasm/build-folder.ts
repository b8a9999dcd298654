import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** Longer than any build takes, in milliseconds: an older folder was left by a killed build. */
const STALE_MS = 3_600_000;

/** Folders that are being filled, here and by src/features/extensions/bindings.ts. */
const UNFINISHED = /\.new-\w+$/;

export interface Replacement {
  /** Fills the folder. */
  readonly fill: (folder: string) => Promise<void>;
  /** True if the target is already up to date, since another build may have been first. */
  readonly isCurrent: () => boolean | Promise<boolean>;
}

/** Replaces the target by a newly filled folder atomically, so that nobody sees half of one. */
export async function replaceFolder(target: string, { fill, isCurrent }: Replacement): Promise<void> {
  // The leading dot hides the folder from code that lists folders.
  const work = join(dirname(target), `.${basename(target)}.new-${process.pid}`);
  await mkdir(work, { recursive: true });
  try {
    await fill(work);
    await rm(target, { recursive: true, force: true, maxRetries: 5 });
    await rename(work, target).catch(async (error: unknown) => {
      if (!(await isCurrent())) throw error;
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Removes what killed builds have left in a folder. */
export async function removeUnfinished(parent: string): Promise<void> {
  await mkdir(parent, { recursive: true });
  const names = await readdir(parent);
  for (const name of names.filter((candidate) => UNFINISHED.test(candidate))) {
    const folder = join(parent, name);
    const found = await stat(folder).catch(() => null); // a build that just ends removes it
    if (found !== null && found.mtimeMs < Date.now() - STALE_MS) await rm(folder, { recursive: true, force: true });
  }
}
