import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStore, type Store } from "../../../../src/core/store/store.ts";
import { createSession } from "../../../contracts/engine-recorder.ts";
import { ManualClock } from "../../../support/manual-clock.ts";
import { passTime } from "../../../support/pass-time.ts";
import { countingIds, seededRandom } from "../../../support/runtime.ts";

let directory = "";
let clock: ManualClock;
let store: Store;
/** Another program on the same file, e.g. a backup. */
let other: BetterSqlite3.Database;

beforeEach(async () => {
  directory = mkdtempSync(path.join(tmpdir(), "deckhand-sqlite-"));
  clock = new ManualClock();
  const file = path.join(directory, "deckhand.db");
  store = await openStore(`file:${file}`, { clock, ids: countingIds(), random: seededRandom(1) });
  other = new BetterSqlite3(file);
});

afterEach(async () => {
  other.close();
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

test("a write waits while another program locks the database", async () => {
  other.exec("BEGIN IMMEDIATE");
  const writing = createSession(store);
  while (clock.pending === 0) await new Promise((resolve) => setImmediate(resolve));
  other.exec("ROLLBACK");
  await clock.advance(1_000);
  const session = await store.sessions.get(await writing);
  expect(session.agent).toBe("build");
});

test("a persistent lock fails the write after 15 s, and no later write", async () => {
  other.exec("BEGIN IMMEDIATE");
  const writing = createSession(store);
  const failure = expect(writing).rejects.toMatchObject({ code: "SQLITE_BUSY" });
  const begun = clock.now();
  await passTime(clock, writing);
  await failure;
  expect(clock.now() - begun).toBeGreaterThanOrEqual(15_000);
  other.exec("ROLLBACK");
  const session = await store.sessions.get(await createSession(store));
  expect(session.agent).toBe("build");
});

test("messages that still show progress are found by an index", () => {
  const asked = `EXPLAIN QUERY PLAN SELECT "key" FROM "Post" WHERE ("closing" <> ? AND "shownAt" IS NULL)`;
  expect(other.prepare(asked).all("")).toMatchObject([{ detail: "SCAN Post USING INDEX Post_unclosed_idx" }]);
});
