import { hash } from "node:crypto";
import path from "node:path";
import type { AttachmentPlace, SavedAttachment } from "../core/input/attached-files.ts";
import type { Log } from "../core/protocol/log.ts";
import { isInstructionFile } from "./instructions/instruction-files.ts";
import { instructing } from "./instructions/protected-files.ts";
import { NoRoom } from "./quotas/growth.ts";
import type { Quotas } from "./quotas/quotas.ts";
import { roomOf } from "./quotas/room.ts";
import { PathResolver, withFile } from "./wasm/workspace/path-resolver.ts";
import { hashFile } from "./wasm/workspace/read-file.ts";
import { replaceFile } from "./wasm/workspace/replace-file.ts";

export interface AttachmentFile {
  readonly place: AttachmentPlace;
  /** As the platform names it; only its last segment counts. */
  readonly name: string;
  readonly data: Uint8Array;
  readonly log: Log;
  /** Absent: there is room for everything. */
  readonly quotas?: Pick<Quotas, "ready" | "take"> | undefined;
}

/** Bytes of a file name in the sandbox, in UTF-8: file systems take 255, and a name may grow by a digest. */
const NAME_BYTES = 150;

/**
 * Keeps what a person attached beneath `attachments/` of the sandbox root, through the same verified
 * paths as the tools'. Answers its relative path, why there is no room, or null when it cannot be written there. Equal
 * content under an equal name is there once; other content gets a name of its own.
 */
export async function saveAttachment({ place, name, data, log, quotas }: AttachmentFile): Promise<SavedAttachment> {
  const { sandboxRoot } = place;
  const growth = { ...place, root: sandboxRoot };
  await quotas?.ready(growth);
  // What the settings guard besides is guarded from tools: here a person puts a file where files of people are.
  const instructs = instructing(sandboxRoot);
  const digest = hash("sha256", data);
  try {
    using resolver = new PathResolver(sandboxRoot);
    for (const candidate of candidates(name, digest)) {
      const target = resolver.make(candidate);
      // A link may lead elsewhere.
      if (instructs(candidate) || instructs(target.relative)) return null;
      if (target.stats === null) {
        quotas?.take(growth, roomOf(data.byteLength));
        replaceFile(target, candidate, { content: data, before: null });
        return candidate;
      }
      if (target.stats.isFile() && withFile(target, candidate, hashFile) === digest) return candidate;
    }
    return null;
  } catch (error) {
    if (error instanceof NoRoom) return { refused: error.payload };
    log.warn({ err: error, name }, "attachment_not_saved");
    return null;
  }
}

/** The name itself, then the name with the content's digest in it. */
function candidates(name: string, digest: string): string[] {
  const plain = safeName(name);
  const { name: stem, ext } = path.parse(plain);
  return [`attachments/${plain}`, `attachments/${stem}-${digest.slice(0, 8)}${ext}`];
}

/** Control characters, marks of direction, and what is not seen: the joiners within emoji and between letters stay. */
// oxlint-disable-next-line no-control-regex -- control characters are what is removed
const UNSEEN = /[\u0000-\u001f\u007f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/**
 * Neither a path, nor hidden, nor longer than file systems take, nor one that instructs agents. In the one spelling that
 * a model writes as well: macOS takes accents apart, and names its screenshots with a narrow blank.
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

/** At most so many bytes in UTF-8, in whole characters. */
function cut(text: string, bytes: number): string {
  let whole = "";
  for (const character of text) {
    if (Buffer.byteLength(whole + character) > bytes) break;
    whole += character;
  }
  return whole;
}
