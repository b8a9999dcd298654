import { existsSync } from "node:fs";
import { Client } from "pg";
import { expect, test } from "vitest";
import { startOwnPostgres } from "./postgres.ts";

async function select(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

test("a server starts, gives each test an empty database, and leaves nothing behind", async () => {
  const postgres = await startOwnPostgres();
  const one = await postgres.createDatabase();
  const other = await postgres.createDatabase();
  await select(one, "create table t (a int)");
  const tables = "select count(*)::int as n from information_schema.tables where table_name = 't'";
  expect(await select(one, tables)).toEqual([{ n: 1 }]);
  expect(await select(other, tables)).toEqual([{ n: 0 }]);
  await postgres.stop();
  await expect(select(postgres.url, "select 1")).rejects.toThrow("ECONNREFUSED");
  expect(existsSync(postgres.directory)).toBe(false);
});
