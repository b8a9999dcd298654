import { DriverAdapterError, type MappedError } from "@prisma/driver-adapter-utils";
import BetterSqlite3 from "better-sqlite3";

/** A failure of SQLite's as Prisma knows failures; all else as it is. */
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

/** `UNIQUE constraint failed: Run.id, Run.sessionId` → its columns. */
function columnsIn(message: string): string[] {
  return message.replace(/^.*? constraint failed: /u, "").split(", ");
}

function fieldOf(column: string): string {
  return column.slice(column.lastIndexOf(".") + 1);
}

/** What there is none of in this database. */
function missing(message: string): MappedError | null {
  const table = /^no such table: (.*)$/su.exec(message)?.[1];
  if (table !== undefined) return { kind: "TableDoesNotExist", table };
  const column = /^no such column: (.*)$/su.exec(message)?.[1] ?? /has no column named (.*)$/su.exec(message)?.[1];
  return column === undefined ? null : { kind: "ColumnNotFound", column };
}

/** The driver has no number for its code. */
function other(message: string): MappedError {
  return { kind: "sqlite", extendedCode: 1, message };
}
