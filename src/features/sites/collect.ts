import { createHash, hash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { counted } from "../../core/text/counted.ts";
import { sizeText } from "../../core/text/sizes.ts";
import { secretKind } from "../../tools/secrets/secret-files.ts";
import { PathResolver, withFile } from "../../tools/wasm/workspace/path-resolver.ts";
import { segmentsOf } from "../../tools/wasm/workspace/path-rules.ts";
import { readWhole } from "../../tools/wasm/workspace/read-file.ts";
import { Refusal, refusing } from "../../tools/wasm/workspace/refusal.ts";
import { entriesAt } from "../../tools/wasm/workspace/tree.ts";
import type { SiteLimits } from "./site.ts";

/** Maximum size of one file in bytes, since it is held in memory while it is copied. */
const MAX_FILE_BYTES = 26_214_400;
/** Number of entries processed before other work gets its turn. */
const TURN_ENTRIES = 100;

/** A directory in a sandbox root to publish. */
export interface Source {
  /** Absolute path of the sandbox root. */
  readonly root: string;
  readonly directory: string;
}

export interface FoundFile {
  /** Relative to the published directory. */
  readonly path: string;
  readonly size: number;
}

export interface Found {
  readonly files: readonly FoundFile[];
  readonly bytes: number;
  /** Number of entries left out because their names start with a dot. */
  readonly hidden: number;
  /** Hash of the files' names and contents. */
  readonly digest: string;
}

interface CollectArgs {
  readonly source: Source;
  readonly limits: SiteLimits;
  readonly signal: AbortSignal;
  /** Receives each file, in order, once the listing is within the limits. */
  readonly take?: (file: FoundFile, content: Buffer) => Promise<void>;
}

/**
 * Reads all files of a site. Throws Refusal if they cannot be a site: no index, too many or too large files, links,
 * special files, or files that look like secrets.
 */
export async function collect({ source, limits, signal, take = async () => {} }: CollectArgs): Promise<Found> {
  using resolver = new PathResolver(source.root);
  const top = segmentsOf(source.directory, [source.root]).join("/");
  const { files, hidden } = await listed(resolver, top, { limits, signal });
  if (!files.some(({ path }) => path === "index.html")) {
    throw new Refusal(`${source.directory} has no index.html, which every site needs.`);
  }
  const all = createHash("sha256");
  let bytes = 0;
  for (const file of files) {
    signal.throwIfAborted();
    const content = refusing(file.path, () => contentOf(resolver, top, file));
    bytes += content.length;
    if (bytes > limits.bytes) throw tooLarge(limits);
    const read = { path: file.path, size: content.length };
    all.update(JSON.stringify([file.path, hash("sha256", content)]));
    await take(read, content);
    await nextTurn();
  }
  return { files, bytes, hidden, digest: all.digest("hex") };
}

/** Lists all files by path with their sizes, so that a directory beyond the limits is refused before it is read. */
async function listed(
  resolver: PathResolver,
  top: string,
  { limits, signal }: Pick<CollectArgs, "limits" | "signal">,
): Promise<{ readonly files: readonly FoundFile[]; readonly hidden: number }> {
  const files: FoundFile[] = [];
  const directories = [""];
  let bytes = 0;
  let hidden = 0;
  let seen = 0;
  for (const directory of directories) {
    for (const { name } of refusing(joined(top, directory), () => entriesAt(resolver, joined(top, directory)))) {
      if (name.startsWith(".")) {
        hidden += 1;
        continue;
      }
      const path = joined(directory, name);
      const entry = refusing(path, () => entryAt(resolver, top, path));
      if (entry === "directory") directories.push(path);
      else {
        files.push({ path, size: entry });
        bytes += entry;
      }
      if (files.length + directories.length > limits.files + 1) throw tooMany(limits);
      if (bytes > limits.bytes) throw tooLarge(limits);
      seen += 1;
      if (seen % TURN_ENTRIES === 0) await nextTurn();
      signal.throwIfAborted();
    }
  }
  return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), hidden };
}

/** The size of a file; throws Refusal for anything but a file or directory. */
function entryAt(resolver: PathResolver, top: string, path: string): number | "directory" {
  if (path.includes("\ufffd") || path.includes("\\")) {
    throw new Refusal(`${path}: a browser cannot request a file with this name. Rename it.`);
  }
  const { stats } = resolver.entry(joined(top, path));
  if (stats === null) throw new Refusal(`${path} no longer exists.`);
  if (stats.isDirectory()) return "directory";
  if (stats.isSymbolicLink()) {
    throw new Refusal(`${path} is a symbolic link, but a site can have only files. Replace it with a copy.`);
  }
  if (!stats.isFile()) throw new Refusal(`${path} is neither a regular file nor a directory: it cannot be published.`);
  if (stats.size > MAX_FILE_BYTES) {
    throw new Refusal(
      `${path} has ${sizeText(stats.size)}; a file of a site may have at most ${sizeText(MAX_FILE_BYTES)}.`,
    );
  }
  return stats.size;
}

function contentOf(resolver: PathResolver, top: string, { path }: FoundFile): Buffer {
  const place = resolver.entry(joined(top, path));
  const content = withFile(place, path, (fd) => readWhole(fd, path, MAX_FILE_BYTES));
  const kind = secretKind(place.relative, content);
  if (kind !== null)
    throw new Refusal(`${path} looks like ${kind}: it is not published. Take it out of the directory.`);
  return content;
}

function joined(directory: string, name: string): string {
  return directory === "" ? name : name === "" ? directory : `${directory}/${name}`;
}

function tooMany({ files }: SiteLimits): Refusal {
  return new Refusal(`The directory holds more than ${counted(files, "file")}: too many for a site.`);
}

function tooLarge({ bytes }: SiteLimits): Refusal {
  return new Refusal(`The directory holds more than ${sizeText(bytes)}: too much for a site.`);
}
