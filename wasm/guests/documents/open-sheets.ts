import { csvLine } from "./csv.ts";
import type { DocumentWriter } from "./document-writer.ts";
import type { DocumentPackage } from "./package-files.ts";
import { emptyRows } from "./sheet-parts.ts";
import { attributeOf, type Tag, visitXml, type XmlVisitor } from "./xml.ts";

/** The values of an OpenDocument spreadsheet. Source: OASIS OpenDocument 1.3, part 3, 9. */
export function openSheetsText(writer: DocumentWriter, files: DocumentPackage): void {
  visitXml(files.text("content.xml"), new OpenSheetsVisitor(writer));
}

/** The value of a cell whose text shows it in the author's language and format; null if its text is its value. */
function valueOf(tag: Tag): string | null {
  const type = attributeOf(tag, "value-type");
  const value = attributeOf(tag, ":value");
  if (value === null)
    return (
      plainTime(attributeOf(tag, "date-value") ?? attributeOf(tag, "time-value")) ?? attributeOf(tag, "boolean-value")
    );
  if (type === "percentage") return `${Number((Number(value) * 100).toPrecision(15))}%`;
  const currency = attributeOf(tag, "currency");
  return currency === null ? value : `${value} ${currency}`;
}

/** 2024-05-01T08:30:00 with a space, and PT08H30M00S as 08:30:00. */
function plainTime(value: string | null): string | null {
  return value?.replace(/^PT(\d+)H(\d+)M(\d+)(?:[.,]\d+)?S$/, "$1:$2:$3").replace(/(?<=\d)T(?=\d)/, " ") ?? null;
}

class OpenSheetsVisitor implements XmlVisitor {
  readonly #writer: DocumentWriter;
  #cells: string[] = [];
  #text = "";
  /** The value of the open cell; null if its text is its value. */
  #value: string | null = null;
  #paragraphs = 0;
  #isComment = false;
  /** Who commented the open cell, and what. */
  #comment = "";
  #isSkipped = false;
  /** The style being read, and those of hidden sheets. */
  #style = "";
  readonly #hidden = new Set<string>();
  #row = 0;
  #lastRow = 0;
  /** How often the open row, and the open cell, is repeated. */
  #rows = 1;
  #columns = 1;
  /** Empty columns before the next value. */
  #gap = 0;

  constructor(writer: DocumentWriter) {
    this.#writer = writer;
  }

  start(tag: Tag): void {
    const { name } = tag;
    if (name === "table") this.#startTable(tag);
    else if (name === "table-row") this.#startRow(tag);
    else if (name === "table-cell" || name === "covered-table-cell") this.#startCell(tag);
    else if (name === "annotation") this.#isComment = true;
    else if (name === "p" && this.#isComment) this.#comment += " ";
    else if (name === "p" && this.#paragraphs++ > 0) this.#text += "\n";
    else if (name === "s") this.#text += " ";
    else if (name === "date" || name === "creator-initials") this.#isSkipped = true;
    else if (name === "style") this.#style = attributeOf(tag, ":name") ?? "";
    else if (name === "table-properties" && attributeOf(tag, "display") === "false") this.#hidden.add(this.#style);
  }

  #startTable(tag: Tag): void {
    this.#row = 0;
    this.#lastRow = 0;
    const isHidden = this.#hidden.has(attributeOf(tag, "style-name") ?? "");
    this.#writer.block(`## Sheet ${attributeOf(tag, ":name")}${isHidden ? " (hidden)" : ""}`);
  }

  #startRow(tag: Tag): void {
    this.#rows = Number(attributeOf(tag, "number-rows-repeated") ?? 1);
    this.#cells = [];
    this.#gap = 0;
  }

  #startCell(tag: Tag): void {
    this.#columns = Number(attributeOf(tag, "number-columns-repeated") ?? 1);
    this.#value = valueOf(tag);
    this.#comment = "";
    this.#text = "";
    this.#paragraphs = 0;
  }

  end(name: string): void {
    if (name === "annotation") this.#isComment = false;
    else if (name === "creator") this.#comment += ":";
    else if (name === "date" || name === "creator-initials") this.#isSkipped = false;
    else if (name === "table-cell" || name === "covered-table-cell") this.#endCell();
    else if (name === "table-row") this.#endRow();
    else if (name === "table" && this.#lastRow === 0) this.#writer.line("(empty)");
  }

  text(text: string): void {
    if (this.#isComment && !this.#isSkipped) this.#comment += text;
    else if (this.#paragraphs > 0 && !this.#isComment) this.#text += text;
  }

  #endCell(): void {
    const comment = this.#comment === "" ? "" : `[comment: ${this.#comment.trim()}]`;
    const value = [this.#value ?? this.#text, comment].filter((part) => part !== "").join(" ");
    if (value === "") {
      this.#gap += this.#columns;
      return;
    }
    for (; this.#gap > 0; this.#gap--) this.#cells.push(this.#writer.counted(""));
    for (let count = 0; count < this.#columns; count++) this.#cells.push(this.#writer.counted(value));
  }

  #endRow(): void {
    const first = this.#row + 1;
    this.#row += this.#rows;
    if (this.#cells.length === 0) return;
    if (first > this.#lastRow + 1) this.#writer.line(emptyRows(this.#lastRow, first));
    const line = csvLine(this.#cells);
    for (let row = 0; row < this.#rows; row++) this.#writer.line(line);
    this.#lastRow = this.#row;
  }
}
