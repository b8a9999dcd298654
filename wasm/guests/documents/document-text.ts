import { Refusal } from "../workspace.ts";
import { DocumentWriter, Enough } from "./document-writer.ts";
import { openDocumentText } from "./open-document.ts";
import { openSheetsText } from "./open-sheets.ts";
import { DocumentPackage, visitStarts } from "./package-files.ts";
import { workbookText } from "./sheets.ts";
import { presentationText } from "./slides.ts";
import { wordText } from "./word.ts";

export interface DocumentText {
  /** Such as "Word document". */
  readonly kind: string;
  /** Markdown, or CSV for each sheet. */
  readonly text: string;
}

/** The first bytes of Office's formats before 2007, and of newer documents that are encrypted with a password. */
const COMPOUND_FILE = [0xd0, 0xcf, 0x11, 0xe0];

const UNFINISHED = "[The rest of this document is too large to be shown.]";

/** A kind of document, and what writes its text. */
type Reader = readonly [kind: string, write: (writer: DocumentWriter, files: DocumentPackage, main: string) => void];

/** Readers by the root element of the main part. */
const OFFICE: ReadonlyMap<string, Reader> = new Map([
  ["document", ["Word document", wordText]],
  ["workbook", ["workbook", workbookText]],
  ["presentation", ["presentation", presentationText]],
]);

/** Readers by the end of the media type. */
const OPEN: ReadonlyMap<string, Reader> = new Map([
  ["text", ["text document", openDocumentText]],
  ["spreadsheet", ["workbook", openSheetsText]],
  ["presentation", ["presentation", openDocumentText]],
]);

/**
 * The text of an office document, about so many characters of it; null for another file. Throws a Refusal for one that
 * cannot be read.
 */
export function documentText(bytes: Uint8Array, chars: number): DocumentText | null {
  if (COMPOUND_FILE.every((byte, at) => bytes[at] === byte)) {
    throw new Refusal(
      "This document has the format of Office before 2007, or is protected with a password. Ask for it without a password, saved as .docx, .xlsx or .pptx.",
    );
  }
  try {
    // Cells count twice: alone, and in their row.
    return textIn(bytes, new DocumentWriter(2 * chars));
  } catch (error) {
    if (error instanceof Refusal) throw error;
    // Without memory for an error, null is thrown.
    const why = error instanceof Error ? error.message : "out of memory";
    if (why.includes("out of memory")) throw new Refusal("This document is too large to show. Ask for a part of it.");
    throw new Refusal(`This document is damaged or incomplete (${why.replace(/\.$/, "")}). Ask for it once more.`);
  }
}

function textIn(bytes: Uint8Array, writer: DocumentWriter): DocumentText | null {
  const files = DocumentPackage.open(bytes);
  const main = files?.related("", "officeDocument") ?? "";
  const reader = files === null ? undefined : (openReader(files) ?? officeReader(files, main));
  if (files === null || reader === undefined) return null;
  const [kind, write] = reader;
  try {
    write(writer, files, main);
    return { kind, text: writer.finish() };
  } catch (error) {
    if (!(error instanceof Enough)) throw error;
    return { kind, text: `${writer.finish()}\n\n${UNFINISHED}` };
  }
}

function openReader(files: DocumentPackage): Reader | undefined {
  const type = /^application\/vnd\.oasis\.opendocument\.([a-z]+)/.exec([...files.text("mimetype")].join(""));
  visitStarts(type === null ? [] : files.text("META-INF/manifest.xml"), ({ name }) => {
    if (name === "encryption-data") {
      throw new Refusal("This document is protected with a password. Ask for it without one.");
    }
  });
  return OPEN.get(type?.[1] ?? "");
}

function officeReader(files: DocumentPackage, main: string): Reader | undefined {
  if (main.endsWith(".bin")) throw new Refusal("This workbook has Excel's binary format. Ask for it saved as .xlsx.");
  let root = "";
  visitStarts([...files.text(main)].slice(0, 1), ({ name }) => {
    root ||= name;
  });
  return OFFICE.get(root);
}
