import { csvLine } from "./csv.ts";
import type { DocumentWriter } from "./document-writer.ts";
import { drawingText } from "./drawings.ts";
import { formatsOf, ShownNumbers } from "./number-formats.ts";
import { type DocumentPackage, visitStarts } from "./package-files.ts";
import {
  bareAddress,
  commentsOf,
  emptyRows,
  extend,
  hiddenNote,
  linksOf,
  peopleOf,
  type Range,
} from "./sheet-parts.ts";
import { attributeOf, type Tag, visitXml, type XmlVisitor } from "./xml.ts";

/** The values of an Excel workbook, sheet by sheet. `main` is the path of its main part. Source: ECMA-376-1, 18. */
export function workbookText(writer: DocumentWriter, files: DocumentPackage, main: string): void {
  const relations = files.relationsOf(main);
  let startsIn1904 = false;
  let isUncalculated = false;
  const sheets: Tag[] = [];
  visitStarts(files.text(main), (tag) => {
    if (tag.name === "workbookPr") startsIn1904 = isTrue(attributeOf(tag, "date1904"));
    else if (tag.name === "calcPr") isUncalculated = isTrue(attributeOf(tag, "fullCalcOnLoad"));
    else if (tag.name === "sheet") sheets.push(tag);
  });
  const values: Values = {
    shared: sharedStrings(files.text(files.related(main, "sharedStrings"))),
    formats: formatsOf(files.text(files.related(main, "styles"))),
    numbers: new ShownNumbers(startsIn1904),
    isUncalculated,
  };
  const people = peopleOf(files.text(files.related(main, "person")));
  for (const tag of sheets) {
    const sheet = relations.get(attributeOf(tag, ":id") ?? "");
    if (sheet === undefined) continue;
    const state = attributeOf(tag, "state") ?? "visible";
    writer.block(`## Sheet ${attributeOf(tag, "name")}${state === "visible" ? "" : " (hidden)"}`);
    const visitor = new SheetVisitor(writer, values, linksOf(files, sheet.target));
    visitXml(files.text(sheet.target), visitor);
    const path = files.related(sheet.target, "drawing");
    const drawing = drawingText({ files, relations: files.relationsOf(path), isWorkbook: true }, path);
    const about = [...visitor.hidden(), ...commentsOf(files, sheet.target, people), drawing];
    if (visitor.isEmpty && about.every((text) => text === "")) writer.line("(empty)");
    for (const text of about) writer.line(text);
  }
}

interface Values {
  readonly shared: readonly string[];
  /** Formats of numbers by the style of a cell. */
  readonly formats: readonly string[];
  readonly numbers: ShownNumbers;
  /** Whether the values of formulas are still to be calculated. Some programs write 0 for them. */
  readonly isUncalculated: boolean;
}

function isTrue(value: string | null): boolean {
  return value === "1" || value === "true";
}

function sharedStrings(xml: Iterable<string>): string[] {
  const strings: string[] = [];
  let text = "";
  let isText = false;
  let isPhonetic = false;
  visitXml(xml, {
    start: ({ name }) => {
      if (name === "si") text = "";
      else if (name === "t") isText = !isPhonetic;
      else if (name === "rPh") isPhonetic = true;
    },
    end: (name) => {
      if (name === "si") strings.push(text.replaceAll(/_x([0-9a-f]{4})_/gi, (_, unit) => charOf(unit)));
      else if (name === "t") isText = false;
      else if (name === "rPh") isPhonetic = false;
    },
    text: (part) => {
      if (isText) text += part;
    },
  });
  return strings;
}

/** A character that XML cannot have (ECMA-376-1, 22.9.2.19). */
function charOf(unit: string): string {
  return String.fromCharCode(Number.parseInt(unit, 16));
}

class SheetVisitor implements XmlVisitor {
  readonly #writer: DocumentWriter;
  readonly #values: Values;
  readonly #links: ReadonlyMap<string, string>;
  readonly #hiddenColumns: Range[] = [];
  readonly #hiddenRows: Range[] = [];
  #row = 0;
  #lastRow = 0;
  #cells: string[] = [];
  #column = -1;
  #reference = "";
  #type = "";
  #style = 0;
  #value = "";
  #formula = "";
  #reading = "";

  constructor(writer: DocumentWriter, values: Values, links: ReadonlyMap<string, string>) {
    this.#writer = writer;
    this.#values = values;
    this.#links = links;
  }

  start(tag: Tag): void {
    if (tag.name === "c") this.#startCell(tag);
    else if (tag.name === "row") this.#startRow(tag);
    else if (tag.name === "v" || tag.name === "f" || tag.name === "t") this.#reading = tag.name;
    else if (tag.name === "col" && isTrue(attributeOf(tag, "hidden"))) {
      extend(this.#hiddenColumns, Number(attributeOf(tag, "min")), Number(attributeOf(tag, "max")));
    }
  }

  #startRow(tag: Tag): void {
    this.#row = Number(attributeOf(tag, "r") ?? this.#row + 1);
    this.#cells = [];
    this.#column = -1;
    if (isTrue(attributeOf(tag, "hidden"))) extend(this.#hiddenRows, this.#row, this.#row);
  }

  #startCell(tag: Tag): void {
    this.#reference = attributeOf(tag, "r") ?? "";
    this.#column = columnOf(this.#reference) ?? this.#column + 1;
    this.#type = attributeOf(tag, "t") ?? "n";
    this.#style = Number(attributeOf(tag, "s") ?? 0);
    this.#value = "";
    this.#formula = "";
  }

  end(name: string): void {
    if (name === "c") this.#endCell();
    else if (name === "row") this.#endRow();
    this.#reading = "";
  }

  text(text: string): void {
    if (this.#reading === "f") this.#formula += text;
    else if (this.#reading !== "") this.#value += text;
  }

  #endCell(): void {
    const hasValue = this.#value !== "" && !(this.#values.isUncalculated && this.#value === "0");
    const value = this.#formula === "" || hasValue ? this.#shown() : `=${this.#formula}`;
    if (value === "") return;
    const link = this.#links.get(this.#reference);
    const shown = link === undefined || value.includes(bareAddress(link)) ? value : `[${value}](${link})`;
    this.#cells[this.#column] = this.#writer.counted(shown);
  }

  #shown(): string {
    const value = this.#value;
    if (value === "") return "";
    if (this.#type === "s") return this.#values.shared[Number(value)] ?? "";
    if (this.#type === "b") return value === "1" ? "TRUE" : "FALSE";
    const number = Number(value);
    if (this.#type !== "n" || Number.isNaN(number)) return value;
    return this.#values.numbers.text(number, this.#values.formats[this.#style] ?? "");
  }

  #endRow(): void {
    if (this.#cells.length === 0) return;
    if (this.#row > this.#lastRow + 1) this.#writer.line(emptyRows(this.#lastRow, this.#row));
    this.#lastRow = this.#row;
    this.#writer.line(csvLine(this.#cells));
  }

  get isEmpty(): boolean {
    return this.#lastRow === 0;
  }

  /** What people do not see of the sheet. */
  hidden(): string[] {
    return [hiddenNote("rows", this.#hiddenRows), hiddenNote("columns", this.#hiddenColumns)];
  }
}

/** Index of the column of a reference such as "AB12"; null if it is none, or past Excel's last column. */
function columnOf(reference: string): number | null {
  const letters = /^[A-Z]{1,3}(?=\d)/.exec(reference)?.[0];
  if (letters === undefined) return null;
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column > 16_384 ? null : column - 1;
}
