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
  test("old sessions are deleted completely; newer, running and pinned ones are kept", async () => {
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

  test("all old threads without a session are deleted, however many there are", async () => {
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

  test("no transaction deletes more rows of a table than one batch", async () => {
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

  test("unreferenced files are deleted, and the number of message reads does not depend on theirs", async () => {
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
  "a command typed in an old thread during deletion, after %i transactions, is kept with its thread, and pages are told what was deleted",
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

test("a deletion that fails delays neither other started deletions nor those of old sessions", async () => {
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

test("a session with an unreadable thread is deleted with its messages on the page, and blocks no other deletion", async () => {
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

test("if a readable session continues the thread, only the unreadable session's messages are deleted", async () => {
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

describe("the page's thread of an unreadable session", () => {
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

  test("is deleted with the session and its sub-agent", async () => {
    const world = await withUnreadable();
    await seedSession(world, { ...web, id: "ses_below", word: "egret", parentId: "ses_1", at: ago(91) });
    await deleteOld(ago(90), world, NEVER);
    expect(await world.store.webThreads.messages("one", null, 9)).toBeNull();
  });

  test("is kept while it has messages of another unreadable session", async () => {
    const world = await withUnreadable("ses_2");
    await deleteOld(ago(90), world, NEVER);
    const left = await world.store.webThreads.messages("one", null, 9);
    expect(left?.map(({ id }) => id)).toEqual(["ses_2-w1", "ses_2-w2"]);
  });
});

test("after a crash started deletions of old sessions are finished, and pinned sessions are kept", async () => {
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
