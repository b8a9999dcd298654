import type { CustomCommand } from "just-bash/browser";
import { type Call, type Input, inputsOf, joined, linesOf, numberOf, Refusal, textCommand, textOf } from "./command.ts";
import { characterCount, endOfLine } from "./width.ts";

/** Commands that count. */
export const COUNT_COMMANDS: readonly CustomCommand[] = [
  textCommand(
    "wc",
    { flags: "lwmcL", long: { lines: "l", words: "w", chars: "m", bytes: "c", "max-line-length": "L" } },
    countAll,
  ),
  textCommand(
    "uniq",
    {
      flags: "cduiDz",
      values: "fsw",
      optional: "G",
      long: {
        count: "c",
        repeated: "d",
        unique: "u",
        "ignore-case": "i",
        "all-repeated": "G",
        "skip-fields": "f",
        "skip-chars": "s",
        "check-chars": "w",
        "zero-terminated": "z",
      },
    },
    uniq,
  ),
];

/** Matches bytes that are no characters, which have no width. */
const SINGLE_BYTE = /[\udc80-\udcff]/gu;

const COUNTS: Readonly<Record<string, (input: Input) => number>> = {
  l: ({ bytes }) => bytes.split("\n").length - 1,
  w: (input) => textOf(input).match(/\S+/g)?.length ?? 0,
  m: (input) => characterCount(textOf(input)),
  c: ({ bytes }) => bytes.length,
  L: (input) =>
    (textOf(input).match(/[^\n\r\f]+/g) ?? []).reduce(
      (most, line) => Math.max(most, endOfLine(line.replace(SINGLE_BYTE, ""))),
      0,
    ),
};

async function countAll(call: Call): Promise<string> {
  const { flags, operands } = call;
  const columns = Object.keys(COUNTS).filter((letter) => (flags.size === 0 ? "lwc" : [...flags]).includes(letter));
  const inputs: Input[] = [];
  let hasDirectory = false;
  for (const name of operands.length === 0 ? ["-"] : operands) {
    const isDirectory = () => call.complaints.at(-1) === `${name}: Is a directory`;
    const found = await inputsOf(call, [name]);
    if (found.length === 0 && isDirectory())
      hasDirectory = inputs.push({ name, bytes: "", hasByteCharacters: false }) > 0;
    inputs.push(...found);
  }
  const rows = inputs.map((input) => columns.map((letter) => COUNTS[letter]?.(input) ?? 0));
  const size = inputs.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const isPiped = inputs.some(({ name }) => name === "-");
  const width =
    operands.length <= 1 && columns.length === 1 ? 1 : Math.max(String(size).length, isPiped || hasDirectory ? 7 : 1);
  const names = inputs.map(({ name }) => (operands.length === 0 ? "" : ` ${name}`));
  if (operands.length > 1) {
    const most = (index: number) => Math.max(0, ...rows.map((row) => row[index] ?? 0));
    const sum = (index: number) => rows.reduce((total, row) => total + (row[index] ?? 0), 0);
    rows.push(columns.map((letter, index) => (letter === "L" ? most(index) : sum(index))));
    names.push(" total");
  }
  return joined(rows.map((row, index) => row.map((count) => String(count).padStart(width)).join(" ") + names[index]));
}

function behindFields(line: string, count: number): string {
  let rest = line;
  for (let field = 0; field < count; field++) rest = rest.replace(/^[ \t]+/, "").replace(/^[^ \t]+/, "");
  return rest;
}

async function uniq(call: Call): Promise<string> {
  const { flags, values, operands } = call;
  if (operands.length > 1) throw new Refusal("name one file, and redirect the output");
  const fields = numberOf(values.get("f"), 0);
  const skipped = numberOf(values.get("s"), 0);
  const compared = numberOf(values.get("w"), Number.POSITIVE_INFINITY);
  const isPart = skipped > 0 || values.has("w");
  const keyOf = (line: string) => {
    const rest = behindFields(line, fields);
    const key = isPart
      ? Array.from(rest)
          .slice(skipped, skipped + compared)
          .join("")
      : rest;
    return flags.has("i") ? key.toLowerCase() : key;
  };
  const end = flags.has("z") ? "\0" : "\n";
  const apart = values.get("G");
  const showsAll = flags.has("D") || apart !== undefined;
  if (!/^(?:none|prepend|separate)?$/.test(apart ?? "")) throw new Refusal(`invalid argument '${apart ?? ""}'`);
  const groups: { readonly key: string; readonly lines: string[] }[] = [];
  for (const line of (await inputsOf(call)).flatMap((input) => linesOf(textOf(input), end))) {
    const key = keyOf(line);
    const last = groups.at(-1);
    if (last?.key === key) last.lines.push(line);
    else groups.push({ key, lines: [line] });
  }
  const shown = groups.filter(({ lines }) => {
    if (flags.has("u") && lines.length > 1) return false;
    return !((flags.has("d") || showsAll) && lines.length === 1);
  });
  const output = shown.flatMap(({ lines }, index) => {
    const [first = ""] = lines;
    const isApart = apart === "prepend" || (apart === "separate" && index > 0);
    if (showsAll) return isApart ? ["", ...lines] : lines;
    return [flags.has("c") ? `${String(lines.length).padStart(7)} ${first}` : first];
  });
  return joined(output, end);
}
