import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { lastActiveAt } from "../../../../src/core/store/database/sqlite-file.ts";
import { createSession } from "../../../contracts/engine-recorder.ts";
import { openFileStore } from "../../../support/database/empty-database.ts";

let directory = "";
let file = "";

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), "deckhand-worked-"));
  file = path.join(directory, "deckhand.db");
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

const HOUR_AGO = Date.now() - 3_600_000;
const asked = (now = Date.now()) => lastActiveAt(`file:${file}`, now);
const setBack = () => utimesSync(file, new Date(HOUR_AGO), new Date(HOUR_AGO));

test("a missing or empty database file has no last activity", async () => {
  expect(await asked()).toBeNull();
  writeFileSync(file, "");
  expect(await asked()).toBeNull();
});

test("the last activity is the last write of an ended process, or now for a running one", async () => {
  const store = await openFileStore(file);
  await createSession(store);
  setBack();
  const now = Date.now();
  expect(await asked(now)).toBe(now);
  await store.close();
  setBack();
  expect(Math.round((await asked(now)) ?? 0)).toBe(HOUR_AGO);
  expect(await asked(5)).toBe(5);
});

test("for PostgreSQL the last activity is always now", async () => {
  expect(await lastActiveAt("postgresql://127.0.0.1/deckhand", 7)).toBe(7);
});
