import { hash } from "node:crypto";
import path from "node:path";
import type { AttachmentPlace, SavedAttachment } from "../core/input/attached-files.ts";
import type { Log } from "../core/protocol/log.ts";
import { isInstructionFile } from "./instructions/instruction-files.ts";
import { instructionFileCheck } from "./instructions/protected-files.ts";
import { allocatedBytes } from "./quotas/disk-usage.ts";
import { QuotaExceeded } from "./quotas/quota-meter.ts";
import type { Quotas } from "./quotas/quotas.ts";
import { PathResolver, withFile } from "./wasm/workspace/path-resolver.ts";
import { hashFile } from "./wasm/workspace/read-file.ts";
import { replaceFile } from "./wasm/workspace/replace-file.ts";

export interface AttachmentFile {
  readonly place: AttachmentPlace;
  /** File name as given by the platform; only its last path segment is used. */
  readonly name: string;
  readonly data: Uint8Array;
  readonly log: Log;
  /** If absent, no quota applies. */
  readonly quotas?: Pick<Quotas, "ready" | "take"> | undefined;
}

/** Maximum bytes of a sandbox file name in UTF-8. File systems allow 255, and a digest may be appended. */
const NAME_BYTES = 150;

/**
 * Saves a person's attachment beneath `attachments/` of the sandbox root, through the same verified paths as the tools.
 * Returns its relative path, why there is no room, or null if it cannot be written there. Equal content under an equal
 * name is stored once; different content gets a name of its own.
 */
export async function saveAttachment({ place, name, data, log, quotas }: AttachmentFile): Promise<SavedAttachment> {
  const { sandboxRoot } = place;
  const growth = { ...place, root: sandboxRoot };
  await quotas?.ready(growth);
  // Patterns that the settings guard are not passed here: they restrict tools, and this file is a person's own.
  const instructs = instructionFileCheck(sandboxRoot);
  const digest = hash("sha256", data);
  try {
    using resolver = new PathResolver(sandboxRoot);
    for (const candidate of candidates(name, digest)) {
      const target = resolver.make(candidate);
      // A link in the path may lead to an instruction file.
      if (instructs(candidate) || instructs(target.relative)) return null;
      if (target.stats === null) {
        quotas?.take(growth, allocatedBytes(data.byteLength));
        replaceFile(target, candidate, { content: data, before: null });
        return candidate;
      }
      if (target.stats.isFile() && withFile(target, candidate, hashFile) === digest) return candidate;
    }
    return null;
  } catch (error) {
    if (error instanceof QuotaExceeded) return { refused: error.payload };
    log.warn({ err: error, name }, "attachment_not_saved");
    return null;
  }
}

/** The plain name, and the name with the content's digest as a fallback. */
function candidates(name: string, digest: string): string[] {
  const plain = safeName(name);
  const { name: stem, ext } = path.parse(plain);
  return [`attachments/${plain}`, `attachments/${stem}-${digest.slice(0, 8)}${ext}`];
}

/** Control characters, direction marks and invisible characters. Joiners within emoji and between letters are kept. */
// oxlint-disable-next-line no-control-regex -- control characters are what is removed
const UNSEEN = /[\u0000-\u001f\u007f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/**
 * Makes a file name without directories or leading dots, short enough for file systems, and no instruction file.
 * Normalises the spelling to the one a model writes: macOS decomposes accents and puts a narrow space into screenshot
 * names.
 */
function safeName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? "";
  const clean = last
    .replace(UNSEEN, "")
    .normalize("NFC")
    .replace(/\s/g, " ")
    .trim()
    .replace(/^[. ]+/, "");
  const { name: stem, ext } = path.parse(clean.toWellFormed());
  const plain = `${cut(stem, NAME_BYTES) || "file"}${cut(ext, 20)}`;
  return isInstructionFile(plain) ? `attached-${plain}` : plain;
}

/** Truncates to a number of UTF-8 bytes, at a character boundary. */
function cut(text: string, bytes: number): string {
  let whole = "";
  for (const character of text) {
    if (Buffer.byteLength(whole + character) > bytes) break;
    whole += character;
  }
  return whole;
}
