import { codeBlock } from "../../../core/text/plain-text.ts";
import { columnsOf } from "./columns.ts";
import { type Fence, fenceAfterLine, LONGEST_MARKER } from "./fences.ts";
import { isDelimiter } from "./tables.ts";

/** Maximum width of a code block whose lines do not wrap in a window of usual size, in characters. */
const WIDEST = 72;
const BETWEEN = "  ";

interface Table {
  readonly head: readonly string[];
  readonly isRight: readonly boolean[];
  readonly rows: readonly (readonly string[])[];
}

/** Shows tables as columns of a code block, or as a list if these would be too wide or the table contains links. */
export function withPlainTables(markdown: string): string {
  const lines = markdown.split("\n");
  const shown: string[] = [];
  let fence: Fence | null = null;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    fence = fenceAfterLine(fence, line, LONGEST_MARKER);
    if (fence !== null || !line.includes("|") || !isDelimiter(lines[at + 1] ?? "")) {
      shown.push(line);
      continue;
    }
    const after = lines.findIndex((row, index) => index > at && !row.includes("|"));
    const end = after === -1 ? lines.length : after;
    shown.push(plain(tableOf(lines.slice(at, end))));
    at = end - 1;
  }
  return shown.join("\n");
}

function tableOf([head = "", delimiters = "", ...rows]: readonly string[]): Table {
  return {
    head: cellsOf(head),
    isRight: cellsOf(delimiters).map((cell) => /^-+:$/u.test(cell)),
    rows: rows.map(cellsOf),
  };
}

const LINE_BREAK = /<br[ \t]*\/?>/giu;
/** The middle of a link. A link in a code block could not be followed. */
const LINK = "](";

/** Splits a row into cells. Bars within a cell are escaped; `<br>`, the only HTML models write there, breaks lines. */
function cellsOf(row: string): string[] {
  const cells = row
    .trim()
    .replace(/^\|/u, "")
    .replace(/(?<!\\)\|$/u, "");
  return cells
    .split(/(?<!\\)\|/u)
    .map((cell) => cell.replaceAll(String.raw`\|`, "|").replaceAll(LINE_BREAK, " / ").trim());
}

function plain(table: Table): string {
  const { isRight } = table;
  if ([table.head, ...table.rows].some((row) => row.some((cell) => cell.includes(LINK)))) return listOf(table);
  const rows = [table.head, ...table.rows].map((row) => row.map(unmarked));
  // No spread into Math.max, because a table may have more rows than a call takes arguments.
  const widths = table.head.map((_, column) =>
    rows.reduce((widest, row) => Math.max(widest, columnsOf(row[column] ?? "")), 0),
  );
  if (widths.reduce((sum, width) => sum + width + BETWEEN.length, -BETWEEN.length) > WIDEST) return listOf(table);
  const written = rows.map((row) =>
    widths.map((width, column) => padded(row[column] ?? "", width, isRight[column] === true)).join(BETWEEN),
  );
  const [head = "", ...below] = written.map((row) => row.trimEnd());
  return codeBlock([head, widths.map((width) => "-".repeat(width)).join(BETWEEN), ...below].join("\n"), "");
}

/** One line for each row, its cells labelled with their columns. */
function listOf({ head, rows }: Table): string {
  const lines = rows.map(([first = "", ...cells]) => {
    const named = cells.map((cell, index) => ({ cell, name: head[index + 1] ?? "" })).filter(({ cell }) => cell !== "");
    const words = named.map(({ cell, name }) => (name === "" ? cell : `${name}: ${cell}`));
    const name = unmarked(first);
    return `- ${[...(name === "" ? [] : [`**${name}**`]), ...words].join(" · ")}`;
  });
  return lines.join("\n");
}

/** Removes the marks of bold text and code, for output that would show them. */
export function unmarked(line: string): string {
  return line.replaceAll(/\*\*([^*]+)\*\*|`([^`]+)`/gu, "$1$2");
}

function padded(text: string, width: number, isRight: boolean): string {
  const room = " ".repeat(Math.max(0, width - columnsOf(text)));
  return isRight ? room + text : text + room;
}
