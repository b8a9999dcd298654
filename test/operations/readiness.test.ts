import { expect, test } from "vitest";
import { readiness } from "../../src/operations/readiness.ts";

test("a process whose database accepts no writes is not ready, and reports it", () => {
  const ready = readiness({ state: "running", storeFailure: null }, new Map());
  expect(ready).toEqual({ status: 200, body: { ready: true, state: "running", platforms: {} } });
  const full = Object.assign(new Error("database or disk is full"), { name: "SqliteError", code: "SQLITE_FULL" });
  const other = readiness({ state: "running", storeFailure: new Error("it is locked") }, new Map());
  expect(readiness({ state: "running", storeFailure: full }, new Map())).toMatchObject({
    status: 503,
    body: { ready: false, database: "its disk is full; free up space" },
  });
  expect(other).toMatchObject({ status: 503, body: { database: "it refuses writes; the log says why" } });
});
