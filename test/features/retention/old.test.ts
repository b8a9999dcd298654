import { describe, expect, test } from "vitest";
import type { Client } from "../../../src/core/store/database/client.ts";
import { deleteOld } from "../../../src/features/retention/delete-old.ts";
import type { DeletionScope } from "../../../src/features/retention/delete-sessions.ts";
import { finishDeletions } from "../../../src/features/retention/finish-deletions.ts";
import { BATCH } from "../../../src/features/retention/store.ts";
import { threadDeletion } from "../../../src/features/retention/threads/store.ts";
import { useEmptiedPostgres } from "../../support/database/emptied-databases.ts";
import { retentionWorld, type WorldOptions } from "./retention-world.ts";
import { seedSession } from "./seed.ts";

const NEVER = AbortSignal.any([]);
const DAY_MS = 86_400_000;
const ago = (days: number) => Date.now() - days * DAY_MS;

const emptied = useEmptiedPostgres();

describe.each<[string, () => Promise<WorldOptions>]>([
  ["SQLite", async () => ({})],
  ["PostgreSQL", async () => ({ database: await emptied() })],
])("on %s", (_name, options) => {
  test("what is older goes whole; what is newer, goes on or is pinned stays", async () => {
    const world = await retentionWorld(await options());
    await seedSession(world, { id: "ses_old", word: "herongoes", platform: "web", at: ago(91) });
    await seedSession(world, { id: "ses_below", word: "herongoesbelow", parentId: "ses_old", at: ago(91) });
    await seedSession(world, { id: "ses_new", word: "grebestays", at: ago(89) });
    await seedSession(world, { id: "ses_live", word: "ruffstays", at: ago(91), isOver: false });
    await seedSession(world, { id: "ses_pinned", word: "loongoes", at: ago(91) });
    const at = { isPinned: true, text: "pinned", terms: "pinned", thread: null, vector: { delete: true } };
    await world.store.transaction((tx) =>
      tx.tables(async (db) => {
        await db.memory.update({ where: { id: "mem-ses_pinned" }, data: at });
        // What a run was given lately is of use.
        await db.memory.update({ where: { id: "mem-ses_live" }, data: { usedAt: new Date(ago(1)) } });
        await db.webThread.create({
          data: { id: "left", title: "ibisgoes", createdAt: new Date(ago(91)), updatedAt: new Date(ago(91)) },
        });
      }),
    );
    expect(await deleteOld(ago(90), world, NEVER)).toEqual({ sessions: 2, memories: 2, threads: 1 });
    for (const word of ["herongoes", "loongoes", "ibisgoes"]) expect(await world.traces(word)).toEqual([]);
    for (const word of ["grebestays", "ruffstays"]) expect((await world.traces(word)).length).toBeGreaterThan(15);
    const memories = await world.store.tables((db) =>
      db.memory.findMany({ select: { id: true }, orderBy: { id: "asc" } }),
    );
    expect(memories.map(({ id }) => id)).toEqual(["mem-ses_live", "mem-ses_new", "mem-ses_pinned"]);
    expect(await world.store.tables((db) => db.usage.count())).toBe(5);
  });

  test("of threads that are no session's all go that are old, however many there are", async () => {
    const world = await retentionWorld(await options());
    await seedSession(world, { id: "ses_new", word: "grebe", platform: "web", at: ago(89) });
    const [createdAt, newer] = [new Date(ago(91)), new Date(ago(89))];
    const old = Array.from({ length: 120 }, (_, index) => ({
      id: `${index}`,
      title: "t",
      createdAt,
      updatedAt: createdAt,
    }));
    await world.store.transaction((tx) =>
      tx.tables(async (db) => {
        // Its session has gone on since.
        await db.webThread.updateMany({ data: { updatedAt: createdAt } });
        await db.webThread.createMany({ data: [...old, { id: "new", title: "t", createdAt, updatedAt: newer }] });
      }),
    );
    expect(await deleteOld(ago(90), world, NEVER)).toEqual({ sessions: 0, memories: 0, threads: 120 });
  });

  test("no transaction deletes more than a batch of rows of a table", async () => {
    const world = await retentionWorld(await options());
    await seedSession(world, { id: "ses_old", word: "heron", at: ago(91) });
    const createdAt = new Date(ago(91));
    const message = { sessionId: "ses_old", runId: "run_ses_old", role: "user", content: "[]", createdAt };
    const rows = Array.from({ length: 1_000 }, (_, index) => ({ ...message, id: `more-${index}`, seq: 10 + index }));
    await world.store.transaction((tx) => tx.tables((db) => db.message.createMany({ data: rows })));
    const left: number[] = [];
    const counting = {
      ...world,
      store: {
        ...world.store,
        transaction: async (work: Parameters<typeof world.store.transaction>[0]) => {
          const value = await world.store.transaction(work);
          left.push(await world.store.tables((db) => db.message.count()));
          return value;
        },
      },
    };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the value's type goes through
    await deleteOld(ago(90), counting as typeof world, NEVER);
    expect(left.at(-1)).toBe(0);
    const steps = left.slice(1).map((count, index) => (left[index] ?? count) - count);
    expect(Math.max(...steps)).toBe(BATCH);
  });

  test("files go that no message has any more, and how often messages are read does not depend on their number", async () => {
    const { store } = await retentionWorld(await options());
    const fileOf = (index: number) => `${index}`.padStart(40, "0");
    const at = new Date();
    // Only the last of very many messages has the first of the files.
    const messages = Array.from({ length: 1_100 }, (_, index) => {
      const body = JSON.stringify({ markdown: "", files: [{ id: fileOf(index === 1_099 ? 0 : 9_999) }] });
      return {
        id: `${index}`,
        key: `${index}`,
        threadId: "one",
        position: index,
        seq: index,
        fromPerson: false,
        at,
        body,
      };
    });
    const ids = Array.from({ length: 50 }, (_, index) => fileOf(index));
    let reads = 0;
    await store.transaction((tx) =>
      tx.tables(async (db) => {
        await db.webThread.create({ data: { id: "one", title: "t", createdAt: at, updatedAt: at } });
        await db.webMessage.createMany({ data: messages });
        const data = Buffer.from("");
        await db.webFile.createMany({ data: ids.map((id) => ({ id, name: "n", mediaType: "text/plain", data })) });
        const counting = (value: unknown) => (reads += 1) && value;
        const webMessage = new Proxy(db.webMessage, { get: (of, name) => counting(Reflect.get(of, name)) });
        const counted = new Proxy(db, {
          get: (of, name) => (name === "webMessage" ? webMessage : Reflect.get(of, name)),
        });
        await threadDeletion(counted).deleteFiles(ids);
      }),
    );
    expect(await store.tables((db) => db.webFile.findMany({ select: { id: true } }))).toEqual([{ id: fileOf(0) }]);
    expect(reads).toBe(2);
  });
});

// The first transaction is about memories.
test.each<[number, string[]]>([
  [1, ["two true"]],
  [3, ["one false", "two true"]],
])(
  "a command that is typed in an old thread %i transactions on stays, and so does the thread; pages learn what went",
  async (when, told) => {
    const world = await retentionWorld();
    const body = JSON.stringify({ markdown: "/help" });
    const write = (id: string, threadId: string, at: number) =>
      world.store.transaction((tx) =>
        tx.webThreads.insert(
          { id, key: id, threadId, at, body, fromPerson: true },
          { platform: "web", title: "/help" },
        ),
      );
    for (const threadId of ["one", "two"]) await write(`in ${threadId}`, threadId, ago(91));
    let transactions = 0;
    const transaction: typeof world.store.transaction = async (work) => {
      if (transactions === when) await write("meanwhile", "one", Date.now());
      transactions += 1;
      return world.store.transaction(work);
    };
    const erased: string[] = [];
    const store = { ...world.store, transaction };
    const watched: DeletionScope = { ...world, store, threadErased: (...one) => erased.push(one.join(" ")) };
    expect(await deleteOld(ago(90), watched, NEVER)).toMatchObject({ threads: 1 });
    expect(erased.toSorted()).toEqual(told);
    expect(await world.store.webThreads.message("meanwhile")).toMatchObject({ threadId: "one" });
  },
);

test("a deletion that cannot be finished keeps none waiting, neither of what was begun nor of what is old", async () => {
  const world = await retentionWorld();
  for (const id of ["ses_1", "ses_2", "ses_3"]) await seedSession(world, { id, word: "heron", at: ago(91) });
  await world.store.transaction((tx) =>
    tx.tables(async (db) => {
      await db.message.updateMany({ where: { sessionId: "ses_1" }, data: { content: "It is saved as attachments/" } });
      await db.session.update({ where: { id: "ses_1" }, data: { key: "deleted:ses_1" } });
      for (const [index, id] of ["ses_1", "ses_2"].entries()) {
        const row = { id: `old:${id}`, state: "begun", formerKey: id, createdAt: new Date(ago(1) + index) };
        await db.deletion.create({ data: row });
      }
    }),
  );
  await finishDeletions(world, NEVER);
  await deleteOld(ago(90), world, NEVER);
  const left = await world.store.tables((db) => db.session.findMany({ select: { id: true } }));
  expect(left).toEqual([{ id: "ses_1" }]);
});

test("a session whose thread cannot be read is deleted with what the page has of it, and keeps none from being", async () => {
  const world = await retentionWorld();
  for (const id of ["ses_1", "ses_2"]) {
    await seedSession(world, { id, word: `herongoes${id}`, platform: "web", at: ago(91) });
  }
  const thread = '{"platform":"telegraph"}';
  await world.store.transaction((tx) =>
    tx.tables(async (db) => {
      await db.session.update({ where: { id: "ses_1" }, data: { thread } });
      // Its thread is not old, so that it does not go for its own age.
      await db.webThread.updateMany({ data: { updatedAt: new Date() } });
    }),
  );
  const erased: string[] = [];
  const watched: DeletionScope = { ...world, threadErased: (...one) => erased.push(one.join(" ")) };
  expect(await deleteOld(ago(90), watched, NEVER)).toMatchObject({ sessions: 2 });
  expect(await world.store.tables((db) => db.session.count())).toBe(0);
  expect((await world.traces("herongoes")).filter((place) => place.startsWith("Web"))).toEqual([]);
  expect(new Set(erased)).toEqual(new Set(["ses_1.1 true", "ses_2.1 true"]));
});

test("of a thread that a session that can be read goes on in, only the messages of the one that cannot be read go", async () => {
  const world = await retentionWorld();
  await seedSession(world, { id: "ses_1", word: "herongoes", platform: "web", threadId: "one", at: ago(91) });
  await world.store.transaction((tx) =>
    tx.tables((db) => db.session.update({ where: { id: "ses_1" }, data: { thread: "", key: "web:T1:C1:one#ses_1" } })),
  );
  await seedSession(world, { id: "ses_2", word: "grebe", platform: "web", threadId: "one" });
  await deleteOld(ago(90), world, NEVER);
  const left = await world.store.tables((db) => db.webMessage.findMany({ select: { id: true } }));
  expect(left).toEqual([{ id: "ses_2-w1" }, { id: "ses_2-w2" }]);
});

describe("the thread of a session that cannot be read", () => {
  const web = { platform: "web", threadId: "one" } as const;
  /** In a thread in which somebody has written lately, so that it does not go for its own age. */
  const withUnreadable = async (...ids: readonly string[]) => {
    const world = await retentionWorld();
    const update = (work: (db: Client) => Promise<unknown>) => world.store.transaction((tx) => tx.tables(work));
    await seedSession(world, { ...web, id: "ses_1", word: "heron", at: ago(91) });
    for (const id of ["ses_1", ...ids]) {
      if (id !== "ses_1") await seedSession(world, { ...web, id, word: id });
      await update((db) => db.session.update({ where: { id }, data: { thread: "", key: `web:T1:C1:one#${id}` } }));
    }
    await update((db) => db.webThread.updateMany({ data: { updatedAt: new Date() } }));
    return world;
  };

  test("goes with it and its sub-agent", async () => {
    const world = await withUnreadable();
    await seedSession(world, { ...web, id: "ses_below", word: "egret", parentId: "ses_1", at: ago(91) });
    await deleteOld(ago(90), world, NEVER);
    expect(await world.store.webThreads.messages("one", null, 9)).toBeNull();
  });

  test("stays while there are messages of another one that cannot be read", async () => {
    const world = await withUnreadable("ses_2");
    await deleteOld(ago(90), world, NEVER);
    const left = await world.store.webThreads.messages("one", null, 9);
    expect(left?.map(({ id }) => id)).toEqual(["ses_2-w1", "ses_2-w2"]);
  });
});

test("what was being deleted for its age when the process died is finished, and what is pinned stays", async () => {
  const world = await retentionWorld();
  await seedSession(world, { id: "ses_1", word: "heron", at: ago(91) });
  await world.store.transaction((tx) =>
    tx.tables(async (db) => {
      await db.memory.update({ where: { id: "mem-ses_1" }, data: { isPinned: true } });
      await db.deletion.create({ data: { id: "old:ses_1", state: "begun", formerKey: "k", createdAt: new Date() } });
    }),
  );
  await finishDeletions(world, NEVER);
  const left = await world.store.tables((db) =>
    Promise.all([db.session.count(), db.memory.count(), db.deletion.count()]),
  );
  expect(left).toEqual([0, 1, 0]);
});
