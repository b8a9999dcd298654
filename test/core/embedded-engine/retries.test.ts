import { expect, test } from "vitest";
import { Retries } from "../../../src/core/embedded-engine/retries.ts";
import { Timers } from "../../../src/core/embedded-engine/timers.ts";
import { ConnectionLost } from "../../../src/core/protocol/database-failure.ts";
import { StoreError } from "../../../src/core/protocol/errors.ts";
import { ManualClock } from "../../support/manual-clock.ts";

const GONE = new Error("the channel is gone");
const FIRST_MS = 5_000;

function scene() {
  const clock = new ManualClock();
  const woken: string[] = [];
  const retries = new Retries(new Timers(clock));
  const failed = (id: string, error: unknown) => retries.plan(id, error, () => woken.push(id));
  const fails = (id: string, error: unknown) => failed(id, error).waitMs;
  return { clock, woken, retries, fails, failed };
}

test("a session has a single scheduled retry, however often it fails", async () => {
  const { clock, woken, retries, fails } = scene();
  expect([fails("one", GONE), fails("one", GONE), fails("other", GONE)]).toEqual([FIRST_MS, 2 * FIRST_MS, FIRST_MS]);
  expect(retries.waiting()).toEqual(["one", "other"]);
  await clock.advance(4 * FIRST_MS);
  expect(woken.toSorted()).toEqual(["one", "other"]);
  expect(retries.waiting()).toEqual([]);
});

test("a database outage does not increase the backoff, and a session of a newer version is not waiting for a retry", () => {
  const { retries, fails } = scene();
  const away = Array.from({ length: 5 }, () => fails("one", new ConnectionLost("connection terminated")));
  expect(new Set(away)).toEqual(new Set([FIRST_MS]));
  fails("newer", new StoreError("database_newer", "a newer version has had it"));
  expect(retries.waiting()).toEqual(["one"]);
});

test("a session that needs a newer version is reported once, and again only after it has worked", () => {
  const { retries, failed } = scene();
  const newer = () => failed("one", new StoreError("database_newer", "a newer version has had it")).isNews;
  expect([newer(), newer(), newer()]).toEqual([true, false, false]);
  expect([failed("one", GONE).isNews, failed("one", GONE).isNews]).toEqual([true, true]);
  expect([newer(), newer()]).toEqual([true, false]);
  retries.succeeded("one");
  expect(newer()).toBe(true);
});
