import { DriverAdapterError, type MappedError } from "@prisma/driver-adapter-utils";
import BetterSqlite3 from "better-sqlite3";

/** Turns an SQLite error into Prisma's form; returns any other error unchanged. */
export function asAdapterError(error: unknown): unknown {
  if (!(error instanceof BetterSqlite3.SqliteError)) return error;
  const { code, message } = error;
  return new DriverAdapterError({ ...mapped(code, message), originalCode: code, originalMessage: message });
}

/** Source: SQLite docs, Result and Error Codes. */
function mapped(code: string, message: string): MappedError {
  switch (code) {
    case "SQLITE_CONSTRAINT_UNIQUE":
    case "SQLITE_CONSTRAINT_PRIMARYKEY": {
      const columns = columnsIn(message);
      const table = columns[0]?.split(".").slice(0, -1).join(".") ?? "";
      const kind = { kind: "UniqueConstraintViolation", constraint: { fields: columns.map(fieldOf) } } as const;
      return table === "" ? kind : { ...kind, table };
    }
    case "SQLITE_CONSTRAINT_NOTNULL":
      return { kind: "NullConstraintViolation", constraint: { fields: columnsIn(message).map(fieldOf) } };
    case "SQLITE_CONSTRAINT_FOREIGNKEY":
    case "SQLITE_CONSTRAINT_TRIGGER":
      return { kind: "ForeignKeyConstraintViolation", constraint: { foreignKey: {} } };
    default:
      return code.startsWith("SQLITE_BUSY") ? { kind: "SocketTimeout" } : (missing(message) ?? other(message));
  }
}

/** The columns of `UNIQUE constraint failed: Run.id, Run.sessionId`. */
function columnsIn(message: string): string[] {
  return message.replace(/^.*? constraint failed: /u, "").split(", ");
}

function fieldOf(column: string): string {
  return column.slice(column.lastIndexOf(".") + 1);
}

/** The error for a missing table or column; null for any other. */
function missing(message: string): MappedError | null {
  const table = /^no such table: (.*)$/su.exec(message)?.[1];
  if (table !== undefined) return { kind: "TableDoesNotExist", table };
  const column = /^no such column: (.*)$/su.exec(message)?.[1] ?? /has no column named (.*)$/su.exec(message)?.[1];
  return column === undefined ? null : { kind: "ColumnNotFound", column };
}

/** Any other error. The driver does not give the number of its code. */
function other(message: string): MappedError {
  return { kind: "sqlite", extendedCode: 1, message };
}
