import { Refusal } from "../text/command.ts";
import { awkPattern } from "./patterns.ts";
import { partsMatching, splitterOf } from "./split.ts";
import { inputValue, type Value } from "./values.ts";

const MAX_FIELDS = 1_000_000;

/** The present record and its fields, which are split when one is asked for. */
export class Fields {
  OFS = " ";
  #record = "";
  #parts: string[] = [];
  /** Values assigned to fields; fields of the input are texts that may look like numbers. */
  #assigned: Map<number, Value> | null = null;
  #isSplit = true;
  /** Whether the record has to be put together from its fields. */
  #isStale = false;
  readonly #toText: (value: Value) => string;
  #FS = " ";
  #FPAT = "[^[:space:]]+";
  #FIELDWIDTHS = "";
  #split: (text: string) => string[] = splitterOf(" ");
  /** How the present record is split: it does not change once the record is read. */
  #splitThis = this.#split;
  #by: "FS" | "FPAT" | "FIELDWIDTHS" = "FS";
  #isParagraph = false;

  constructor(toText: (value: Value) => string) {
    this.#toText = toText;
  }

  get FS(): string {
    return this.#FS;
  }

  set FS(text: string) {
    this.#FS = text;
    this.#by = "FS";
    this.#renew();
  }

  get FPAT(): string {
    return this.#FPAT;
  }

  set FPAT(text: string) {
    this.#FPAT = text;
    this.#by = "FPAT";
    this.#renew();
  }

  get FIELDWIDTHS(): string {
    return this.#FIELDWIDTHS;
  }

  set FIELDWIDTHS(text: string) {
    this.#FIELDWIDTHS = text;
    this.#by = "FIELDWIDTHS";
    this.#renew();
  }

  /** Where records are paragraphs, line ends separate fields as well. */
  set isParagraph(value: boolean) {
    if (value === this.#isParagraph) return;
    this.#isParagraph = value;
    this.#renew();
  }

  #renew(): void {
    if (this.#by === "FPAT") {
      const pattern = awkPattern(this.#FPAT, "g");
      this.#split = (text) => partsMatching(text, pattern).parts;
    } else if (this.#by === "FIELDWIDTHS") {
      const widths = widthsOf(this.#FIELDWIDTHS);
      this.#split = (text) => fieldsOfWidths(text, widths);
    } else this.#split = splitterOf(this.#FS, this.#isParagraph);
  }

  /** The parts of a text that `split` finds if it names no separator. */
  partsOf(text: string): string[] {
    return this.#split(text);
  }

  setRecord(text: string): void {
    this.#record = text;
    this.#isSplit = false;
    this.#isStale = false;
    this.#assigned = null;
    this.#splitThis = this.#split;
  }

  text(at: number): string {
    if (at === 0) return this.#isStale ? this.#joined() : this.#record;
    if (!this.#isSplit) this.#splitNow();
    return this.#parts[at - 1] ?? "";
  }

  value(at: number): Value {
    return this.#assigned?.get(at) ?? inputValue(this.text(at));
  }

  set(value: Value, at: number): Value {
    if (at === 0) this.setRecord(this.#toText(value));
    else {
      if (!this.#isSplit) this.#splitNow();
      if (at > this.#parts.length) this.#extend(at);
      this.#parts[at - 1] = this.#toText(value);
      this.#isStale = true;
    }
    this.#assigned ??= new Map();
    this.#assigned.set(at, value);
    return value;
  }

  count(): number {
    if (!this.#isSplit) this.#splitNow();
    return this.#parts.length;
  }

  setCount(count: number): number {
    if (!(count >= 0)) throw new Error("NF set to negative value");
    if (!this.#isSplit) this.#splitNow();
    if (count > this.#parts.length) this.#extend(count);
    else this.#parts.length = Math.trunc(count);
    this.#isStale = true;
    return count;
  }

  #extend(count: number): void {
    if (count > MAX_FIELDS) throw new Refusal(`at most ${MAX_FIELDS} fields are known here`, 2);
    while (this.#parts.length < count) this.#parts.push("");
  }

  #splitNow(): void {
    this.#parts = this.#splitThis(this.#record);
    this.#isSplit = true;
  }

  #joined(): string {
    this.#record = this.#parts.join(this.OFS);
    this.#isStale = false;
    this.#assigned?.delete(0);
    return this.#record;
  }
}

export function fieldIndex(number: number): number {
  if (number < 0) throw new Error(`attempt to access field ${Math.trunc(number)}`);
  return Math.trunc(number);
}

interface Width {
  readonly skipped: number;
  /** Characters; the last may take all that is left. */
  readonly size: number;
}

function widthsOf(text: string): Width[] {
  return (text.match(/\S+/g) ?? []).map((one) => {
    const [, skipped = "0", size] = /^(?:(\d+):)?(\d+|\*)$/.exec(one) ?? [];
    if (size === undefined) throw new Error(`invalid FIELDWIDTHS value: ${one}`);
    return { skipped: Number(skipped), size: size === "*" ? Number.POSITIVE_INFINITY : Number(size) };
  });
}

function fieldsOfWidths(text: string, widths: readonly Width[]): string[] {
  const found: string[] = [];
  let at = 0;
  for (const { skipped, size } of widths) {
    at += skipped;
    if (at >= text.length) break;
    found.push(text.slice(at, at + size));
    at += size;
  }
  return found;
}
