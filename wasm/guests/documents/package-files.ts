import { unzipSync } from "fflate";
import { Refusal } from "../workspace.ts";
import { attributeOf, type Tag, visitXml } from "./xml.ts";

/** Maximum bytes of a document's unpacked XML, which bounds memory and time. */
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

/** The XML files of an office document, a ZIP archive. */
export class DocumentPackage {
  readonly #files: ReadonlyMap<string, Uint8Array>;

  /** Null if the bytes are no archive. Throws if it is damaged, and a Refusal if it is too large. */
  static open(bytes: Uint8Array): DocumentPackage | null {
    if (bytes[0] !== 0x50 || bytes[1] !== 0x4b) return null;
    let unpackedBytes = 0;
    const files = unzipSync(bytes, {
      filter: ({ name, originalSize }) => {
        if (!/\.(?:xml|rels)$|^mimetype$/i.test(name)) return false;
        unpackedBytes += originalSize;
        if (unpackedBytes <= MAX_BYTES) return true;
        throw new Refusal("This document is too large to show: more than 64 MB unpacked.");
      },
    });
    return new DocumentPackage(new Map(Object.entries(files).map(([name, file]) => [keyOf(name), file])));
  }

  private constructor(files: ReadonlyMap<string, Uint8Array>) {
    this.#files = files;
  }

  /** The text of a file in pieces, since a whole one would not fit into a guest's memory several times. */
  *text(path: string): Generator<string> {
    const bytes = this.#files.get(keyOf(path)) ?? new Uint8Array();
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
