import { type Call, inputsOf, linesWithEnds, Refusal, textCommand } from "../text/command.ts";
import { sizeOf } from "./sizes.ts";

const LINES = 1_000;
const SUFFIX = 2;
const MAX_FILES = 10_000;

/** `split`, which writes parts of a file to other files. */
export const SPLIT = textCommand(
  "split",
  {
    flags: "deux",
    values: "albnCtS",
    optional: "DX",
    bytes: true,
    long: {
      "suffix-length": "a",
      lines: "l",
      bytes: "b",
      number: "n",
      "line-bytes": "C",
      separator: "t",
      "numeric-suffixes": "D",
      "hex-suffixes": "X",
      "additional-suffix": "S",
      "elide-empty-files": "e",
      unbuffered: "u",
      verbose: "v",
    },
  },
  split,
);

async function split(call: Call): Promise<string> {
  const { values, operands, context, complaints } = call;
  const [name = "-", prefix = "x", ...more] = operands;
  if (more.length > 0) throw new Refusal(`extra operand '${more[0]}'`);
  const [input] = await inputsOf(call, [name]);
  if (input === undefined) {
    const [why = ""] = complaints.splice(0);
    throw new Refusal(`cannot open '${name}' for reading: ${why.replace(/^.*: /, "")}`);
  }
  const { parts, only } = partsOf(call, input.bytes);
  if (only !== null) return parts[only - 1] ?? "";
  if (parts.length > MAX_FILES) throw new Refusal(`at most ${MAX_FILES} files are written here`);
  const kept = call.flags.has("e") ? parts.filter((part) => part !== "") : parts;
  const suffix = suffixesOf(call, kept.length);
  const end = values.get("S") ?? "";
  for (const [at, part] of kept.entries()) {
    const path = context.fs.resolvePath(context.cwd, prefix + suffix(at) + end);
    await context.fs.writeFile(path, part, "binary");
  }
  return "";
}

/** The parts, and the number of the one that is printed instead of writing all. */
interface Parts {
  readonly parts: readonly string[];
  readonly only: number | null;
}

function partsOf({ values }: Call, bytes: string): Parts {
  const separator = values.get("t")?.replace(/^\\0$/, "\0") ?? "\n";
  const lines = (): string[] => (separator === "\n" ? linesWithEnds(bytes) : endedBy(bytes, separator));
  const number = values.get("n");
  if (number !== undefined) return chunksOf(number, bytes, lines);
  const size = values.get("b");
  if (size !== undefined) return { parts: pieces(bytes, counted(sizeOf(size), "bytes")), only: null };
  const most = values.get("C");
  if (most !== undefined) return { parts: filled(lines(), counted(sizeOf(most), "bytes")), only: null };
  const count = counted(Number(values.get("l") ?? LINES), "lines");
  const all = lines();
  const parts = Array.from({ length: Math.ceil(all.length / count) }, (_, at) =>
    all.slice(at * count, (at + 1) * count).join(""),
  );
  return { parts, only: null };
}

function counted(count: number, what: string): number {
  if (!(count >= 1)) throw new Refusal(`invalid number of ${what}`);
  return Math.trunc(count);
}

function endedBy(bytes: string, end: string): string[] {
  const lines = bytes.split(end);
  const last = lines.pop() ?? "";
  return [...lines.map((line) => line + end), ...(last === "" ? [] : [last])];
}

function pieces(bytes: string, size: number): string[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.slice(at * size, (at + 1) * size));
}

/** Lines in parts of at most so many bytes; a longer line is cut. */
function filled(lines: readonly string[], size: number): string[] {
  const parts: string[] = [];
  let part = "";
  for (const line of lines) {
    if (part !== "" && part.length + line.length > size) {
      parts.push(part);
      part = "";
    }
    part += line;
    for (; part.length > size; part = part.slice(size)) parts.push(part.slice(0, size));
  }
  return part === "" ? parts : [...parts, part];
}

/** `N`, `K/N`, `l/N` and `r/N`: parts of equal size, of whole lines, or of lines dealt in turn. */
function chunksOf(text: string, bytes: string, lines: () => string[]): Parts {
  const [, kind = "", chosen, number] = /^(?:([lr])\/)?(?:(\d+)\/)?(\d+)$/.exec(text) ?? [];
  const count = Number(number ?? 0);
  if (count < 1) throw new Refusal(`invalid number of chunks: '${text}'`);
  const only = chosen === undefined ? null : Number(chosen);
  if (only !== null && (only < 1 || only > count)) throw new Refusal(`invalid chunk number: '${chosen}'`);
  if (count > MAX_FILES) throw new Refusal(`at most ${MAX_FILES} files are written here`);
  const parts = Array.from({ length: count }, () => "");
  const size = Math.floor(bytes.length / count);
  const endOf = (at: number) => (at === count - 1 ? bytes.length : (at + 1) * size);
  if (kind === "") return { parts: parts.map((_, at) => bytes.slice(at === 0 ? 0 : endOf(at - 1), endOf(at))), only };
  let [at, position] = [0, 0];
  for (const line of lines()) {
    if (kind === "r") parts[at % count] += line;
    else {
      while (at < count - 1 && position >= endOf(at)) at += 1;
      parts[at] += line;
      position += line.length;
      continue;
    }
    at += 1;
  }
  return { parts, only };
}

/** Returns the suffix of the file at a place: letters, or digits; as long as all of them need. */
function suffixesOf({ flags, values }: Call, count: number): (at: number) => string {
  const isHex = flags.has("x") || values.has("X");
  const isDecimal = flags.has("d") || values.has("D");
  const base = isHex ? 16 : isDecimal ? 10 : 26;
  const start = Number.parseInt(values.get("X") || values.get("D") || "0", base === 26 ? 10 : base);
  const given = values.get("a");
  const needed = Math.max(count - 1 + start, 1).toString(base).length;
  const length = given === undefined ? Math.max(SUFFIX, needed) : counted(Number(given), "digits");
  if (needed > length) throw new Refusal("output file suffixes exhausted");
  return (at) => {
    const digits = (at + start).toString(base).padStart(length, "0");
    if (base !== 26) return digits;
    return digits.replace(/./g, (digit) => String.fromCharCode(97 + Number.parseInt(digit, 26)));
  };
}
