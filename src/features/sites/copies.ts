import { randomBytes } from "node:crypto";
import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { unlessMissing } from "../../core/protocol/system-code.ts";
import { readOrCreateFile } from "../../core/store/database/create-once.ts";
import type { FoundFile } from "./collect.ts";

/** Prefix of the folder of an unfinished copy. */
const UNFINISHED = ".new-";

/** File with the key that signs passes of sites without a password; its drafts have longer names. */
const PASS_KEY = "pass.key";

/** The copies from which sites are served. Each has a folder that never changes once it has its final name. */
export type Copies = ReturnType<typeof createCopies>;

export function createCopies(directory: string) {
  const pathOf = (folder: string) => path.join(directory, folder);
  const remove = async (folders: readonly string[]) => {
    for (const folder of folders) await rm(pathOf(folder), { recursive: true, force: true });
  };
  return {
    pathOf,
    remove,
    /** Starts a copy. */
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
        /** Makes the copy durable and gives it its final name. */
        async finish(): Promise<void> {
          for (const each of made) await syncDirectory(each);
          await rename(pathOf(unfinished), pathOf(folder));
          await syncDirectory(directory);
        },
        /** Removes what was copied. */
        discard: () => remove([unfinished, folder]),
      };
    },
    /** The signing key, the same for all processes and across restarts. */
    async passKey(): Promise<string> {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      return readOrCreateFile(pathOf(PASS_KEY), () => `${randomBytes(32).toString("base64url")}\n`);
    },
    /** Removes folders that belong to no version, left by a crash. */
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
