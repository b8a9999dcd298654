import BetterSqlite3 from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { keepPrepared } from "../../../../src/core/store/database/prepared-statements.ts";

function opened() {
  const database = new BetterSqlite3(":memory:");
  onTestFinished(() => {
    database.close();
  });
  const texts: string[] = [];
  const prepare = keepPrepared((sql) => {
    texts.push(sql);
    return database.prepare(sql);
  });
  return { prepare, texts };
}

test("a text is prepared once, and takes other values with each execution", () => {
  const { prepare, texts } = opened();
  prepare("CREATE TABLE Word (id INTEGER, text TEXT)").run();
  const insert = "INSERT INTO Word VALUES (?, ?)";
  for (const [id, text] of ["one", "two"].entries()) expect(prepare(insert).bind([id, text]).run().changes).toBe(1);
  const select = "SELECT text FROM Word WHERE id = ?";
  const words = [0, 1, 2].map((id) => prepare(select).bind([id]).raw().all());
  expect(words).toEqual([[["one"]], [["two"]], []]);
  expect(prepare(select).bind([0]).columns()).toMatchObject([{ name: "text", type: "TEXT" }]);
  expect(texts.filter((sql) => sql === insert || sql === select)).toEqual([insert, select]);
});

test("a text that fails once is prepared anew, and one that was not used for long is forgotten", () => {
  const { prepare, texts } = opened();
  expect(() => prepare("SELECT word FROM Word")).toThrow("no such table");
  prepare("CREATE TABLE Word (word TEXT)").run();
  expect(prepare("SELECT word FROM Word").bind([]).raw().all()).toEqual([]);
  for (let number = 0; number < 500; number += 1) prepare(`SELECT ${number}`);
  prepare("SELECT 0");
  prepare("SELECT word FROM Word");
  expect(texts.filter((sql) => sql === "SELECT word FROM Word")).toHaveLength(3);
  expect(texts.filter((sql) => sql === "SELECT 0")).toHaveLength(1);
});
