import { expect, test } from "vitest";
import { createChangeNotifier, followChanges } from "../../src/core/change-notices.ts";
import type { Cluster } from "../../src/core/cluster.ts";
import { onlyProcess } from "../../src/ownership/only-process.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { silentLog } from "../support/silent-log.ts";

/** Two processes, whose messages to each other arrive only while `arrives` returns true. */
function twoProcesses(arrives: () => boolean) {
  const clock = new ManualClock();
  const log = silentLog;
  const listeners = new Set<(about: string) => void>();
  const told: string[] = [];
  const cluster: Cluster = {
    ...onlyProcess({ clock, log }),
    isShared: true,
    size: () => 2,
    publish: async (_topic, about) => {
      told.push(about);
      if (arrives()) for (const listener of listeners) listener(about);
    },
    subscribe: (_topic, listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return { clock, cluster, told, changes: { cluster, topic: "settings", clock, log } as const };
}

test("a notice triggers one check for changes made together, and checks also run periodically", async () => {
  let arrives = true;
  const { clock, told, changes } = twoProcesses(() => arrives);
  const ended = new AbortController();
  const looks: number[] = [];
  followChanges({ ...changes, everyMs: 10_000, signal: ended.signal }, async () => {
    looks.push(clock.now());
  });
  const changed = createChangeNotifier(changes, "all");
  for (let times = 0; times < 5; times += 1) changed();
  await clock.advance(1_000);
  expect(told).toEqual(["all"]);
  expect(looks).toHaveLength(1);

  arrives = false;
  changed();
  await clock.advance(8_000);
  expect(looks).toHaveLength(1);
  await clock.advance(1_000);
  expect(looks).toHaveLength(2);

  ended.abort();
  await clock.advance(60_000);
  expect(looks).toHaveLength(2);
  expect(clock.pending).toBe(0);
});

test("a notice during a check triggers another one, and a failed check is followed by the next", async () => {
  const { clock, cluster, changes } = twoProcesses(() => true);
  const looks = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let begun = 0;
  followChanges({ ...changes, everyMs: 10_000, signal: AbortSignal.any([]) }, () => {
    begun += 1;
    return looks[begun - 1]?.promise ?? Promise.resolve();
  });
  await cluster.publish("settings", "");
  await cluster.publish("settings", "");
  await cluster.publish("settings", "");
  await clock.advance(0);
  expect(begun).toBe(1);
  looks[0]?.reject(new Error("the database is away"));
  await clock.advance(0);
  expect(begun).toBe(2);
  looks[1]?.resolve();
  await clock.advance(10_000);
  expect(begun).toBe(3);
});

test("a sole process neither checks nor notifies, and starts no timer", async () => {
  const clock = new ManualClock();
  const cluster = onlyProcess({ clock, log: silentLog });
  const changes = { cluster, topic: "settings", clock, log: silentLog } as const;
  let looks = 0;
  followChanges({ ...changes, everyMs: 1_000, signal: AbortSignal.any([]) }, async () => {
    looks += 1;
  });
  createChangeNotifier(changes)();
  expect(clock.pending).toBe(0);
  await clock.advance(60_000);
  expect(looks).toBe(0);
});
