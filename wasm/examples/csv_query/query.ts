import { Mistake } from "../answer.ts";
import type { Table } from "./csv.ts";

/** The input, as described in tool.json. */
export interface Query {
  readonly columns?: readonly string[];
  readonly where?: readonly Condition[];
  readonly group_by?: readonly string[];
  readonly aggregates?: readonly Aggregate[];
  readonly sort_by?: string;
  readonly descending?: boolean;
}

interface Condition {
  readonly column: string;
  readonly is: "=" | "!=" | "<" | "<=" | ">" | ">=" | "contains";
  readonly value: string;
}

interface Aggregate {
  readonly function: "count" | "sum" | "avg" | "min" | "max";
  readonly column?: string;
}

type Row = readonly string[];

export function runQuery(table: Table, query: Query): Table {
  const kept = { ...table, rows: table.rows.filter((row) => meets(table, row, query.where ?? [])) };
  const isGrouped = (query.group_by ?? []).length > 0 || (query.aggregates ?? []).length > 0;
  return sorted(isGrouped ? grouped(kept, query) : picked(kept, query.columns), query);
}

function indexOf({ header }: Table, column: string): number {
  const index = header.indexOf(column);
  if (index < 0) throw new Mistake(`There is no column ${column}. The columns are: ${header.join(", ")}.`);
  return index;
}

function meets(table: Table, row: Row, conditions: readonly Condition[]): boolean {
  return conditions.every(({ column, is, value }) => {
    const cell = row[indexOf(table, column)] ?? "";
    if (is === "contains") return cell.toLowerCase().includes(value.toLowerCase());
    const order = compare(cell, value);
    const holds = {
      "=": order === 0,
      "!=": order !== 0,
      "<": order < 0,
      "<=": order <= 0,
      ">": order > 0,
      ">=": order >= 0,
    };
    return holds[is];
  });
}

/** Compares by value if both are numbers, else by character. */
function compare(a: string, b: string): number {
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x !== null && y !== null) return x - y;
  return a < b ? -1 : a > b ? 1 : 0;
}

function numberOf(cell: string): number | null {
  const text = cell.trim();
  return text === "" || !/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? null : Number(text);
}

function picked(table: Table, columns: readonly string[] | undefined): Table {
  if (columns === undefined || columns.length === 0) return table;
  const indices = columns.map((column) => indexOf(table, column));
  return { header: columns, rows: table.rows.map((row) => indices.map((index) => row[index] ?? "")) };
}

function grouped(table: Table, { group_by: by = [], aggregates = [] }: Query): Table {
  const wanted: readonly Aggregate[] = aggregates.length > 0 ? aggregates : [{ function: "count" }];
  const indices = by.map((column) => indexOf(table, column));
  const groups = new Map<string, { readonly values: Row; readonly rows: Row[] }>();
  if (by.length === 0) groups.set("", { values: [], rows: [] });
  for (const row of table.rows) {
    const values = indices.map((index) => row[index] ?? "");
    const key = JSON.stringify(values);
    const group = groups.get(by.length === 0 ? "" : key) ?? { values, rows: [] };
    group.rows.push(row);
    groups.set(by.length === 0 ? "" : key, group);
  }
  const header = [
    ...by,
    ...wanted.map(({ function: name, column }) => (name === "count" ? "count" : `${name}(${column ?? ""})`)),
  ];
  const rows = [...groups.values()].map(({ values, rows }) => [
    ...values,
    ...wanted.map((one) => aggregate(table, rows, one)),
  ]);
  return { header, rows };
}

function aggregate(table: Table, rows: readonly Row[], { function: name, column }: Aggregate): string {
  if (name === "count") return String(rows.length);
  if (column === undefined) throw new Mistake(`${name} needs a column.`);
  const index = indexOf(table, column);
  const cells = rows.map((row) => row[index] ?? "").filter((cell) => cell.trim() !== "");
  if (name === "min") return cells.toSorted(compare)[0] ?? "";
  if (name === "max") return cells.toSorted(compare).at(-1) ?? "";
  const numbers = cells.map((cell) => {
    const number = numberOf(cell);
    if (number === null) throw new Mistake(`${name}(${column}): ${JSON.stringify(cell)} is not a number.`);
    return number;
  });
  const sum = numbers.reduce((total, number) => total + number, 0);
  if (name === "sum") return plain(sum);
  return numbers.length === 0 ? "" : plain(sum / numbers.length);
}

/** Formats a number without the rounding errors of binary fractions. */
function plain(number: number): string {
  return String(Number(number.toPrecision(12)));
}

function sorted(table: Table, { sort_by: by, descending = false }: Query): Table {
  if (by === undefined) return table;
  const index = indexOf(table, by);
  const sign = descending ? -1 : 1;
  return { ...table, rows: table.rows.toSorted((a, b) => sign * compare(a[index] ?? "", b[index] ?? "")) };
}
