import { mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { keepWithinLimits, prune } from "../../src/tools/snapshots.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { tempDirectory } from "../support/temp-directory.ts";

const NOW = 1_800_000_000_000;

test.each<[string, { bytes: number; ageMs: number }, string[]]>([
  ["within the limits all stay", { bytes: 100, ageMs: 1_000_000 }, ["a", "b", "c"]],
  ["what is older goes", { bytes: 100, ageMs: 25_000 }, ["b", "c"]],
  ["of too much the oldest go", { bytes: 10, ageMs: 1_000_000 }, ["c"]],
])("%s", async (_name, limits, left) => {
  const directory = tempDirectory();
  for (const [index, name] of ["a", "b", "c"].entries()) {
    const file = path.join(directory, name);
    writeFileSync(file, "x".repeat(6));
    const at = NOW / 1_000 - 30 + index * 10;
    utimesSync(file, at, at);
  }
  // A directory that the program did not create is left alone.
  const foreign = path.join(directory, "lost+found");
  mkdirSync(foreign);
  utimesSync(foreign, NOW / 1_000 - 28, NOW / 1_000 - 28);
  await prune({ directory, clock: new ManualClock(NOW), limits });
  expect(readdirSync(directory).toSorted()).toEqual([...left, "lost+found"]);
});

test.each([
  { tookMs: 0, restsMs: 60_000 },
  { tookMs: 5_000, restsMs: 500_000 },
  { tookMs: 86_400_000, restsMs: 3_600_000 },
])("after a pruning that took $tookMs ms the next one starts $restsMs ms later", async ({ tookMs, restsMs }) => {
  const controller = new AbortController();
  const waits: number[] = [];
  const times = [NOW, NOW + tookMs];
  const clock = {
    now: () => times.shift() ?? NOW,
    after: () => () => undefined,
    sleep: async (ms: number) => {
      waits.push(ms);
      controller.abort();
    },
  };
  await keepWithinLimits({ directory: tempDirectory(), clock }, controller.signal);
  expect(waits).toEqual([restsMs]);
});

test("pruning a directory that does not exist does nothing", async () => {
  const directory = path.join(tempDirectory(), "none");
  await expect(prune({ directory, clock: new ManualClock(NOW) })).resolves.toBeUndefined();
});
