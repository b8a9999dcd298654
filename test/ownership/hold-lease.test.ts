import { mkdirSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openStore } from "../../src/core/store/store.ts";
import { holdLease } from "../../src/ownership/hold-lease.ts";
import { systemRuntime } from "../../src/runtime.ts";
import { openFileStore } from "../support/database/empty-database.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { tempDirectory } from "../support/temp-directory.ts";

const changes: { name: string; change: (file: string) => Promise<void> | void }[] = [
  { name: "removed", change: (file) => rmSync(path.dirname(file), { recursive: true }) },
  {
    name: "replaced",
    change: async (file) => {
      const other = `${file}.restored`;
      await (await openFileStore(other)).close();
      renameSync(other, file);
    },
  },
];

test.each(changes)("the process fails when its SQLite file is $name while it runs", async ({ change }) => {
  const file = path.join(tempDirectory(), "data", "deckhand.db");
  mkdirSync(path.dirname(file));
  const url = `file:${file}`;
  const store = await openStore(url, systemRuntime());
  onTestFinished(() => store.close());
  const clock = new ManualClock();
  const failure = Promise.withResolvers<Error>();
  const parts = new AsyncDisposableStack();
  onTestFinished(() => parts.disposeAsync());
  await holdLease({
    config: { database: { kind: "sqlite", url, directUrl: url } },
    clock,
    say: () => undefined,
    standBy: () => undefined,
    fail: failure.resolve,
    parts,
    signal: new AbortController().signal,
  });
  await clock.advance(5_000);
  await change(file);
  await clock.advance(5_000);
  expect((await failure.promise).message).toContain(`${file} was removed or replaced while Deckhand was running`);
});
