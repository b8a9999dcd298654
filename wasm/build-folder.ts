import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** No build takes this long: an older folder was left by one that was killed. Milliseconds. */
const STALE_MS = 3_600_000;

/** Folders that are being filled, here and by src/features/extensions/bindings.ts. */
const UNFINISHED = /\.new-\w+$/;

export interface Replacement {
  /** Puts into the folder what it is to hold. */
  readonly fill: (folder: string) => Promise<void>;
  /** True when the target holds this already: another build may have been first. */
  readonly isCurrent: () => boolean | Promise<boolean>;
}

/** Puts a newly filled folder into the target's place: nobody ever sees half of one. */
export async function replaceFolder(target: string, { fill, isCurrent }: Replacement): Promise<void> {
  // The dot hides it from what looks for folders.
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

/** Removes what builds that were killed left in a folder. */
export async function removeUnfinished(parent: string): Promise<void> {
  await mkdir(parent, { recursive: true });
  const names = await readdir(parent);
  for (const name of names.filter((candidate) => UNFINISHED.test(candidate))) {
    const folder = join(parent, name);
    const found = await stat(folder).catch(() => null); // a build that ends now takes it away
    if (found !== null && found.mtimeMs < Date.now() - STALE_MS) await rm(folder, { recursive: true, force: true });
  }
}
