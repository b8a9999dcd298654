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
  const tests = (query.where ?? []).map((condition) => testOf(table, condition));
  const kept = { ...table, rows: table.rows.filter((row) => tests.every((holds) => holds(row))) };
  const isGrouped = (query.group_by ?? []).length > 0 || (query.aggregates ?? []).length > 0;
  return sorted(isGrouped ? grouped(kept, query) : picked(kept, query.columns), query);
}

function indexOf({ header }: Table, column: string): number {
  const index = header.indexOf(column);
  if (index < 0) throw new Mistake(`There is no column ${column}. The columns are: ${header.join(", ")}.`);
  return index;
}

const HOLDS = {
  "=": (order: number) => order === 0,
  "!=": (order: number) => order !== 0,
  "<": (order: number) => order < 0,
  "<=": (order: number) => order <= 0,
  ">": (order: number) => order > 0,
  ">=": (order: number) => order >= 0,
};

function testOf(table: Table, { column, is, value }: Condition): (row: Row) => boolean {
  const index = indexOf(table, column);
  if (is === "contains") {
    const part = value.toLowerCase();
    return (row) => (row[index] ?? "").toLowerCase().includes(part);
  }
  const wanted = valueOf(value);
  return (row) => HOLDS[is](compare(valueOf(row[index] ?? ""), wanted));
}

interface Value {
  readonly text: string;
  /** Null if the text is no number. */
  readonly number: number | null;
}

function valueOf(cell: string): Value {
  const text = cell.trim();
  const isNumber = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text);
  return { text: cell, number: isNumber ? Number(text) : null };
}

/** Compares by value if both are numbers, else by character. */
function compare(a: Value, b: Value): number {
  if (a.number === null || b.number === null) return a.text < b.text ? -1 : a.text > b.text ? 1 : 0;
  if (a.number === b.number && !Number.isSafeInteger(a.number)) return compareExactly(a.text, b.text);
  return a.number - b.number;
}

/** Compares numbers that may differ in digits that a JavaScript number lacks, such as ids of 19 digits. */
function compareExactly(a: string, b: string): number {
  if (![a, b].every((text) => /^\s*[+-]?\d+\s*$/.test(text))) return 0;
  const [x, y] = [BigInt(a), BigInt(b)];
  return x < y ? -1 : x > y ? 1 : 0;
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
  const values = cells.map(valueOf);
  if (name === "min" || name === "max") return extreme(values, name === "min" ? -1 : 1);
  const numbers = values.map(({ text, number }) => {
    if (number === null) throw new Mistake(`${name}(${column}): ${JSON.stringify(text)} is not a number.`);
    return number;
  });
  if (name === "sum") return String(sumOf(numbers));
  return numbers.length === 0 ? "" : String(rounded(sumOf(numbers) / numbers.length));
}

/** The least value for sign -1, the greatest for 1; empty without values. */
function extreme(values: readonly Value[], sign: -1 | 1): string {
  const [first, ...others] = values;
  return (
    others.reduce<Value | undefined>((best, one) => {
      return best === undefined || sign * compare(one, best) > 0 ? one : best;
    }, first)?.text ?? ""
  );
}

/** Adds without the rounding errors of binary fractions, as long as 15 digits are enough. */
function sumOf(numbers: readonly number[]): number {
  const scale = numbers.reduce((most, number) => Math.max(most, scaleOf(number)), 1);
  const scaled = numbers.reduce((total, number) => total + Math.round(number * scale), 0);
  if (Number.isSafeInteger(scaled)) return scaled / scale;
  return rounded(numbers.reduce((total, number) => total + number, 0));
}

/** The power of ten that makes a whole number of this one; infinite if its text has an exponent. */
function scaleOf(number: number): number {
  const [, fraction = ""] = /^-?\d+(?:\.(\d+))?$/.exec(String(number)) ?? [];
  return Number.isInteger(number) ? 1 : fraction === "" ? Number.POSITIVE_INFINITY : 10 ** fraction.length;
}

function rounded(number: number): number {
  return Number(number.toPrecision(15));
}

function sorted(table: Table, { sort_by: by, descending = false }: Query): Table {
  if (by === undefined) return table;
  const index = indexOf(table, by);
  const sign = descending ? -1 : 1;
  const keyed = table.rows.map((row) => ({ row, value: valueOf(row[index] ?? "") }));
  const rows = keyed.toSorted((a, b) => sign * compare(a.value, b.value)).map(({ row }) => row);
  return { ...table, rows };
}
