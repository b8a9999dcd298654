import path from "node:path";
import { DriverAdapterError } from "@prisma/driver-adapter-utils";
import { expect, onTestFinished, test } from "vitest";
import { isDatabaseUnavailable, isDiskFull } from "../../../../src/core/protocol/database-failure.ts";
import { openStore } from "../../../../src/core/store/store.ts";
import { systemRuntime } from "../../../../src/runtime.ts";
import { startPostgres } from "../../../support/database/postgres.ts";
import { tempDirectory } from "../../../support/temp-directory.ts";

async function failureOf(url: string, statements: readonly string[]) {
  const store = await openStore(url, systemRuntime());
  onTestFinished(() => store.close());
  const failed = store.transaction(async (tx) => {
    for (const sql of statements) await tx.tables((db) => db.$queryRawUnsafe(sql));
  });
  const error = await failed.catch((reason: unknown) => reason);
  // The connection is still usable.
  expect(await store.transaction((tx) => tx.runs.interrupted())).toEqual([]);
  return { isFull: isDiskFull(error), isAway: isDatabaseUnavailable(error) };
}

const INSERT = `INSERT INTO "MemoryPause" ("channelId", "byId", "createdAt") VALUES ('${"x".repeat(100_000)}', 'b', '2026-01-01')`;

test("a full disk is recognised on SQLite, and no other failure is mistaken for it", async () => {
  const url = () => `file:${path.join(tempDirectory(), "deckhand.db")}`;
  expect(await failureOf(url(), ["PRAGMA max_page_count = 1", INSERT])).toEqual({ isFull: true, isAway: false });
  expect(await failureOf(url(), [INSERT, INSERT])).toEqual({ isFull: false, isAway: false });
});

test("a disk that is full at commit is recognised", () => {
  const [originalCode, originalMessage] = ["SQLITE_FULL", "database or disk is full"];
  const cause = { kind: "sqlite", extendedCode: 13, message: originalMessage, originalCode, originalMessage } as const;
  expect(isDiskFull(new DriverAdapterError(cause))).toBe(true);
  expect(isDatabaseUnavailable(new DriverAdapterError({ ...cause, originalCode: "SQLITE_IOERR_WRITE" }))).toBe(true);
});

test("a full disk is recognised on PostgreSQL, and no other failure is mistaken for it", async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  const raised = (code: string) =>
    `DO $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '${code}'; END $$`;
  const fails = async (code: string) => failureOf(await postgres.createDatabase(), [raised(code)]);
  expect(await fails("disk_full")).toEqual({ isFull: true, isAway: false });
  expect(await fails("out_of_memory")).toEqual({ isFull: false, isAway: false });
  // Statements that failed because of other transactions may succeed the next time.
  const later = ["query_canceled", "lock_not_available", "deadlock_detected", "serialization_failure"];
  for (const code of later) expect(await fails(code), code).toEqual({ isFull: false, isAway: true });
});

test("a server that is temporarily read-only counts as unavailable", async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  const statements = ["SET TRANSACTION READ ONLY", INSERT];
  expect(await failureOf(await postgres.createDatabase(), statements)).toEqual({ isFull: false, isAway: true });
});
