import type { defineCommand } from "just-bash/browser";
import { eachByte, hasByteCharacters, withByteEscapes } from "../locale.ts";
import { endIfOver } from "../stop-signal.ts";
import { Refusal } from "../text/command.ts";
import { characterCount } from "../text/width.ts";
import { substring } from "./characters.ts";
import { Fields, fieldIndex } from "./fields.ts";
import { formatted, numberText } from "./format.ts";
import { Input, type Records } from "./input.ts";
import { unescaped } from "./language/tokens.ts";
import { requireNonZero } from "./numbers.ts";
import { Pattern } from "./patterns.ts";
import { keysOf, orderOf } from "./sorting.ts";
import { reasonOf, Streams } from "./streams.ts";
import { type Elements, inputValue, isElements, isTrue, Numeral, numberOf, UNSET, type Value } from "./values.ts";

export type Context = Parameters<Parameters<typeof defineCommand>[1]>[1];

/** Rules of one kind, translated. */
type Rules =
  | { readonly waits: true; readonly run: () => Promise<void> }
  | { readonly waits: false; readonly run: () => void };

/** A translated program. */
export interface Translated extends Partial<Record<"BEGIN" | "END" | "BEGINFILE" | "ENDFILE" | "record", Rules>> {
  readonly functions: ReadonlyMap<string, (...args: readonly unknown[]) => Value>;
  readonly set: ReadonlyMap<string, (value: Value) => unknown>;
}

/** Ends the program. */
class Exit extends Error {}

/** What `next` throws within a function. */
export const NEXT = new Error("next");

/** Texts below compare as numbers, unless one of both is a text. */
type Operand = number | string;

/** The state of a running program that is not its own variables. */
export class Run {
  NR = 0;
  FNR = 0;
  RSTART = 0;
  RLENGTH = -1;
  ARGIND = 0;
  ARGC = 0;
  ORS = "\n";
  SUBSEP = "\u001c";
  CONVFMT = "%.6g";
  OFMT = "%.6g";
  FILENAME = "";
  RT = "";
  ERRNO = "";
  IGNORECASE: Value = UNSET;
  readonly ARGV: Elements = new Map();
  readonly ENVIRON: Elements = new Map();
  readonly PROCINFO: Elements = new Map();
  /** What `getline` has read for a variable. */
  got = "";
  readonly fields: Fields;
  readonly streams: Streams;
  readonly input: Input;
  readonly textOf: (value: unknown) => string;
  readonly #hasByteCharacters: boolean;
  #RS = "\n";
  #exitCode = 0;
  #program: Translated = { functions: new Map(), set: new Map() };
  readonly #patterns = new Map<string, Pattern>();

  constructor(context: Context, operands: readonly string[]) {
    this.textOf = (value) => {
      if (typeof value === "string") return value;
      if (typeof value === "number") return numberText(value, this.CONVFMT);
      if (value instanceof Numeral) return value.text;
      throw new Error("attempt to use an array in a scalar context");
    };
    this.fields = new Fields(this.textOf);
    this.#hasByteCharacters = hasByteCharacters(context);
    this.streams = new Streams(context);
    this.input = new Input({
      operands: () => this.#operands(),
      read: (name) => this.#read(context, name),
      assign: (name, text) => this.assign(this.#program, name, text),
      begun: (name, operand) => this.#begun(name, operand),
      ended: () => this.#perform("ENDFILE"),
    });
    for (const [at, operand] of ["awk", ...operands].entries())
      this.ARGV.set(String(at), inputValue(this.inLocale(operand)));
    this.ARGC = this.ARGV.size;
    this.PROCINFO.set("version", "5.2.1");
    for (const [name, value] of Object.entries(context.exportedEnv ?? {}))
      this.ENVIRON.set(name, inputValue(this.inLocale(value)));
  }

  /** A text with the characters that it has in the program's locale. */
  inLocale(text: string): string {
    return this.#hasByteCharacters ? eachByte(text) : text;
  }

  /** Sets a variable as an option or an operand of the command says. */
  assign(program: Translated, name: string, text: string): void {
    program.set.get(name)?.(inputValue(unescaped(this.inLocale(withByteEscapes(text, "awk")))));
  }

  get RS(): string {
    return this.#RS;
  }

  set RS(text: string) {
    this.#RS = text;
    this.fields.isParagraph = text === "";
  }

  #operands(): string[] {
    return Array.from({ length: Math.max(this.ARGC, 0) }, (_, at) => {
      const operand = this.ARGV.get(String(at));
      return operand === undefined || isElements(operand) ? "" : this.textOf(operand);
    });
  }

  async #read({ fs, cwd }: Context, name: string): Promise<string | null> {
    try {
      if (name !== "-" && (await fs.stat(fs.resolvePath(cwd, name))).isDirectory) {
        this.streams.complain(`warning: command line argument \`${name}' is a directory: skipped`);
        return null;
      }
      return await this.streams.read(name);
    } catch (error) {
      this.ERRNO = reasonOf(error);
      this.FILENAME = name;
      await this.#perform("BEGINFILE");
      if (!this.input.takeSkip()) this.streams.fail(`cannot open file \`${name}' for reading: ${this.ERRNO}`);
      return null;
    }
  }

  async #begun(name: string, operand: number): Promise<void> {
    this.FILENAME = name;
    this.ERRNO = "";
    this.ARGIND = operand;
    this.FNR = 0;
    await this.#perform("BEGINFILE");
  }

  /** What the translation calls by name. */
  library(): object {
    const { textOf } = this;
    return {
      numberOf,
      textOf,
      isTrue,
      inputValue,
      UNSET,
      NEXT,
      misplaced: (when: string) => new Refusal(`\`next' cannot be called from a \`${when}' rule`, 2),
      fieldIndex,
      characterCount,
      substring,
      subarrayOf,
      elementOf,
      cellOf: (elements: Elements, key: string) => (elements.has(key) ? elements.get(key) : elementOf(elements, key)),
      nonZero: requireNonZero,
      power: (base: number, exponent: number) => base ** exponent,
      look: () => endIfOver(0),
      compare: this.compare,
      lengthOf: (value: Value | Elements) => (isElements(value) ? value.size : characterCount(textOf(value))),
      setElement: (value: Value, elements: Elements, key: string) => {
        elements.set(key, value);
        return value;
      },
      keysOf: (elements: Elements) => this.#sortedKeys(elements),
    };
  }

  readonly compare = (a: Value, b: Value): number => {
    let [left, right]: [Operand, Operand] = [0, 0];
    if (typeof a === "string" || typeof b === "string") [left, right] = [this.textOf(a), this.textOf(b)];
    else [left, right] = [numberOf(a), numberOf(b)];
    if (typeof left === "string" && typeof right === "string" && isTrue(this.IGNORECASE))
      [left, right] = [left.toLowerCase(), right.toLowerCase()];
    return left < right ? -1 : left > right ? 1 : 0;
  };

  #sortedKeys(elements: Elements): string[] {
    const how = this.PROCINFO.get("sorted_in");
    if (how === undefined || isElements(how) || how === "@unsorted") return keysOf(elements);
    return this.sorted(elements, this.textOf(how)).map(([key]) => key);
  }

  /** The elements of an array in an order, which may be that of a function of the program. */
  sorted(elements: Elements, how: string): [string, Value | Elements][] {
    const known = orderOf(how, { compare: this.compare, numberOf, textOf: this.textOf });
    const own = this.#program.functions.get(how);
    if (known === null && own === undefined) throw new Error(`there is no function ${how} to sort by`);
    const items = Array.from(elements);
    return items.sort(known ?? (([i, a], [j, b]) => numberOf(own?.(i, a, j, b))));
  }

  pattern(source: string): Pattern {
    const ignoresCase = isTrue(this.IGNORECASE);
    const key = `${ignoresCase ? "i" : ""}/${source}`;
    let found = this.#patterns.get(key);
    if (found === undefined) {
      found = new Pattern(source, ignoresCase);
      if (this.#patterns.size > 500) this.#patterns.clear();
      this.#patterns.set(key, found);
    }
    return found;
  }

  /** What `print` writes of a value. */
  shown(value: unknown): string {
    return typeof value === "number" ? numberText(value, this.OFMT) : this.textOf(value);
  }

  formatted(format: string, values: readonly Value[]): string {
    return formatted(format, values, { textOf: this.textOf, hasByteCharacters: this.#hasByteCharacters });
  }

  called(functions: Translated["functions"], name: string): (...args: readonly unknown[]) => Value {
    const found = functions.get(name);
    if (found === undefined) throw new Error(`function ${name} is not known here`);
    return found;
  }

  exit(code?: number): never {
    if (code !== undefined) this.#exitCode = Math.trunc(code) & 255;
    throw new Exit("exit");
  }

  /** Reads a record: 1, 0 at the end, and -1 if there is nothing to read. */
  async getline(kind: "main" | "file" | "command", name: string, isRecord: boolean): Promise<number> {
    const record = kind === "main" ? await this.#nextOfInput() : await this.#nextOf(kind, name);
    if (typeof record === "number") return record;
    if (kind === "main") {
      this.NR += 1;
      this.FNR += 1;
    }
    if (isRecord) this.fields.setRecord(record);
    else this.got = record;
    return 1;
  }

  async #nextOfInput(): Promise<string | number> {
    while (await this.input.open()) {
      const record = this.#next();
      if (record !== null) return record;
      await this.input.close();
    }
    return 0;
  }

  async #nextOf(kind: "file" | "command", name: string): Promise<string | number> {
    const records: Records | null = await this.streams.source(kind, name);
    if (records === null) {
      this.ERRNO = "No such file or directory";
      return -1;
    }
    const record = records.next(this.#RS);
    if (record !== null) this.RT = records.terminator;
    return record ?? 0;
  }

  #next(): string | null {
    const record = this.input.next(this.#RS);
    if (record !== null) this.RT = this.input.terminator;
    return record;
  }

  system(command: string): Promise<number> {
    return this.streams.run(command);
  }

  /** Closes a file or a command, or, with `to`, what a command reads: it has always read all when it is read from. */
  async close(name: string, end?: string): Promise<number> {
    return end === "to" ? 0 : this.streams.close(name);
  }

  /** Runs a program; the exit code. */
  async all(program: Translated): Promise<number> {
    this.#program = program;
    await this.#untilExit(async () => {
      await this.#perform("BEGIN");
      if (program.record !== undefined || program.END !== undefined) await this.#eachFile(program.record);
    });
    await this.#untilExit(() => this.#perform("END"));
    await this.streams.finish();
    return this.#exitCode;
  }

  async #untilExit(run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      if (!(error instanceof Exit)) throw error;
    }
  }

  async #perform(rules: "BEGIN" | "END" | "BEGINFILE" | "ENDFILE"): Promise<void> {
    await this.#program[rules]?.run();
  }

  async #eachFile(rules: Rules | undefined): Promise<void> {
    while (await this.input.open()) {
      for (let record = this.#next(); record !== null; record = this.#next()) {
        this.NR += 1;
        this.FNR += 1;
        if ((this.NR & 511) === 0) endIfOver(0);
        this.fields.setRecord(record);
        if (rules?.waits === true) await rules.run();
        else rules?.run();
      }
      await this.input.close();
    }
  }
}

function elementOf(elements: Elements, key: string): Value {
  const found = elements.get(key);
  if (found === undefined) {
    elements.set(key, UNSET);
    return UNSET;
  }
  if (isElements(found)) throw new Error("attempt to use an array in a scalar context");
  return found;
}

function subarrayOf(elements: Elements, key: string): Elements {
  const found = elements.get(key);
  if (isElements(found)) return found;
  if (found !== undefined && found !== UNSET) throw new Error("attempt to use a scalar value as an array");
  const made: Elements = new Map();
  elements.set(key, made);
  return made;
}
