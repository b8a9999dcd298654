import { awkPattern } from "./patterns.ts";

/** Records of one text, which are found one after the other, because the separator may change meanwhile. */
export class Records {
  readonly #text: string;
  #at = 0;
  /** What ended the last record. */
  terminator = "";

  constructor(text: string) {
    this.#text = text;
  }

  next(separator: string): string | null {
    if (this.#at >= this.#text.length) return null;
    if (separator.length === 1) return this.#until(this.#text.indexOf(separator, this.#at), separator);
    if (separator === "") return this.#paragraph();
    const pattern = awkPattern(separator, "g");
    pattern.lastIndex = this.#at;
    let found = pattern.exec(this.#text);
    while (found?.[0] === "") {
      pattern.lastIndex += 1;
      found = pattern.exec(this.#text);
    }
    return this.#until(found?.index ?? -1, found?.[0] ?? "");
  }

  #until(end: number, terminator: string): string {
    const to = end === -1 ? this.#text.length : end;
    const record = this.#text.slice(this.#at, to);
    this.terminator = end === -1 ? "" : terminator;
    this.#at = to + this.terminator.length;
    return record;
  }

  /** Records between empty lines. */
  #paragraph(): string | null {
    while (this.#text.charAt(this.#at) === "\n") this.#at += 1;
    if (this.#at >= this.#text.length) return null;
    const end = this.#text.indexOf("\n\n", this.#at);
    const isLast = end === -1;
    const last = this.#text.endsWith("\n") ? "\n" : "";
    if (isLast) return this.#until(last === "" ? -1 : this.#text.length - 1, last);
    const [lines = ""] = /\n+/.exec(this.#text.slice(end, end + 1000)) ?? [];
    return this.#until(end, lines);
  }
}

const ASSIGNMENT = /^([A-Za-z_]\w*)=([^]*)$/;

export interface Operands {
  /** The operands, by number, which the program may change. */
  readonly operands: () => readonly string[];
  /** The text of a file, or of standard input for `-`; null, after a complaint, if it cannot be read. */
  readonly read: (name: string) => Promise<string | null>;
  readonly assign: (name: string, text: string) => void;
  readonly begun: (name: string, operand: number) => Promise<void>;
  readonly ended: () => Promise<void>;
}

/** The main input: the records of the operands that name files, or of standard input if there are none. */
export class Input {
  readonly #given: Operands;
  #operand = 0;
  #records: Records | null = null;
  #hasRead = false;
  #isSkipped = false;

  constructor(given: Operands) {
    this.#given = given;
  }

  get terminator(): string {
    return this.#records?.terminator ?? "";
  }

  /** Opens the next file unless one is open; false if there is none. */
  async open(): Promise<boolean> {
    while (this.#records === null) {
      const found = this.#nextOperand();
      if (found === null) return false;
      this.#isSkipped = false;
      const text = await this.#given.read(found);
      if (text === null) continue;
      this.#records = new Records(text);
      await this.#given.begun(found === "-" && this.#operand === 0 ? "" : found, this.#operand);
    }
    return true;
  }

  #nextOperand(): string | null {
    const operands = this.#given.operands();
    while (++this.#operand < operands.length) {
      const operand = operands[this.#operand] ?? "";
      const [, name, text = ""] = ASSIGNMENT.exec(operand) ?? [];
      if (name !== undefined) this.#given.assign(name, text);
      else if (operand !== "") {
        this.#hasRead = true;
        return operand;
      }
    }
    if (this.#hasRead) return null;
    this.#hasRead = true;
    this.#operand = 0;
    return "-";
  }

  next(separator: string): string | null {
    return this.#records?.next(separator) ?? null;
  }

  skipFile(): void {
    this.#records = new Records("");
    this.#isSkipped = true;
  }

  /** Whether the file that could not be read is skipped. */
  takeSkip(): boolean {
    const isSkipped = this.#isSkipped;
    if (isSkipped) this.#records = null;
    this.#isSkipped = false;
    return isSkipped;
  }

  async close(): Promise<void> {
    this.#records = null;
    await this.#given.ended();
    if (this.#operand === 0) this.#operand = Number.POSITIVE_INFINITY;
  }
}
