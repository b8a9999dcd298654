import { randomBytes } from "node:crypto";
import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { unlessMissing } from "../../core/protocol/system-code.ts";
import { madeOnce } from "../../core/store/database/made-once.ts";
import type { FoundFile } from "./collect.ts";

/** How the folder of a copy begins that is not whole yet. */
const UNFINISHED = ".new-";

/** What signs the passes of sites that need no password; drafts of it have longer names. */
const PASS_KEY = "pass.key";

/** The copies that sites are served from: each has a folder, which nothing changes once it has its name. */
export type Copies = ReturnType<typeof createCopies>;

export function createCopies(directory: string) {
  const pathOf = (folder: string) => path.join(directory, folder);
  const remove = async (folders: readonly string[]) => {
    for (const folder of folders) await rm(pathOf(folder), { recursive: true, force: true });
  };
  return {
    pathOf,
    remove,
    /** One copy while it is made. */
    async begin(folder: string) {
      const unfinished = `${UNFINISHED}${folder}`;
      const made = new Set([pathOf(unfinished)]);
      await mkdir(pathOf(unfinished), { recursive: true, mode: 0o700 });
      return {
        async take(file: FoundFile, content: Buffer): Promise<void> {
          const target = path.join(pathOf(unfinished), file.path);
          const parent = path.dirname(target);
          if (!made.has(parent)) await mkdir(parent, { recursive: true });
          for (let at = parent; !made.has(at); at = path.dirname(at)) made.add(at);
          await writeDurably(target, content);
        },
        /** All of it is on the disk, under its own name. */
        async finish(): Promise<void> {
          for (const each of made) await syncDirectory(each);
          await rename(pathOf(unfinished), pathOf(folder));
          await syncDirectory(directory);
        },
        /** What has been copied is gone. */
        discard: () => remove([unfinished, folder]),
      };
    },
    /** The same for all processes, and after a start. */
    async passKey(): Promise<string> {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      return madeOnce(pathOf(PASS_KEY), () => `${randomBytes(32).toString("base64url")}\n`);
    },
    /** Removes what no version is served from: what a crash left. */
    async sweep(known: ReadonlySet<string>): Promise<void> {
      const folders = (await unlessMissing(readdir(directory))) ?? [];
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
