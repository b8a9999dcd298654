/** A table of texts. Rows may be shorter than the header. */
export interface Table {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const SEPARATORS = [",", ";", "\t", "|"];

/**
 * Parses CSV with quoted cells (RFC 4180), any kind of line ends, and an optional byte order mark. Columns beyond the
 * header are named by their number.
 */
export function parseCsv(written: string, asked?: string): Table {
  const text = written.replace(/^\ufeff/, "");
  const [line = "", named] = /^sep=(.)\r?\n/.exec(text) ?? []; // a hint for Excel, not a row
  const table = text.slice(line.length);
  const rows = new RowReader(table, asked ?? named ?? likelySeparator(table)).rows();
  const header = (rows[0] ?? []).map((name) => name.trim());
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  while (header.length < width) header.push(`column ${header.length + 1}`);
  return { header, rows: rows.slice(1) };
}

/** The candidate that occurs most often in the first line, not counting quoted cells. */
function likelySeparator(text: string): string {
  const [line = ""] = /^(?:"[^"]*"|[^"\r\n]+)*/.exec(text) ?? [];
  const plain = line.replace(/"[^"]*"/g, "");
  const count = (separator: string): number => plain.split(separator).length;
  return SEPARATORS.toSorted((a, b) => count(b) - count(a))[0] ?? ",";
}

class RowReader {
  readonly #text: string;
  readonly #separator: string;
  readonly #separators: Occurrences;
  readonly #quotes: Occurrences;
  readonly #newlines: Occurrences;
  readonly #returns: Occurrences;
  #at = 0;

  constructor(text: string, separator: string) {
    this.#text = text;
    this.#separator = separator;
    this.#separators = new Occurrences(text, separator);
    this.#quotes = new Occurrences(text, '"');
    this.#newlines = new Occurrences(text, "\n");
    this.#returns = new Occurrences(text, "\r");
  }

  rows(): string[][] {
    const rows: string[][] = [];
    while (this.#at < this.#text.length) {
      const row = this.#row();
      if (this.#text[this.#at] === "\r") this.#at++;
      if (this.#text[this.#at] === "\n") this.#at++;
      if (row.length > 1 || row[0] !== "") rows.push(row); // an empty line is no row
    }
    return rows;
  }

  #row(): string[] {
    const end = this.#lineEnd();
    if (this.#quotes.from(this.#at) >= end) return this.#upTo(end).split(this.#separator);
    const row = [this.#cell()];
    while (this.#text[this.#at] === this.#separator) {
      this.#at++;
      row.push(this.#cell());
    }
    return row;
  }

  #cell(): string {
    const quoted = this.#text[this.#at] === '"' ? this.#quoted() : "";
    return quoted + this.#upTo(Math.min(this.#separators.from(this.#at), this.#lineEnd()));
  }

  #lineEnd(): number {
    return Math.min(this.#newlines.from(this.#at), this.#returns.from(this.#at));
  }

  #upTo(end: number): string {
    const part = this.#text.slice(this.#at, end);
    this.#at = end;
    return part;
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

/**
 * Finds where a text occurs next. Remembers it, so that a whole text takes linear time, and leaves the search to the
 * engine, since a loop over characters takes several times as long.
 */
class Occurrences {
  readonly #text: string;
  readonly #part: string;
  #next = -1;

  constructor(text: string, part: string) {
    this.#text = text;
    this.#part = part;
  }

  /** The first index at or after this one, which must not be smaller than before; the text's length if there is none. */
  from(at: number): number {
    if (this.#next < at) {
      const found = this.#text.indexOf(this.#part, at);
      this.#next = found < 0 ? this.#text.length : found;
    }
    return this.#next;
  }
}
