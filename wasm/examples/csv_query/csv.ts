/** A table of texts. Rows may be shorter than the header. */
export interface Table {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const SEPARATORS = [",", ";", "\t", "|"];

/** Parses CSV with quoted cells (RFC 4180), any kind of line ends, and an optional byte order mark. */
export function parseCsv(written: string, asked?: string): Table {
  const text = written.replace(/^\ufeff/, "");
  const [line = "", named] = /^sep=(.)\r?\n/.exec(text) ?? []; // a hint for Excel, not a row
  const table = text.slice(line.length);
  const cells = new CellReader(table, asked ?? named ?? likelySeparator(table));
  const [header = [], ...rows] = cells.rows();
  return { header: header.map((name) => name.trim()), rows };
}

/** The candidate that occurs most often in the first line. */
function likelySeparator(text: string): string {
  const line = text.slice(0, text.search(/[\r\n]|$/));
  const count = (separator: string): number => line.split(separator).length;
  return SEPARATORS.toSorted((a, b) => count(b) - count(a))[0] ?? ",";
}

class CellReader {
  readonly #text: string;
  readonly #separator: string;
  #at = 0;

  constructor(text: string, separator: string) {
    this.#text = text;
    this.#separator = separator;
  }

  rows(): string[][] {
    const rows: string[][] = [];
    while (this.#at < this.#text.length) {
      const row = this.#row();
      if (row.length > 1 || row[0] !== "") rows.push(row); // an empty line is no row
    }
    return rows;
  }

  #row(): string[] {
    const row = [this.#cell()];
    while (this.#text[this.#at] === this.#separator) {
      this.#at++;
      row.push(this.#cell());
    }
    if (this.#text[this.#at] === "\r") this.#at++;
    if (this.#text[this.#at] === "\n") this.#at++;
    return row;
  }

  #cell(): string {
    const quoted = this.#text[this.#at] === '"' ? this.#quoted() : "";
    const start = this.#at;
    while (this.#at < this.#text.length && !this.#endsCell()) this.#at++;
    return quoted + this.#text.slice(start, this.#at);
  }

  #endsCell(): boolean {
    const character = this.#text[this.#at];
    return character === this.#separator || character === "\n" || character === "\r";
  }

  /** Reads a quoted cell. Two quotes inside it stand for one, and an unclosed quote extends to the end. */
  #quoted(): string {
    const parts: string[] = [];
    for (let start = this.#at + 1; ; ) {
      const end = this.#text.indexOf('"', start);
      this.#at = end < 0 ? this.#text.length : end + 1;
      parts.push(this.#text.slice(start, end < 0 ? undefined : end));
      if (this.#text[this.#at] !== '"') return parts.join('"');
      start = this.#at + 1;
    }
  }
}
