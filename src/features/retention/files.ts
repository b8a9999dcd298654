import { readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { ownDirectory } from "../../core/agents/own-files.ts";
import { systemCode, unlessMissing } from "../../core/protocol/system-code.ts";
import { isObject } from "../../core/text/from-json.ts";
import { PathResolver } from "../../tools/wasm/workspace/path-resolver.ts";
import { Refusal } from "../../tools/wasm/workspace/refusal.ts";

/** The note about a saved attachment in the history, as src/core/input/attached-files.ts writes it. */
const SAVED = /^\[Attached: .* It is saved as (attachments\/[^/]+)\.\]$/su;

/** Paths of saved attachments in a message's content. */
export function attachmentsIn(content: string): string[] {
  const blocks: unknown = JSON.parse(content);
  if (!Array.isArray(blocks)) return [];
  return blocks.flatMap((block: unknown) => {
    const text = isObject(block) ? block["text"] : null;
    return typeof text === "string" ? (SAVED.exec(text)?.[1] ?? []) : [];
  });
}

/** The sha256 hashes of the stored snapshots. */
export async function keptContents(snapshots: string): Promise<Set<string>> {
  const names = (await unlessMissing(readdir(snapshots))) ?? [];
  return new Set(names.filter((name) => /^[0-9a-f]{64}$/u.test(name)));
}

/** Removes snapshots and the notes beside them, except those stored again since. */
export async function dropContents(snapshots: string, hashes: ReadonlySet<string>, since: number): Promise<void> {
  for (const name of (await unlessMissing(readdir(snapshots))) ?? []) {
    const hash = name.slice(0, 64);
    if (!hashes.has(hash)) continue;
    const content = await stat(path.join(snapshots, hash)).catch(() => null);
    if (content !== null && content.mtimeMs > since) continue;
    await rm(path.join(snapshots, name), { force: true });
  }
}

/** Removes sub-agents' own directories. */
export async function dropOwnDirectories(home: string, sessionIds: readonly string[]): Promise<void> {
  for (const id of sessionIds) {
    await rm(ownDirectory(home, id), { recursive: true, force: true });
  }
}

/** System errors for a path that leads to no file. */
const GONE = ["ENOENT", "ENOTDIR", "ELOOP"];

/** Removes a file below a sandbox root, without following links. */
export async function dropAttachment(root: string, relative: string): Promise<void> {
  if ((await stat(root).catch(() => null)) === null) return;
  using resolver = new PathResolver(root);
  try {
    const { directory, name, stats } = resolver.entry(relative);
    if (stats?.isFile() === true) await rm(directory.at(name));
  } catch (error) {
    // The file is gone: agents may have put anything in its place.
    if (!(error instanceof Refusal) && !GONE.includes(systemCode(error) ?? "")) throw error;
  }
}
