import { unzipSync } from "fflate";
import { Refusal } from "../workspace.ts";
import { attributeOf, type Tag, visitXml } from "./xml.ts";

/** Maximum bytes of all that is unpacked of a document, which bounds the time. */
const MAX_BYTES = 67_108_864;

/** Bytes decoded at a time. */
const PIECE = 262_144;

/** A file of the package that another one names. */
export interface Relation {
  /** The last word of the type's address, such as "hyperlink". */
  readonly type: string;
  /** A path in the package, or an address outside. */
  readonly target: string;
}

/** The files of an office document, a ZIP archive. Each is unpacked when it is read, which bounds memory. */
export class DocumentPackage {
  readonly #archive: Uint8Array;
  #unpackedBytes = 0;

  /** Null if the bytes are no archive. */
  static open(bytes: Uint8Array): DocumentPackage | null {
    return bytes[0] === 0x50 && bytes[1] === 0x4b ? new DocumentPackage(bytes) : null;
  }

  private constructor(archive: Uint8Array) {
    this.#archive = archive;
  }

  /** The text of a file in pieces; none without it. Throws if the archive is damaged, and a Refusal if it is too large. */
  *text(path: string): Generator<string> {
    const key = keyOf(path);
    const found = unzipSync(this.#archive, {
      filter: ({ name, originalSize }) => {
        if (keyOf(name) !== key) return false;
        this.#unpackedBytes += originalSize;
        if (this.#unpackedBytes <= MAX_BYTES) return true;
        throw new Refusal("This document is too large to show: more than 64 MB unpacked.");
      },
    });
    const [bytes = new Uint8Array()] = Object.values(found);
    const decoder = new TextDecoder();
    for (let at = 0; at < bytes.length; at += PIECE) {
      yield decoder.decode(bytes.subarray(at, at + PIECE), { stream: true });
    }
  }

  /** What a file names, by the identifiers that it uses for them. Source: ECMA-376-2, 9.3. */
  relationsOf(path: string): ReadonlyMap<string, Relation> {
    const slash = path.lastIndexOf("/") + 1;
    const relations = new Map<string, Relation>();
    visitStarts(this.text(`${path.slice(0, slash)}_rels/${path.slice(slash)}.rels`), (tag) => {
      const target = attributeOf(tag, "Target");
      if (target === null) return;
      relations.set(attributeOf(tag, "Id") ?? "", {
        type: (attributeOf(tag, "Type") ?? "").split("/").at(-1) ?? "",
        target: attributeOf(tag, "TargetMode") === "External" ? target : resolved(path.slice(0, slash), target),
      });
    });
    return relations;
  }

  /** Path of the first file that has this relation with the one at the path; "" without one. */
  related(path: string, type: string): string {
    return [...this.relationsOf(path).values()].find((relation) => relation.type === type)?.target ?? "";
  }
}

export function visitStarts(xml: Iterable<string>, start: (tag: Tag) => void): void {
  visitXml(xml, { start, end: () => undefined, text: () => undefined });
}

/** Names are compared without their case (ECMA-376-2, 6.2.2.3); some programs write the separators of Windows. */
function keyOf(path: string): string {
  return path.replaceAll("\\", "/").replace(/^\//, "").toLowerCase();
}

function resolved(folder: string, target: string): string {
  if (target.startsWith("/")) return target.slice(1);
  const names = folder.split("/").slice(0, -1);
  for (const name of target.split("/")) {
    if (name === "..") names.pop();
    else if (name !== ".") names.push(name);
  }
  return names.join("/");
}
