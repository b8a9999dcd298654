import { csvLine } from "./csv.ts";
import { DocumentWriter } from "./document-writer.ts";
import { attributeOf, type Tag, visitXml, type XmlVisitor } from "./xml.ts";

/** The values of an OpenDocument spreadsheet, by its content.xml. Source: OASIS OpenDocument 1.3, part 3, 9. */
export function openSheetsText(xml: Iterable<string>): string {
  const writer = new DocumentWriter();
  visitXml(xml, new OpenSheetsVisitor(writer));
  return writer.finish();
}

/** Attributes with the value of a cell whose text shows it in the author's language and format. */
const VALUES = ["value", "date-value", "time-value", "boolean-value"];

class OpenSheetsVisitor implements XmlVisitor {
  readonly #writer: DocumentWriter;
  #lines: string[] = [];
  #cells: string[] = [];
  #text = "";
  /** The value of the open cell; null if its text is its value. */
  #value: string | null = null;
  #paragraphs = 0;
  #isComment = false;
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
    else if (name === "p" && !this.#isComment && this.#paragraphs++ > 0) this.#text += "\n";
    else if (name === "s") this.#text += " ";
  }

  #startTable(tag: Tag): void {
    this.#lines = [];
    this.#writer.block(`## Sheet ${attributeOf(tag, "name")}`);
  }

  #startRow(tag: Tag): void {
    this.#rows = Number(attributeOf(tag, "number-rows-repeated") ?? 1);
    this.#cells = [];
    this.#gap = 0;
  }

  #startCell(tag: Tag): void {
    this.#columns = Number(attributeOf(tag, "number-columns-repeated") ?? 1);
    this.#value = VALUES.map((name) => attributeOf(tag, `:${name}`)).find((value) => value !== null) ?? null;
    this.#text = "";
    this.#paragraphs = 0;
  }

  end(name: string): void {
    if (name === "annotation") this.#isComment = false;
    else if (name === "table-cell" || name === "covered-table-cell") this.#endCell();
    else if (name === "table-row") this.#endRow();
    else if (name === "table") this.#writer.block(this.#lines.length === 0 ? "(empty)" : this.#lines.join("\n"));
  }

  text(text: string): void {
    if (this.#paragraphs > 0 && !this.#isComment) this.#text += text;
  }

  #endCell(): void {
    const value = this.#value ?? this.#text;
    if (value === "") {
      this.#gap += this.#columns;
      return;
    }
    for (; this.#gap > 0; this.#gap--) this.#cells.push(this.#writer.counted(""));
    for (let count = 0; count < this.#columns; count++) this.#cells.push(this.#writer.counted(value));
  }

  #endRow(): void {
    const line = csvLine(this.#cells);
    if (line === "" && (this.#lines.length === 0 || this.#lines.at(-1) === "")) return;
    const count = line === "" ? 1 : this.#rows;
    for (let row = 0; row < count; row++) this.#lines.push(this.#writer.counted(line));
  }
}
