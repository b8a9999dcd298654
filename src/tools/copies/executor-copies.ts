import { constants } from "node:fs";
import { copyFile, mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type ExecutorCopy, executorCopy } from "../../core/agent/executor-copy.ts";
import { listFiles } from "../wasm/workspace/list-files.ts";
import { Places, withFile } from "../wasm/workspace/places.ts";
import { hashFile, readWhole } from "../wasm/workspace/read-file.ts";
import { Refusal, refusing } from "../wasm/workspace/refusal.ts";

/** What a copy may hold: more takes too long to make and to compare. */
const MOST = { files: 20_000, bytes: 200_000_000, fileBytes: 50_000_000 };
/** Files after which others get their turn. */
const AT_ONCE = 50;

export type CopyChange =
  | { readonly kind: "added" | "changed"; readonly path: string; readonly sha256: string }
  | { readonly kind: "deleted"; readonly path: string };

/** Copies of sandbox roots, one per executor, beneath the home and so outside every root. */
export interface ExecutorCopies {
  of(childId: string): ExecutorCopy;
  /** Copies a sandbox root, once. Throws Refusal when it is too large. */
  make(childId: string, root: string, signal: AbortSignal): Promise<void>;
  /** What an executor has done to its files. */
  changes(childId: string, signal: AbortSignal): Promise<readonly CopyChange[]>;
}

export function createExecutorCopies(home: string): ExecutorCopies {
  const of = (childId: string): ExecutorCopy => executorCopy(home, childId);
  return {
    of,
    async make(childId, root, signal) {
      const done = path.dirname(of(childId).tree);
      if (await isThere(done)) return;
      const making = `${done}.making`;
      await rm(making, { recursive: true, force: true });
      await mkdir(making, { recursive: true, mode: 0o700 });
      await copyTree(root, making, signal);
      await rename(making, done);
    },
    async changes(childId, signal) {
      const { tree, base } = of(childId);
      const [before, after] = [await hashesOf(base, signal), await hashesOf(tree, signal)];
      const written = [...after].flatMap(([file, sha256]): CopyChange[] => {
        const was = before.get(file);
        return was === sha256 ? [] : [{ kind: was === undefined ? "added" : "changed", path: file, sha256 }];
      });
      const deleted = [...before.keys()].filter((file) => !after.has(file));
      const all = [...written, ...deleted.map((file): CopyChange => ({ kind: "deleted", path: file }))];
      return all.sort((a, b) => (a.path < b.path ? -1 : 1));
    },
  };
}

async function isThere(directory: string): Promise<boolean> {
  return (await stat(directory).catch(() => null)) !== null;
}

/** Plain files only, verified to lie beneath the root: links, `.git` and node_modules are left out. */
async function copyTree(root: string, to: string, signal: AbortSignal): Promise<void> {
  const [tree, base] = [path.join(to, "tree"), path.join(to, "base")];
  await Promise.all([mkdir(tree), mkdir(base)]);
  let bytes = 0;
  for await (const { file, places } of filesOf(root, signal)) {
    const { data, mode } = refusing(file, () =>
      withFile(places.find(file), file, (fd, stats) => ({
        data: readWhole(fd, file, MOST.fileBytes),
        mode: stats.mode & 0o777,
      })),
    );
    bytes += data.length;
    if (bytes > MOST.bytes) throw tooLarge(`${MOST.bytes / 1_000_000} MB`);
    await mkdir(path.join(tree, path.dirname(file)), { recursive: true });
    await mkdir(path.join(base, path.dirname(file)), { recursive: true });
    await writeFile(path.join(tree, file), data, { mode });
    await copyFile(path.join(tree, file), path.join(base, file), constants.COPYFILE_FICLONE);
  }
}

function tooLarge(what: string): Refusal {
  return new Refusal(
    `The files here come to more than ${what} beside node_modules and .git, which is too much to copy for an executor. Do without executorIsolation, or narrow the channel's directory.`,
  );
}

async function* filesOf(root: string, signal: AbortSignal) {
  const places = new Places(root);
  try {
    const options = { hidden: true, dependencies: false, maxEntries: MOST.files };
    const { paths, cut } = refusing(root, () => listFiles(places, "", options));
    if (cut) throw tooLarge(`${MOST.files.toLocaleString("en-US")} entries`);
    for (const [index, file] of paths.entries()) {
      if (index % AT_ONCE === 0) {
        await nextTurn();
        signal.throwIfAborted();
      }
      yield { file, places };
    }
  } finally {
    places.close();
  }
}

async function hashesOf(root: string, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const hashes = new Map<string, string>();
  for await (const { file, places } of filesOf(root, signal)) {
    hashes.set(
      file,
      refusing(file, () => withFile(places.find(file), file, hashFile)),
    );
  }
  return hashes;
}
