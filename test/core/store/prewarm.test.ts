import path from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { expect, test } from "vitest";
import { prewarmStore } from "../../../src/core/store/prewarm.ts";
import { openStore } from "../../../src/core/store/store.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { tempDirectory } from "../../support/temp-directory.ts";

/** Number of rows in every table, read by a separate connection. */
function rowsIn(file: string): Record<string, number> {
  const connection = new BetterSqlite3(file, { readonly: true });
  try {
    const named = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_prisma%' ESCAPE '\\'";
    const tables = connection.prepare<[], string>(named).pluck().all();
    const count = (table: string) => connection.prepare<[], number>(`SELECT count(*) FROM "${table}"`).pluck().get();
    return Object.fromEntries(tables.map((table) => [table, count(table) ?? 0]));
  } finally {
    connection.close();
  }
}

test("pre-warming leaves nothing in the store, which works as before", async () => {
  const file = path.join(tempDirectory(), "deckhand.db");
  const runtime = systemRuntime();
  const store = await openStore(`file:${file}`, runtime);
  try {
    const before = rowsIn(file);
    await prewarmStore(store, runtime);
    expect(rowsIn(file)).toEqual(before);
    expect(before).toMatchObject({ Session: 0, InboxEvent: 0, Run: 0, Message: 0 });
    await store.transaction((tx) => tx.presence.answered("slack:T1:C1:1.0", 1));
    expect(rowsIn(file)).not.toEqual(before);
  } finally {
    await store.close();
  }
});
