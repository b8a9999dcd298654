import { chmodSync, existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { acquireLease } from "../src/core/store/database/lease.ts";
import { openStore } from "../src/core/store/store.ts";
import { requireOwn } from "../src/home.ts";
import { systemRuntime } from "../src/runtime.ts";

let directory = "";

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), "deckhand-home-"));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

function modeOf(place: string): number {
  return statSync(place).mode & 0o777;
}

test("a new home is its owner's alone, and the way to it is not", async () => {
  const home = path.join(directory, "var/deckhand");
  await requireOwn(home, "DECKHAND_HOME");
  expect(modeOf(home)).toBe(0o700);
  expect(modeOf(path.dirname(home))).not.toBe(0o700);
});

test.each([0o755, 0o750, 0o777])("a home that is there is closed to others, too: %o", async (mode) => {
  chmodSync(directory, mode);
  await requireOwn(directory, "DECKHAND_HOME");
  expect(modeOf(directory)).toBe(0o700);
});

test("a database that is there is closed to others, with all beside it", async () => {
  const file = path.join(directory, "deckhand.db");
  const url = `file:${file}`;
  const open = async () => {
    const runtime = systemRuntime();
    const lease = await acquireLease({
      url,
      clock: runtime.clock,
      standby: () => {},
      signal: new AbortController().signal,
    });
    const store = await openStore(url, runtime);
    await store.transaction(() => Promise.resolve()); // the first use makes the files beside the database
    return { lease, store };
  };
  const first = await open();
  const places = [file, `${file}-wal`, `${file}-shm`, `${file}.lease`];
  expect(places.map(modeOf)).toEqual([0o600, 0o600, 0o600, 0o600]);
  await first.store.close();
  await first.lease.release();
  for (const place of places) if (existsSync(place)) chmodSync(place, 0o644);
  const second = await open();
  expect(places.map(modeOf)).toEqual([0o600, 0o600, 0o600, 0o600]);
  await second.store.close();
  await second.lease.release();
});
