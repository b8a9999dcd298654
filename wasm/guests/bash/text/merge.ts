import type { CustomCommand } from "just-bash/browser";
import { type Call, inputsOf, joined, linesOf, numberOf, Refusal, textCommand, textOf, wordsOf } from "./command.ts";

/** Commands that compare the lines of two sorted files. */
export const MERGE_COMMANDS: readonly CustomCommand[] = [
  textCommand(
    "comm",
    {
      flags: "123TzNC",
      values: "O",
      long: {
        total: "T",
        "output-delimiter": "O",
        "zero-terminated": "z",
        "nocheck-order": "N",
        "check-order": "C",
      },
    },
    comm,
  ),
  textCommand(
    "join",
    {
      flags: "izHNC",
      values: "12javeot",
      repeated: "av",
      long: { "ignore-case": "i", header: "H", "zero-terminated": "z", "nocheck-order": "N", "check-order": "C" },
    },
    join,
  ),
];

async function twoTexts(call: Call): Promise<readonly [string, string]> {
  const [first, second, ...others] = call.operands;
  if (first === undefined || second === undefined) throw new Refusal(`missing operand`);
  if (others.length > 0) throw new Refusal(`extra operand '${others[0]}'`);
  const inputs = await inputsOf(call, [first, second]);
  const [a, b] = inputs.map(textOf);
  if (a === undefined || b === undefined) throw new Refusal(call.complaints.splice(0).join("\n"));
  return [a, b];
}

async function comm(call: Call): Promise<string> {
  const { flags, values } = call;
  const end = flags.has("z") ? "\0" : "\n";
  const [left, right] = (await twoTexts(call)).map((text) => linesOf(text, end));
  const between = values.get("O") ?? "\t";
  const before = [
    "",
    flags.has("1") ? "" : between,
    ["1", "2"].map((flag) => (flags.has(flag) ? "" : between)).join(""),
  ];
  const counts = [0, 0, 0];
  const output: string[] = [];
  const take = (column: number, line: string) => {
    counts[column] = (counts[column] ?? 0) + 1;
    if (!flags.has(String(column + 1))) output.push(before[column] + line);
  };
  let [a, b] = [0, 0];
  for (;;) {
    const [one, other] = [left?.[a], right?.[b]];
    if (one === undefined && other === undefined) break;
    if (other === undefined || (one !== undefined && one < other)) take(0, one ?? "");
    else if (one === undefined || one > other) take(1, other);
    else take(2, one);
    if (other === undefined || (one !== undefined && one <= other)) a++;
    if (one === undefined || (other !== undefined && one >= other)) b++;
  }
  if (flags.has("T")) output.push([...counts, "total"].join(between));
  checkOrder(call, [left ?? [], right ?? []], counts[0] !== 0 || counts[1] !== 0);
  return joined(output, end);
}

/** Complains about unsorted files, whose lines may be missed, if lines lack a partner or with `--check-order`. */
function checkOrder({ flags, complaints }: Call, files: readonly (readonly string[])[], isUnpaired: boolean): void {
  if (flags.has("N") || (!isUnpaired && !flags.has("C"))) return;
  for (const [file, keys] of files.entries())
    if (keys.some((key, at) => at > 0 && key < (keys[at - 1] ?? "")))
      complaints.push(`file ${file + 1} is not in sorted order`);
  if (complaints.length > 0) complaints.push("input is not in sorted order");
}

/** The fields of a line. */
type Row = readonly string[];

async function join(call: Call): Promise<string> {
  const { flags, values } = call;
  const end = flags.has("z") ? "\0" : "\n";
  const separator = values.get("t");
  const fieldsOf = (line: string): Row =>
    separator === undefined ? wordsOf(line) : line.split(separator === "" ? "\n" : separator);
  const tables = (await twoTexts(call)).map((text) => linesOf(text, end).map(fieldsOf));
  const [left = [], right = []] = tables;
  const by = ["1", "2"].map((file) => numberOf(values.get(file) ?? values.get("j"), 1) - 1);
  const key = (row: Row, file: number) => {
    const found = row[by[file] ?? 0] ?? "";
    return flags.has("i") ? found.toLowerCase() : found;
  };
  const write = writer(call, tables, by);
  const output: string[] = [];
  const unpaired = (values.get("a") ?? "") + (values.get("v") ?? "");
  let isUnpaired = false;
  const take = (one: Row | null, other: Row | null) => {
    const isPaired = one !== null && other !== null;
    isUnpaired ||= !isPaired;
    if (isPaired ? !values.has("v") : unpaired.includes(one === null ? "2" : "1")) output.push(write(one, other));
  };
  let [a, b] = [0, 0];
  if (flags.has("H") && left.length + right.length > 0) output.push(write(left[a++] ?? null, right[b++] ?? null));
  while (a < left.length || b < right.length) {
    const [one, other] = [left[a], right[b]];
    if (other === undefined || (one !== undefined && key(one, 0) < key(other, 1))) take(left[a++] ?? null, null);
    else if (one === undefined || key(one, 0) > key(other, 1)) take(null, right[b++] ?? null);
    else {
      const shared = key(one, 0);
      const [fromA, fromB] = [a, b];
      while (a < left.length && key(left[a] ?? [], 0) === shared) a++;
      while (b < right.length && key(right[b] ?? [], 1) === shared) b++;
      for (const row of left.slice(fromA, a)) for (const match of right.slice(fromB, b)) take(row, match);
    }
  }
  const keysOf = (rows: readonly Row[], file: number) =>
    rows.slice(flags.has("H") ? 1 : 0).map((row) => key(row, file));
  checkOrder(call, [keysOf(left, 0), keysOf(right, 1)], isUnpaired);
  return joined(output, end);
}

/** How two lines become one: the field that they share and the others, or what `-o` lists. */
function writer(
  { values }: Call,
  tables: readonly (readonly Row[])[],
  by: readonly number[],
): (one: Row | null, other: Row | null) => string {
  const separator = values.get("t") ?? " ";
  const empty = values.get("e") ?? "";
  const list = values.get("o");
  const others = (file: number, count: number) =>
    Array.from({ length: count }, (_, field) => ({ file, field })).filter(({ field }) => field !== by[file]);
  const items =
    list === undefined
      ? null
      : list === "auto"
        ? [null, ...[0, 1].flatMap((file) => others(file, tables[file]?.[0]?.length ?? 0))]
        : list.split(/[, \t]+/).map(itemOf);
  return (one, other) => {
    const rows = [one, other];
    const shared = one?.[by[0] ?? 0] ?? other?.[by[1] ?? 0] ?? "";
    const chosen = items ?? [null, ...[0, 1].flatMap((file) => others(file, rows[file]?.length ?? 0))];
    return chosen.map((item) => (item === null ? shared : rows[item.file]?.[item.field]) || empty).join(separator);
  };
}

function itemOf(text: string): { readonly file: number; readonly field: number } | null {
  if (text === "0") return null;
  const [, file, field] = /^([12])\.([1-9]\d*)$/.exec(text) ?? [];
  if (file === undefined) throw new Refusal(`invalid field specifier: '${text}'`);
  return { file: Number(file) - 1, field: Number(field) - 1 };
}
