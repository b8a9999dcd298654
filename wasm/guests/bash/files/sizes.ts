import { type CustomCommand, defineCommand } from "just-bash/browser";
import { type Call, inputsOf, joined, linesOf, numberOf, pipedBytes, Refusal, textCommand } from "../text/command.ts";
import { deviceBytes, requireRoom } from "./devices.ts";

type Files = Call["context"]["fs"];

/** Commands that cut, shuffle or copy content without interpreting it. */
export const PART_COMMANDS: readonly CustomCommand[] = [
  textCommand(
    "truncate",
    { flags: "c", values: "sr", long: { "no-create": "c", size: "s", reference: "r" } },
    truncate,
  ),
  textCommand(
    "shuf",
    {
      flags: "erz",
      values: "ino",
      bytes: true,
      long: {
        echo: "e",
        repeat: "r",
        "zero-terminated": "z",
        "input-range": "i",
        "head-count": "n",
        output: "o",
      },
    },
    shuffle,
  ),
  defineCommand("dd", async (args, context) => {
    try {
      return await copy(args, context);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { stdout: "", stderr: `dd: ${error.message}\n`, exitCode: error.exitCode };
    }
  }),
];

const UNITS = "KMGT";

/** Parses a number of bytes: `10`, `4K` (a multiple of 1024) or `4kB` (a multiple of 1000). */
export function sizeOf(text: string): number {
  const [, count, unit = "", thousand] = /^(\d+)(?:([bcwKMGT])(?:(B)|iB)?)?$/i.exec(text) ?? [];
  if (count === undefined) throw new Refusal(`Invalid number: '${text}'`);
  const power = UNITS.indexOf(unit.toUpperCase()) + 1;
  if (unit === "" || power === 0) return Number(count) * ({ b: 512, w: 2 }[unit] ?? 1);
  return Number(count) * (thousand === undefined ? 1024 : 1000) ** power;
}

async function bytesOf(fs: Files, path: string): Promise<string | null> {
  return fs.readFile(path, "binary").catch(() => null);
}

async function truncate({ flags, values, operands, context, complaints }: Call): Promise<string> {
  const { fs, cwd } = context;
  const reference = values.get("r");
  const [, prefix = "", text = ""] = /^([-+<>/%]?)(.*)$/s.exec(values.get("s") ?? "") ?? [];
  if (values.get("s") === undefined && reference === undefined)
    throw new Refusal("you must specify either '--size' or '--reference'");
  if (operands.length === 0) throw new Refusal("missing file operand");
  const base = reference === undefined ? null : await bytesOf(fs, fs.resolvePath(cwd, reference));
  if (reference !== undefined && base === null)
    throw new Refusal(`cannot stat '${reference}': No such file or directory`);
  const by = text === "" ? 0 : sizeOf(text);
  for (const name of operands) {
    const path = fs.resolvePath(cwd, name);
    const bytes = await bytesOf(fs, path);
    if (bytes === null && flags.has("c")) continue;
    const size = sizeBy(prefix, base?.length ?? bytes?.length ?? 0, text === "" ? (base?.length ?? 0) : by);
    requireRoom(size - (bytes?.length ?? 0), name);
    const content = (bytes ?? "").slice(0, size).padEnd(size, "\0");
    await fs.writeFile(path, content, "binary").catch(() => complaints.push(`cannot open '${name}' for writing`));
  }
  return "";
}

function sizeBy(prefix: string, size: number, by: number): number {
  if ((prefix === "/" || prefix === "%") && by === 0) throw new Refusal("division by zero");
  switch (prefix) {
    case "+":
      return size + by;
    case "-":
      return Math.max(0, size - by);
    case "<":
      return Math.min(size, by);
    case ">":
      return Math.max(size, by);
    case "/":
      return Math.floor(size / by) * by;
    case "%":
      return Math.ceil(size / by) * by;
    default:
      return by;
  }
}

async function shuffle(call: Call): Promise<string> {
  const { flags, values, operands, context } = call;
  const end = flags.has("z") ? "\0" : "\n";
  const [, low, high] = /^(\d+)-(\d+)$/.exec(values.get("i") ?? "") ?? [];
  if (values.has("i") && (low === undefined || Number(low) > Number(high)))
    throw new Refusal(`invalid input range: '${values.get("i")}'`);
  if (Number(high) - Number(low) > 1_000_000) throw new Refusal("at most 1,000,000 numbers are shuffled here");
  const lines =
    low !== undefined
      ? Array.from({ length: Number(high) - Number(low) + 1 }, (_, index) => String(Number(low) + index))
      : flags.has("e")
        ? [...operands]
        : (await inputsOf(call)).flatMap(({ bytes }) => linesOf(bytes, end));
  const count = numberOf(values.get("n"), flags.has("r") ? Number.POSITIVE_INFINITY : lines.length);
  if (flags.has("r") && count === Number.POSITIVE_INFINITY) throw new Refusal("-r has no end: -n is needed");
  const chosen = joined(flags.has("r") ? repeated(lines, count) : shuffled(lines).slice(0, count), end);
  const output = values.get("o");
  if (output === undefined) return chosen;
  await context.fs.writeFile(context.fs.resolvePath(context.cwd, output), chosen, "binary");
  return "";
}

function repeated(lines: readonly string[], count: number): string[] {
  if (lines.length === 0) throw new Refusal("no lines to repeat");
  return Array.from({ length: count }, () => lines[Math.floor(Math.random() * lines.length)] ?? "");
}

function shuffled(lines: readonly string[]): string[] {
  const found = [...lines];
  for (let at = found.length - 1; at > 0; at--) {
    const other = Math.floor(Math.random() * (at + 1));
    [found[at], found[other]] = [found[other] ?? "", found[at] ?? ""];
  }
  return found;
}

const OPERANDS = new Set("if of bs ibs obs count skip seek conv status iflag oflag".split(" "));

async function copy(
  args: readonly string[],
  context: Call["context"],
): Promise<{ stdout: string; stderr: string; exitCode: number; stdoutKind: "bytes" }> {
  const { fs, cwd } = context;
  const given = new Map(args.map((arg) => [arg.replace(/=.*/s, ""), arg.replace(/^[^=]*=/, "")]));
  for (const name of given.keys()) if (!OPERANDS.has(name)) throw new Refusal(`unrecognized operand '${name}'`);
  const words = ["conv", "iflag", "oflag"].flatMap((name) => (given.get(name) ?? "").split(",").filter(Boolean));
  const unknown = words.find((word) => !/^(?:notrunc|fsync|fdatasync|fullblock|sync|nocreat)$/.test(word));
  if (unknown !== undefined) throw new Refusal(`'${unknown}' is not known here`);
  const size = (name: string, otherwise: number) => (given.has(name) ? sizeOf(given.get(name) ?? "") : otherwise);
  const [read, write] = [size("ibs", size("bs", 512)), size("obs", size("bs", 512))];
  const most = given.has("count") ? size("count", 0) * read : null;
  const input = given.get("if");
  const source =
    input === undefined
      ? pipedBytes(context)
      : (deviceBytes(input, most) ?? (await bytesOf(fs, fs.resolvePath(cwd, input))));
  if (source === null) throw new Refusal(`failed to open '${input}': No such file or directory`);
  const from = size("skip", 0) * read;
  const bytes = source.slice(from, from + (most ?? source.length));
  const output = given.get("of");
  if (output !== undefined) {
    const path = fs.resolvePath(cwd, output);
    const before = (await bytesOf(fs, path)) ?? "";
    const at = size("seek", 0) * write;
    const rest = words.includes("notrunc") ? before.slice(at + bytes.length) : "";
    await fs.writeFile(path, before.slice(0, at).padEnd(at, "\0") + bytes + rest, "binary");
  }
  const records = (block: number) =>
    `${Math.floor(bytes.length / block)}+${bytes.length % block === 0 ? 0 : 1} records`;
  const report = given.get("status") === "none" ? "" : `${records(read)} in\n${records(write)} out\n`;
  const copied = /^(?:none|noxfer)$/.test(given.get("status") ?? "") ? "" : `${bytes.length} bytes copied\n`;
  return { stdout: output === undefined ? bytes : "", stderr: report + copied, exitCode: 0, stdoutKind: "bytes" };
}
