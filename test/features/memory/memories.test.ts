import { expect, test } from "vitest";
import type { Clock } from "../../../src/core/protocol/runtime.ts";
import type { Store } from "../../../src/core/store/store.ts";
import { createLearner } from "../../../src/features/memory/learning/learner.ts";
import { createMemories, type MemoryInput } from "../../../src/features/memory/memories.ts";
import { memoryReads } from "../../../src/features/memory/store.ts";
import { onlyProcess } from "../../../src/ownership/only-process.ts";
import { describePlatform } from "../../../src/platforms.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { emptyStore } from "../../support/database/emptied-databases.ts";
import { silentLog } from "../../support/silent-log.ts";
import { retentionWorld } from "../retention/retention-world.ts";
import { seedSession } from "../retention/seed.ts";

const ANA = { id: "slack:U1", name: "ana" };
const thread = { platform: "slack", workspaceId: "T1", channelId: "C1", threadId: "1.2" } as const;
const told: MemoryInput = {
  text: "We deploy on Thursdays",
  kind: "semantic",
  scope: "channel",
  author: ANA,
  thread,
  channelKey: "slack:C1",
  origin: "people",
  mayLeave: false,
};

function memoriesOf(store: Store, { isShared = false, isPrivate = false } = {}) {
  return createMemories({
    store,
    runtime: systemRuntime(),
    log: silentLog,
    database: "sqlite",
    describe: describePlatform,
    membershipOf: () => Promise.resolve({ isPrivate, isMember: true, canPost: true }),
    cluster: { isShared },
  });
}

test("memory that one process turns off in a channel is off in the others", async () => {
  const store = await emptyStore();
  const [one, other] = [memoriesOf(store, { isShared: true }), memoriesOf(store, { isShared: true })];
  expect(await other.isPaused("slack:C1")).toBe(false);
  await one.pause("slack:C1", ANA.id);
  expect(await other.isPaused("slack:C1")).toBe(true);
});

test("memory that is turned off during a look-up of the setting stays off", async () => {
  const store = await emptyStore();
  const [read, changed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const paused = async () => {
    const before = await store.tables(memoryReads).paused();
    read.resolve();
    await changed.promise;
    return before;
  };
  const tables: Store["tables"] = (of) => {
    const made = store.tables(of);
    if (Object.is(of, memoryReads)) Object.assign(made ?? {}, { paused });
    return made;
  };
  const memories = memoriesOf({ ...store, tables });
  const looked = memories.isPaused("slack:C1");
  await read.promise;
  await memories.pause("slack:C1", ANA.id);
  changed.resolve();
  expect(await looked).toBe(false);
  expect(await memories.isPaused("slack:C1")).toBe(true);
});

test.each<{ what: string; before: Partial<MemoryInput>; isPrivate?: boolean }>([
  { what: "was found outside", before: { origin: "outside" } },
  { what: "another has said", before: { author: { id: "slack:U2", name: "bob" } } },
  { what: "was noted in private", before: {}, isPrivate: true },
])(
  "a person's own statement is attributed to them although the same text $what before",
  async ({ before, isPrivate = false }) => {
    const memories = memoriesOf(await emptyStore(), { isPrivate });
    const mine = { ...told, scope: "person" } as const;
    await memories.keep({ ...mine, ...before });
    const [first, second] = [
      await memories.keep({ ...mine, mayLeave: true }),
      await memories.keep({ ...mine, mayLeave: true }),
    ];
    expect(first).toMatchObject({ memory: { origin: "people", author: ANA, isPrivate: false } });
    expect(second).toMatchObject({ memory: { seq: "memory" in first ? first.memory.seq : 0, uses: 1 } });
  },
);

test("a workspace memory is refused in a direct message that belongs to no workspace", async () => {
  const memories = memoriesOf(await emptyStore(), { isPrivate: true });
  const direct = { platform: "discord", workspaceId: "@me", channelId: "1", threadId: null } as const;
  const kept = await memories.keep({ ...told, scope: "workspace", thread: direct, mayLeave: true });
  expect(kept).toEqual({ refused: expect.stringContaining("in a channel") });
});

const DAY_MS = 86_400_000;
const SAID_AT = 1_800_000_000_000;

/** Nobody waits: a sleep moves the time on. */
function quickClock(until: number, end: () => void): Clock {
  let now = SAID_AT;
  return {
    now: () => now,
    sleep: async (ms, signal) => {
      now += ms;
      if (now > until) end();
      signal.throwIfAborted();
    },
    after: () => () => {},
  };
}

test("the members of a deleted channel are requested at growing intervals, and finally not at all", async () => {
  const world = await retentionWorld();
  await seedSession(world, { id: "ses_1", word: "the heron is deployed on Thursdays from Oslo", at: SAID_AT });
  const { store, log, database, describe } = world;
  await store.transaction((tx) => tx.tables((db) => db.toolCall.deleteMany()));
  const over = new AbortController();
  const clock = quickClock(SAID_AT + 3 * DAY_MS, () => over.abort());
  const runtime = { ...systemRuntime(), clock };
  const asked: number[] = [];
  const membershipOf = () => {
    asked.push(clock.now());
    if (asked.length > 200) over.abort();
    return Promise.resolve(null);
  };
  const cluster = onlyProcess({ clock, log });
  const memories = createMemories({ store, runtime, log, database, describe, membershipOf, cluster });
  const never = () => Promise.reject(new Error("nothing is learned"));
  const learner = createLearner(
    memories,
    {
      store,
      runtime,
      log,
      membershipOf,
      cluster,
      configOf: () => expect.unreachable(),
      callModel: never,
      addToFold: never,
    },
    { learn: true, quietMs: 600_000, model: "openai/any" },
  );
  await learner.work(over.signal);
  expect(asked.length).toBeLessThan(80);
  expect(asked.at(-1)).toBeLessThan(SAID_AT + 2 * DAY_MS);
  const lesson = await store.tables((db) => db.memoryLesson.findUnique({ where: { sessionId: "ses_1" } }));
  expect(lesson?.dueAt).toBeNull();
});
