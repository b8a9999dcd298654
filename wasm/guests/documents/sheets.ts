import { csvLine } from "./csv.ts";
import { DocumentWriter } from "./document-writer.ts";
import { type DocumentPackage, visitStarts } from "./package-files.ts";
import { attributeOf, type Tag, visitXml, type XmlVisitor } from "./xml.ts";

/** The values of an Excel workbook, sheet by sheet. `main` is the path of its main part. Source: ECMA-376-1, 18. */
export function workbookText(files: DocumentPackage, main: string): string {
  const writer = new DocumentWriter();
  const relations = files.relationsOf(main);
  const values: Values = {
    shared: sharedStrings(files.text(files.related(main, "sharedStrings"))),
    dates: dateStyles(files.text(files.related(main, "styles"))),
    startsIn1904: false,
  };
  visitStarts(files.text(main), (tag) => {
    if (tag.name === "workbookPr") values.startsIn1904 = ["1", "true"].includes(attributeOf(tag, "date1904") ?? "");
    const sheet = tag.name === "sheet" ? relations.get(attributeOf(tag, ":id") ?? "") : undefined;
    if (sheet === undefined || sheet.type === "chartsheet") return;
    const state = attributeOf(tag, "state") ?? "visible";
    writer.block(`## Sheet ${attributeOf(tag, "name")}${state === "visible" ? "" : " (hidden)"}`);
    const visitor = new SheetVisitor(writer, values);
    visitXml(files.text(sheet.target), visitor);
    writer.block(visitor.finish());
  });
  return writer.finish();
}

interface Values {
  readonly shared: readonly string[];
  /** Formats of cells that show a number as a date or a time. */
  readonly dates: ReadonlySet<number>;
  startsIn1904: boolean;
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

/** Built-in formats of dates and times (ECMA-376-1, 18.8.30), with those of East Asian languages. */
function isBuiltInDate(format: number): boolean {
  return (
    (format >= 14 && format <= 22) ||
    (format >= 27 && format <= 36) ||
    (format >= 45 && format <= 47) ||
    (format >= 50 && format <= 58)
  );
}

function dateStyles(xml: Iterable<string>): Set<number> {
  const dates = new Set<number>();
  const formats = new Set<string>();
  let isList = false;
  let index = 0;
  visitXml(xml, {
    start: (tag) => {
      const format = attributeOf(tag, "numFmtId") ?? "";
      if (tag.name === "numFmt" && isDateFormat(attributeOf(tag, "formatCode") ?? "")) formats.add(format);
      else if (tag.name === "cellXfs") isList = true;
      else if (tag.name === "xf" && isList) {
        if (formats.has(format) || isBuiltInDate(Number(format))) dates.add(index);
        index++;
      }
    },
    end: (name) => {
      if (name === "cellXfs") isList = false;
    },
    text: () => undefined,
  });
  return dates;
}

/** A format with letters of dates outside of its quoted texts, colours and conditions. */
function isDateFormat(code: string): boolean {
  const [positive = ""] = code.split(";");
  return /[ymdhs]/i.test(positive.replace(/"[^"]*"|\\.|_.|\[(?![hms]+\])[^[\]]*\]|general/gi, ""));
}

class SheetVisitor implements XmlVisitor {
  readonly #writer: DocumentWriter;
  readonly #values: Values;
  readonly #lines: string[] = [];
  #row = 0;
  #lastRow = 0;
  #cells: string[] = [];
  #column = -1;
  #type = "";
  #style = 0;
  #value = "";
  #formula = "";
  #reading = "";

  constructor(writer: DocumentWriter, values: Values) {
    this.#writer = writer;
    this.#values = values;
  }

  start(tag: Tag): void {
    if (tag.name === "c") this.#startCell(tag);
    else if (tag.name === "row") this.#startRow(tag);
    else if (tag.name === "v" || tag.name === "f" || tag.name === "t") this.#reading = tag.name;
  }

  #startRow(tag: Tag): void {
    this.#row = Number(attributeOf(tag, "r") ?? this.#row + 1);
    this.#cells = [];
    this.#column = -1;
  }

  #startCell(tag: Tag): void {
    this.#column = columnOf(attributeOf(tag, "r")) ?? this.#column + 1;
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
    const value = this.#value === "" && this.#formula !== "" ? `=${this.#formula}` : this.#shown();
    if (value !== "") this.#cells[this.#column] = this.#writer.counted(value);
  }

  #shown(): string {
    const value = this.#value;
    if (this.#type === "s") return this.#values.shared[Number(value)] ?? "";
    if (this.#type === "b") return value === "1" ? "TRUE" : "FALSE";
    const number = Number(value);
    if (this.#type !== "n" || value === "" || Number.isNaN(number)) return value;
    if (this.#values.dates.has(this.#style)) return dateText(number, this.#values.startsIn1904);
    // Excel calculates with fifteen digits and stores the rounding errors of binary numbers.
    return String(Number(number.toPrecision(15)));
  }

  #endRow(): void {
    if (this.#cells.length === 0) return;
    if (this.#lastRow !== 0 && this.#row > this.#lastRow + 1) this.#lines.push("");
    this.#lastRow = this.#row;
    this.#lines.push(this.#writer.counted(csvLine(this.#cells)));
  }

  finish(): string {
    return this.#lines.length === 0 ? "(empty)" : this.#lines.join("\n");
  }
}

/** Index of the column of a reference such as "AB12"; null if it is none, or past Excel's last column. */
function columnOf(reference: string | null): number | null {
  const letters = /^[A-Z]{1,3}(?=\d)/.exec(reference ?? "")?.[0];
  if (letters === undefined) return null;
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column > 16_384 ? null : column - 1;
}

/** A day count of Excel as a date, a time, or both. The calendar of 1900 has a 29 February, which never was. */
function dateText(days: number, startsIn1904: boolean): string {
  const dayZero = startsIn1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, days < 60 ? 31 : 30);
  const date = new Date(dayZero + Math.round(days * 86_400) * 1_000);
  if (Number.isNaN(date.getTime()) || days < 0) return String(days);
  const [day = "", time = ""] = date.toISOString().slice(0, 19).split("T");
  if (days < 1) return time;
  return days % 1 === 0 ? day : `${day} ${time}`;
}
