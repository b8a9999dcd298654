import { type CustomCommand, defineCommand } from "just-bash/browser";
import { bytesOfLatin1 } from "../../runtime/text-encoding.ts";
import { type Call, inputsOf, joined, numberOf, Refusal, textCommand } from "./command.ts";

/** How `od` writes units of `size` bytes, read as little-endian numbers. */
interface UnitFormat {
  readonly size: number;
  readonly width: number;
  readonly write: (value: number) => string;
  /** Whether the row's characters follow. */
  readonly showsText: boolean;
}

const ROW_BYTES = 16;
const PLAIN_ROW_BYTES = 30;
/** Maximum size of what `xxd -r` writes, as for other commands that make bytes. */
const MAX_REVERTED_BYTES = 10_000_000;
const ESCAPES: Readonly<Record<string, string>> = {
  "\0": "\\0",
  "\x07": "\\a",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\v": "\\v",
  "\f": "\\f",
  "\r": "\\r",
};
const TYPES: Readonly<Record<string, string>> = { c: "c", b: "o1", o: "o2", x: "x2", d: "u2", s: "d2" };
/** Width of a number in columns, by its type and its size in bytes. */
const WIDTHS: Readonly<Record<string, Readonly<Record<number, number>>>> = {
  x: { 1: 2, 2: 4, 4: 8 },
  o: { 1: 3, 2: 6, 4: 11 },
  u: { 1: 3, 2: 5, 4: 10 },
  d: { 1: 4, 2: 6, 4: 11 },
};

/** Commands that show bytes. */
export const DUMP_COMMANDS: readonly CustomCommand[] = [
  defineCommand("od", async (args, context) => OD.execute(args.flatMap(withTypes), context)),
  defineCommand("xxd", async (args, context) => XXD.execute(args.map(shortened), context)),
  defineCommand("strings", async (args, context) =>
    STRINGS.execute(
      args.map((arg) => arg.replace(/^-(?=\d)/, "-n")),
      context,
    ),
  ),
  textCommand("hexdump", { flags: "Cvbcdox", values: "ns" }, hexdump),
];

const OD = textCommand("od", { flags: "v", values: "AjNt", repeated: "t" }, od);
const STRINGS = textCommand(
  "strings",
  { flags: "afo", values: "nt", long: { all: "a", bytes: "n", "print-file-name": "f", radix: "t" } },
  strings,
);
const XXD = textCommand(
  "xxd",
  { flags: "pur", values: "lscg", bytes: true, long: { plain: "p", ps: "p", revert: "r" } },
  xxd,
);

const RADIXES: Readonly<Record<string, number>> = { o: 8, d: 10, x: 16 };
const PRINTABLE = /[\t -~]+/g;
/** Width of the places that `strings` prints in columns. */
const PLACE = 7;

/** The runs of printable characters. */
async function strings(call: Call): Promise<string> {
  const { flags, values } = call;
  const least = numberOf(values.get("n"), 4);
  if (least < 1) throw new Refusal("invalid minimum string length 0");
  const radix = RADIXES[values.get("t") ?? (flags.has("o") ? "o" : "")];
  if (radix === undefined && values.has("t")) throw new Refusal(`invalid radix '${values.get("t")}'`);
  const isLong = (run: string) => run.length >= least;
  const inputs = await inputsOf(call);
  return inputs
    .map(({ name, bytes }) => {
      const file = flags.has("f") ? `${name}: ` : "";
      if (file === "" && radix === undefined) return joined((bytes.match(PRINTABLE) ?? []).filter(isLong));
      const place = (at: number) => (radix === undefined ? "" : `${at.toString(radix).padStart(PLACE)} `);
      const found = Array.from(bytes.matchAll(PRINTABLE)).filter(([run]) => isLong(run));
      return joined(found.map(({ 0: run, index }) => file + place(index) + run));
    })
    .join("");
}

/** Replaces letters that stand for types by types, so that types are in the order in which they are named. */
function withTypes(arg: string): string[] {
  const letters = /^-[vcboxds]+/.exec(arg)?.[0].slice(1) ?? "";
  if (letters === "") return [arg];
  const rest = arg.slice(letters.length + 1);
  const types = Array.from(letters, (letter) => (letter === "v" ? "-v" : `-t${TYPES[letter] ?? ""}`));
  return rest === "" ? types : [...types, `-${rest}`];
}

/** Shortens the long names that `xxd` accepts behind one dash. */
function shortened(arg: string): string {
  return /^-(?:plain|postscript|ps|cols|groupsize|len|seek|revert)$/.test(arg) ? arg.slice(0, 2) : arg;
}

function rowsOf(bytes: string, size: number): string[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.slice(at * size, (at + 1) * size));
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, "0");
}

function hexOf(bytes: string): string {
  return bytesOfLatin1(bytes).toHex();
}

function printable(bytes: string): string {
  return bytes.replace(/[^ -~]/g, ".");
}

/** Replaces each series of rows that repeat the previous row by one `*`, unless `all` is set. */
function shown(rows: readonly string[], all: boolean, write: (row: string, at: number) => string): string[] {
  return rows.flatMap((row, index) => {
    const repeats = (at: number) => !all && at > 0 && rows[at] === rows[at - 1];
    if (!repeats(index)) return [write(row, index)];
    return repeats(index - 1) ? [] : ["*"];
  });
}

async function od(call: Call): Promise<string> {
  const { flags, values } = call;
  const skipped = numberOf(values.get("j"), 0);
  const inputs = await inputsOf(call);
  if (inputs.length === 0) return "";
  const all = inputs.map(({ bytes }) => bytes).join("");
  const bytes = all.slice(skipped, skipped + numberOf(values.get("N"), all.length));
  const types =
    values
      .get("t")
      ?.match(/[^\dz]?\d*z?/g)
      ?.filter((type) => type !== "") ?? [];
  const formats = (types.length === 0 ? ["o2"] : types).map(formatOf);
  const full = Math.max(...formats.map(({ size, width }) => (ROW_BYTES / size) * (width + 1)));
  const writers = formats.map((format) => rowWriter(format, full));
  const radix = values.get("A") ?? "o";
  const lines = shown(rowsOf(bytes, ROW_BYTES), flags.has("v"), (row, index) => {
    const at = address(skipped + index * ROW_BYTES, radix);
    return writers.map((write, line) => (line === 0 ? at : " ".repeat(at.length)) + write(row)).join("\n");
  });
  return joined([...lines, ...(radix === "n" ? [] : [address(skipped + bytes.length, radix)])]);
}

/** Returns how to write a row's units, padded to the width of the row of the widest type, so that all are aligned. */
function rowWriter(format: UnitFormat, full: number): (row: string) => string {
  const count = ROW_BYTES / format.size;
  const padding = full - count * (format.width + 1);
  const before = (unit: number) => Math.floor((padding * (count - unit)) / count);
  const gaps = Array.from({ length: count }, (_, at) => " ".repeat(1 + before(at) - before(at + 1)));
  const write = unitWriter(format);
  return (row) => {
    const text = rowsOf(row, format.size)
      .map((unit, at) => `${gaps[at]}${write(unit)}`)
      .join("");
    return format.showsText ? `${text.padEnd(full)}  >${printable(row)}<` : text;
  };
}

function formatOf(type: string): UnitFormat {
  const showsText = type.endsWith("z");
  if (/^cz?$/.test(type)) return { size: 1, width: 3, write: characterOf, showsText };
  const [, letter = "", digits = ""] = /^([xoud])([124]?)z?$/.exec(type) ?? [];
  const size = Number(digits || 4);
  const width = WIDTHS[letter]?.[size];
  if (width === undefined) throw new Refusal(`type '${type}' is not known here`);
  const base = { x: 16, o: 8 }[letter] ?? 10;
  return {
    size,
    width,
    showsText,
    write: (value) => {
      const isNegative = letter === "d" && value >= 2 ** (8 * size - 1);
      const text = (isNegative ? value - 2 ** (8 * size) : value).toString(base);
      return base === 10 ? text : text.padStart(width, "0");
    },
  };
}

function characterOf(value: number): string {
  const character = String.fromCharCode(value);
  return ESCAPES[character] ?? (/[ -~]/.test(character) ? character : value.toString(8).padStart(3, "0"));
}

/** Returns how to write a unit; texts of short ones, which are few, are kept. */
function unitWriter({ size, write, width }: UnitFormat): (unit: string) => string {
  const known = new Map<string, string>();
  return (unit) => {
    const before = known.get(unit);
    if (before !== undefined) return before;
    const value = Array.from(unit).reduceRight((sum, byte) => sum * 256 + byte.charCodeAt(0), 0);
    const text = write(value).padStart(width);
    if (size <= 2) known.set(unit, text);
    return text;
  };
}

function address(at: number, radix: string): string {
  switch (radix) {
    case "n":
      return "";
    case "x":
      return hex(at, 6);
    case "d":
      return String(at).padStart(7, "0");
    default:
      return at.toString(8).padStart(7, "0");
  }
}

async function xxd(call: Call): Promise<string> {
  const { flags, values } = call;
  const skipped = numberOf(values.get("s"), 0);
  const [input] = await inputsOf(call);
  const all = input?.bytes ?? "";
  if (flags.has("r")) return reverted(all, flags.has("p"));
  const bytes = all.slice(skipped, skipped + numberOf(values.get("l"), all.length));
  const upper = (text: string) => (flags.has("u") ? text.toUpperCase() : text);
  const plain = flags.has("p");
  const size = numberOf(values.get("c"), plain ? PLAIN_ROW_BYTES : ROW_BYTES);
  if (plain) return joined(rowsOf(bytes, size || bytes.length).map((row) => upper(hexOf(row))));
  const group = numberOf(values.get("g"), 2) || size;
  const width = size * 2 + Math.ceil(size / group);
  return joined(
    rowsOf(bytes, size).map((row, index) => {
      const units = rowsOf(hexOf(row), group * 2);
      return `${hex(skipped + index * size, 8)}: ${upper(units.join(" ")).padEnd(width)} ${printable(row)}`;
    }),
  );
}

/** Converts a dump by `xxd` back to bytes; those that lie between the rows are 0. */
function reverted(dump: string, isPlain: boolean): string {
  if (isPlain) return bytesOf(dump.replace(/[^\da-f]/gi, ""));
  let bytes = "";
  for (const line of dump.split("\n")) {
    const [, at = "", row = ""] = /^([\da-f]+): (.*?)(?: {2}|$)/i.exec(line) ?? [];
    if (at === "") continue;
    const offset = Number.parseInt(at, 16);
    if (offset > MAX_REVERTED_BYTES) throw new Refusal(`at most ${MAX_REVERTED_BYTES} bytes are written here`);
    if (offset < bytes.length) throw new Refusal("cannot seek backwards");
    bytes = bytes.padEnd(offset, "\0") + bytesOf(row.replace(/[^\da-f]/gi, ""));
  }
  return bytes;
}

function bytesOf(digits: string): string {
  return digits.replace(/[\da-f]{2}/gi, (pair) => String.fromCharCode(Number.parseInt(pair, 16)));
}

/** How `hexdump` writes units, by option: in columns of a width, with at least as many digits. */
const HEXDUMP_DEFAULT = { type: "x2", width: 5, digits: 4 };
const HEXDUMP: Readonly<Record<string, typeof HEXDUMP_DEFAULT>> = {
  b: { type: "o1", width: 4, digits: 3 },
  c: { type: "c", width: 4, digits: 0 },
  d: { type: "u2", width: 8, digits: 5 },
  o: { type: "o2", width: 8, digits: 6 },
  x: { type: "x2", width: 8, digits: 4 },
};

async function hexdump(call: Call): Promise<string> {
  const { flags, values } = call;
  const [kind = "", ...more] = [...flags].filter((flag) => flag !== "v");
  if (more.length > 0) throw new Refusal("only one format is known here");
  const skipped = numberOf(values.get("s"), 0);
  const all = (await inputsOf(call)).map(({ bytes }) => bytes).join("");
  const bytes = all.slice(skipped, skipped + numberOf(values.get("n"), all.length));
  const { type, width, digits: places } = HEXDUMP[kind] ?? HEXDUMP_DEFAULT;
  const { size, write } = formatOf(type);
  const unit = unitWriter({ size, showsText: false, width, write: (value) => write(value).padStart(places, "0") });
  const lines = shown(rowsOf(bytes, ROW_BYTES), flags.has("v"), (row, index) => {
    if (kind !== "C")
      return (
        hex(skipped + index * ROW_BYTES, 7) +
        rowsOf(row, size)
          .map(unit)
          .join("")
          .padEnd((ROW_BYTES / size) * width)
      );
    const digits = rowsOf(hexOf(row), 2);
    const half = (from: number) => digits.slice(from, from + ROW_BYTES / 2).join(" ");
    const columns = `${half(0).padEnd(23)}  ${half(ROW_BYTES / 2).padEnd(23)}`;
    return `${hex(skipped + index * ROW_BYTES, 8)}  ${columns}  |${printable(row)}|`;
  });
  return joined(bytes === "" ? [] : [...lines, hex(skipped + bytes.length, kind === "C" ? 8 : 7)]);
}
