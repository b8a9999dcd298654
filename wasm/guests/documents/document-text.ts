import { Refusal } from "../workspace.ts";
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

type Reader = (files: DocumentPackage, main: string) => string;

/** Kinds of documents and their readers by the root element of the main part. */
const OFFICE: ReadonlyMap<string, readonly [kind: string, read: Reader]> = new Map([
  ["document", ["Word document", wordText]],
  ["workbook", ["workbook", workbookText]],
  ["presentation", ["presentation", presentationText]],
]);

/** The text of an office document; null for another file. Throws a Refusal for one that cannot be read. */
export function documentText(bytes: Uint8Array): DocumentText | null {
  if (COMPOUND_FILE.every((byte, at) => bytes[at] === byte)) {
    throw new Refusal(
      "This document has the format of Office before 2007, or is protected with a password. Ask for it without a password, saved as .docx, .xlsx or .pptx.",
    );
  }
  try {
    const files = DocumentPackage.open(bytes);
    return files === null ? null : (openDocument(files) ?? officeDocument(files));
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(`This document is damaged: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

function openDocument(files: DocumentPackage): DocumentText | null {
  const type = /^application\/vnd\.oasis\.opendocument\.(text|spreadsheet|presentation)/.exec(
    [...files.text("mimetype")].join(""),
  );
  if (type === null) return null;
  if (type[1] === "spreadsheet") return { kind: "workbook", text: openSheetsText(files.text("content.xml")) };
  return { kind: type[1] === "text" ? "text document" : "presentation", text: openDocumentText(files) };
}

function officeDocument(files: DocumentPackage): DocumentText | null {
  const main = files.related("", "officeDocument");
  let root = "";
  visitStarts([...files.text(main)].slice(0, 1), ({ name }) => {
    root ||= name;
  });
  const found = OFFICE.get(root);
  return found === undefined ? null : { kind: found[0], text: found[1](files, main) };
}
