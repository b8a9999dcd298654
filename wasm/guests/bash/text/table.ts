import type { CustomCommand } from "just-bash/browser";
import { type Call, inputsOf, joined, linesOf, numberOf, Refusal, textCommand, textOf, wordsOf } from "./command.ts";
import { TAB, widthOf } from "./width.ts";

/** Width of the output in columns if `-c` gives none. */
const WIDTH = 80;

export const COLUMN: CustomCommand = textCommand(
  "column",
  {
    flags: "txenL",
    values: "soNRcdE",
    long: {
      table: "t",
      separator: "s",
      "output-separator": "o",
      "table-columns": "N",
      "table-right": "R",
      "table-noheadings": "d",
      "keep-empty-lines": "L",
      "output-width": "c",
      fillrows: "x",
    },
  },
  async (call) => {
    const keepsEmpty = call.flags.has("L");
    const lines = (await inputsOf(call)).flatMap((input) => linesOf(textOf(input)));
    const full = lines.filter((line) => keepsEmpty || line.trim() !== "");
    return call.flags.has("t") ? table(call, full) : filled(call, full);
  },
);

function table({ values }: Call, lines: readonly string[]): string {
  const separator = values.get("s");
  const between = values.get("o") ?? "  ";
  const split = (line: string) => (separator === undefined ? wordsOf(line) : apart(line, separator));
  const names = values.get("N")?.split(",");
  const rows = lines.map(split);
  if (names !== undefined) rows.unshift(names);
  const widths: number[] = [];
  for (const row of rows)
    for (let column = 0; column < row.length; column++) {
      const width = widthOf(row[column] ?? "");
      if (width > (widths[column] ?? -1)) widths[column] = width;
    }
  const count = widths.length;
  const right = rightOf(values.get("R"), names, count);
  return joined(
    rows.map((row) =>
      widths
        .map((width, column) => {
          const cell = row[column] ?? "";
          const isRight = right.has(column);
          if (column === count - 1 && !isRight) return cell;
          const space = " ".repeat(width - widthOf(cell));
          return isRight ? space + cell : cell + space;
        })
        .join(between),
    ),
  );
}

/** Splits a line at each character that is one of the separators. */
function apart(line: string, separators: string): string[] {
  const [first = "", ...others] = separators;
  return others.reduce((text, other) => text.replaceAll(other, first), line).split(first);
}

/** Returns the indices of columns listed by number or name; a negative number counts from the end. */
function rightOf(list: string | undefined, names: readonly string[] | undefined, count: number): ReadonlySet<number> {
  if (list === undefined) return new Set();
  const found = list.split(",").map((item) => {
    const number = Number(item);
    if (Number.isNaN(number)) return names?.indexOf(item) ?? -1;
    return number < 0 ? count + number : number - 1;
  });
  if (found.some((column) => column < 0)) throw new Refusal("undefined column name");
  return new Set(found);
}

/** Arranges the lines in as many columns as fit, column by column, or row by row with `-x`. */
function filled({ flags, values }: Call, lines: readonly string[]): string {
  const width = TAB * (Math.floor(lines.reduce((most, line) => Math.max(most, widthOf(line)), 0) / TAB) + 1);
  const columns = Math.max(1, Math.floor(numberOf(values.get("c"), WIDTH) / width));
  const rows = Math.ceil(lines.length / columns);
  const at = (row: number, column: number) => lines[flags.has("x") ? row * columns + column : column * rows + row];
  return joined(
    Array.from({ length: rows }, (_, row) => {
      const cells = Array.from({ length: columns }, (_, column) => at(row, column)).filter(
        (cell) => cell !== undefined,
      );
      return cells
        .map((cell, index) =>
          index === cells.length - 1 ? cell : cell + "\t".repeat(Math.ceil((width - widthOf(cell)) / TAB)),
        )
        .join("");
    }),
  );
}
