import type { CustomCommand } from "just-bash/browser";
import { utf8Bytes } from "../../runtime/text-encoding.ts";
import { type Call, inputsOf, joined, linesOf, Refusal, textCommand, textOf } from "./command.ts";

type Range = readonly [from: number, to: number];

/** Commands that split and join lines. */
export const COLUMN_COMMANDS: readonly CustomCommand[] = [
  textCommand(
    "cut",
    {
      flags: "snCz",
      values: "bcdfO",
      bytes: true,
      long: {
        bytes: "b",
        characters: "c",
        delimiter: "d",
        fields: "f",
        "only-delimited": "s",
        complement: "C",
        "output-delimiter": "O",
        "zero-terminated": "z",
      },
    },
    cut,
  ),
  textCommand(
    "paste",
    { flags: "sz", values: "d", long: { serial: "s", delimiters: "d", "zero-terminated": "z" } },
    paste,
  ),
];

/** Characters are bytes, as in GNU cut. */
async function cut(call: Call): Promise<string> {
  const { flags, values } = call;
  const [kind, ...others] = ["b", "c", "f"].filter((letter) => values.has(letter));
  if (kind === undefined || others.length > 0)
    throw new Refusal("you must specify one list of bytes, characters, or fields");
  const listed = rangesOf(values.get(kind) ?? "");
  const ranges = flags.has("C") ? complementOf(listed) : listed;
  const delimiter = values.get("d") ?? "\t";
  if (delimiter.length !== 1) throw new Refusal("the delimiter must be a single character");
  const end = flags.has("z") ? "\0" : "\n";
  const between = values.get("O") ?? (kind === "f" ? delimiter : "");
  const cutLine = (line: string): string[] => {
    if (kind === "f" && !line.includes(delimiter)) return flags.has("s") ? [] : [line];
    if (kind !== "f") return [ranges.map(([from, to]) => line.slice(from - 1, to)).join("")];
    const fields = line.split(delimiter);
    return [ranges.flatMap(([from, to]) => fields.slice(from - 1, to)).join(between)];
  };
  if (kind !== "f" && values.has("O")) throw new Refusal("--output-delimiter is for fields here");
  const texts = (await inputsOf(call)).map((input) => (kind === "f" ? textOf(input) : input.bytes));
  const output = joined(texts.flatMap((text) => linesOf(text, end)).flatMap(cutLine), end);
  return kind === "f" ? utf8Bytes(output) : output;
}

/** The ranges of a list, sorted and apart. */
function rangesOf(list: string): Range[] {
  const given = list.split(/[, ]/).map((item): Range => {
    const [, from = "", dash = "", to = ""] = /^(\d*)(?:(-)(\d*))?$/.exec(item) ?? [];
    if (from === "" && to === "") throw new Refusal(`invalid list: '${list}'`);
    if (from === "0" || (to !== "" && Number(to) < Number(from))) throw new Refusal(`invalid range: '${item}'`);
    return [Number(from || 1), dash === "" ? Number(from) : Number(to || Number.POSITIVE_INFINITY)];
  });
  return given
    .toSorted(([one], [other]) => one - other)
    .reduce<Range[]>((ranges, [from, to]) => {
      const last = ranges.at(-1);
      if (last === undefined || last[1] < from) return [...ranges, [from, to]];
      return [...ranges.slice(0, -1), [last[0], Math.max(last[1], to)]];
    }, []);
}

function complementOf(ranges: readonly Range[]): Range[] {
  const between = ranges.map(
    ([, to], index): Range => [to + 1, (ranges[index + 1]?.[0] ?? Number.POSITIVE_INFINITY) - 1],
  );
  return [[1, (ranges[0]?.[0] ?? 1) - 1] as const, ...between].filter(([from, to]) => from <= to);
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", "0": "", "\\": "\\" };

async function paste(call: Call): Promise<string> {
  const { flags, values, operands } = call;
  const given = (values.get("d") ?? "\t").match(/\\[nt0\\]|[^]/gu) ?? [""];
  const delimiters = given.map((one) =>
    one.length === 2 && one.startsWith("\\") ? (ESCAPES[one.slice(1)] ?? "") : one,
  );
  const end = flags.has("z") ? "\0" : "\n";
  const names = operands.length > 0 ? operands : ["-"];
  const inputs = await inputsOf(call, [...new Set(names)]);
  if (inputs.length < new Set(names).size) return "";
  const linesByName = new Map(inputs.map((input) => [input.name, linesOf(textOf(input), end)]));
  const glue = (cells: readonly string[]) =>
    cells
      .map((cell, index) => (index === 0 ? "" : (delimiters[(index - 1) % delimiters.length] ?? "")) + cell)
      .join("");
  if (flags.has("s"))
    return joined(
      names.map((name) => glue(linesByName.get(name) ?? [])),
      end,
    );
  // A file that is named twice is read twice, standard input once.
  const next = new Map<string | number, number>();
  const columns = names.map((name, index) => ({
    key: name === "-" ? name : index,
    lines: linesByName.get(name) ?? [],
  }));
  const take = ({ key, lines }: (typeof columns)[number]) => {
    const at = next.get(key) ?? 0;
    next.set(key, at + 1);
    return lines[at] ?? "";
  };
  const rows: string[] = [];
  while (columns.some(({ key, lines }) => lines.length > (next.get(key) ?? 0))) rows.push(glue(columns.map(take)));
  return joined(rows, end);
}
