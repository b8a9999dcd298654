import { type Answer, answering } from "../answer.ts";
import { parseCsv, type Table } from "./csv.ts";
import { type Query, runQuery } from "./query.ts";
import { textOf } from "./text.ts";

interface Input extends Query {
  readonly file: string;
  readonly separator?: string;
  readonly limit: number;
}

/** Maximum characters of one cell in the answer. */
const MAX_CELL = 200;

function answer(input: string): Answer {
  const { file, separator, limit, ...query }: Input = JSON.parse(input);
  const table = parseCsv(textOf(file), separator);
  const result = runQuery(table, query);
  const shown = { ...result, rows: result.rows.slice(0, limit) };
  const left = result.rows.length - shown.rows.length;
  const count = result.rows.length === 1 ? "1 row" : `${result.rows.length} rows`;
  return { text: `${asMarkdown(shown)}\n\n${count}${left > 0 ? `, ${left} of them not shown` : ""}` };
}

function asMarkdown({ header, rows }: Table): string {
  const line = (cells: readonly string[]): string =>
    `| ${header.map((_, index) => asCell(cells[index] ?? "")).join(" | ")} |`;
  return [line(header), `|${" --- |".repeat(header.length)}`, ...rows.map(line)].join("\n");
}

function asCell(text: string): string {
  const cut = text.length > MAX_CELL ? `${text.slice(0, MAX_CELL)}…` : text;
  return cut.replaceAll("|", "\\|").replace(/\s+/g, " ");
}

export const tool = answering(answer);
