import { type ArgType, type ColumnType, ColumnTypeEnum } from "@prisma/driver-adapter-utils";

/** Conversion of values between Prisma and SQLite, which has only integers, floats, texts and bytes. */

/** A value in the form that SQLite takes. Points in time become texts in UTC (`+00:00`), which sort chronologically. */
export function bound(value: unknown, { scalarType }: Pick<ArgType, "scalarType">): unknown {
  if (typeof value === "boolean") return Number(value);
  if (value instanceof Date) return timestamp(value);
  if (typeof value !== "string") return value;
  switch (scalarType) {
    case "int":
      return Number.parseInt(value, 10);
    case "float":
    case "decimal":
      return Number.parseFloat(value);
    case "bigint":
      return BigInt(value);
    case "datetime":
      return timestamp(new Date(value));
    case "bytes":
      return Buffer.from(value, "base64");
    default:
      return value;
  }
}

function timestamp(time: Date): string {
  return `${time.toISOString().slice(0, -1)}+00:00`;
}

/** Prisma's types for the declared types of the columns. Source: the migrations, and SQLite's own functions. */
const DECLARED: Readonly<Record<string, ColumnType>> = {
  INTEGER: ColumnTypeEnum.Int32,
  BIGINT: ColumnTypeEnum.Int64,
  REAL: ColumnTypeEnum.Double,
  DECIMAL: ColumnTypeEnum.Numeric,
  TEXT: ColumnTypeEnum.Text,
  BLOB: ColumnTypeEnum.Bytes,
  BOOLEAN: ColumnTypeEnum.Boolean,
  DATETIME: ColumnTypeEnum.DateTime,
  JSONB: ColumnTypeEnum.Json,
};

/** Type of a column's declaration; null if the column is calculated. */
export function declaredType(declaration: string | null): ColumnType | null {
  return DECLARED[declaration?.toUpperCase() ?? ""] ?? null;
}

/** Type of a calculated column, by its first value that is not null. */
export function typeOfValues(rows: readonly (readonly unknown[])[], column: number): ColumnType {
  const value = rows.find((row) => row[column] !== null)?.[column];
  switch (typeof value) {
    case "string":
      return ColumnTypeEnum.Text;
    case "bigint":
      return ColumnTypeEnum.Int64;
    case "number":
      return ColumnTypeEnum.UnknownNumber;
    case "object":
      return ColumnTypeEnum.Bytes;
    default:
      return ColumnTypeEnum.Int32;
  }
}

/** A value in the form that Prisma takes. Integers beyond the safe range become texts. */
export function read(value: unknown, type: ColumnType): unknown {
  if (typeof value !== "bigint" && typeof value !== "number") return value;
  if (type === ColumnTypeEnum.DateTime) return new Date(Number(value)).toISOString();
  if (typeof value === "number") return isInteger(type) ? Math.trunc(value) : value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}

function isInteger(type: ColumnType): boolean {
  return type === ColumnTypeEnum.Int32 || type === ColumnTypeEnum.Int64;
}
