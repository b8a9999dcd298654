import { randomBytes } from "node:crypto";
import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { madeOnce } from "../../core/store/database/made-once.ts";
import type { FoundFile } from "./collect.ts";

/** How the folder of a copy begins that is not whole yet. */
const UNFINISHED = ".new-";

/** What signs the passes of sites that need no password; drafts of it have longer names. */
const PASS_KEY = "pass.key";

/** One copy while it is made. */
export interface SiteCopy {
  take(file: FoundFile, content: Buffer): Promise<void>;
  /** All of it is on the disk, under its own name. */
  finish(): Promise<void>;
  /** What has been copied is gone. */
  discard(): Promise<void>;
}

/** The copies that sites are served from: each has a folder, which nothing changes once it has its name. */
export interface Copies {
  begin(folder: string): Promise<SiteCopy>;
  pathOf(folder: string): string;
  remove(folders: readonly string[]): Promise<void>;
  /** Removes what no version is served from: what a crash left. */
  sweep(known: ReadonlySet<string>): Promise<void>;
  /** The same for all processes, and after a start. */
  passKey(): Promise<string>;
}

export function createCopies(directory: string): Copies {
  const pathOf = (folder: string) => path.join(directory, folder);
  const remove = async (folders: readonly string[]) => {
    for (const folder of folders) await rm(pathOf(folder), { recursive: true, force: true });
  };
  return {
    pathOf,
    remove,
    async begin(folder) {
      const unfinished = `${UNFINISHED}${folder}`;
      const made = new Set([pathOf(unfinished)]);
      await mkdir(pathOf(unfinished), { recursive: true, mode: 0o700 });
      return {
        async take(file, content) {
          const target = path.join(pathOf(unfinished), file.path);
          const parent = path.dirname(target);
          if (!made.has(parent)) await mkdir(parent, { recursive: true });
          for (let at = parent; !made.has(at); at = path.dirname(at)) made.add(at);
          await writeDurably(target, content);
        },
        async finish() {
          for (const each of made) await syncDirectory(each);
          await rename(pathOf(unfinished), pathOf(folder));
          await syncDirectory(directory);
        },
        discard: () => remove([unfinished, folder]),
      };
    },
    async passKey() {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      return madeOnce(pathOf(PASS_KEY), () => `${randomBytes(32).toString("base64url")}\n`);
    },
    async sweep(known) {
      const folders = await readdir(directory).catch(() => []);
      await remove(folders.filter((folder) => !folder.startsWith(PASS_KEY) && !known.has(folder)));
    },
  };
}

async function writeDurably(target: string, content: Buffer): Promise<void> {
  await using file = await open(target, "wx", 0o400);
  await file.writeFile(content);
  await file.sync();
}

async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === "win32") return; // directories cannot be opened there
  await using handle = await open(directory, "r");
  await handle.sync();
}
