import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { type DeletionScope, deleteSessions } from "../../../src/features/retention/delete-sessions.ts";
import { SESSION_TABLES, TABLES } from "../../../src/features/retention/tables.ts";
import { inThreads } from "../../../src/features/retention/threads/store.ts";
import { useEmptiedPostgres } from "../../support/database/emptied-databases.ts";
import { tempDirectory } from "../../support/temp-directory.ts";
import { type RetentionWorld, retentionWorld, type WorldOptions } from "./retention-world.ts";
import { seedSession, sha256 } from "./seed.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const NEVER = AbortSignal.any([]);

test("every table has a retention rule, and docs/retention.md names it", () => {
  const models = [...readFileSync(path.join(root, "prisma/models.prisma"), "utf8").matchAll(/^model (\w+)/gmu)];
  const names = models.flatMap(([, name]) => name ?? []);
  expect(Object.keys(TABLES).toSorted()).toEqual(names.toSorted());
  const docs = readFileSync(path.join(root, "docs/retention.md"), "utf8");
  expect(names.filter((name) => !docs.includes(`\`${name}\``))).toEqual([]);
});

test("every table that refers to a session is deleted with it, or documented as kept", () => {
  const text = readFileSync(path.join(root, "prisma/models.prisma"), "utf8");
  const models = [...text.matchAll(/^model (\w+) \{\n(.*?)^\}/gmsu)];
  const hanging = models
    .filter(([, , body]) => /^ {2}(?:sessionId|runId) /mu.test(body ?? ""))
    .map(([, name]) => `${name}`);
  const others = ["Grant", "Memory", "JobOccurrence", "Usage"];
  expect([...SESSION_TABLES.map(([name]) => name), ...others].toSorted()).toEqual(hanging.toSorted());
});

const emptied = useEmptiedPostgres();

const databases: [string, () => Promise<WorldOptions>][] = [
  ["SQLite", async () => ({})],
  ["PostgreSQL", async () => ({ database: await emptied() })],
];

const deletion = async (world: RetentionWorld & Pick<DeletionScope, "threadErased">, id: string) =>
  (await deleteSessions({ why: "session", roots: [id] }, world, NEVER)).get(id);

describe.each(databases)("on %s", (_name, options) => {
  test("nothing of a deleted session is left in any table or file, and other sessions are unchanged", async () => {
    const world = await retentionWorld(await options());
    const shared = "what both have changed";
    await seedSession(world, { id: "ses_1", word: "herongoes", platform: "web", shares: [shared] });
    await seedSession(world, {
      id: "ses_2",
      word: "herongoesbelow",
      platform: "web",
      threadId: "ses_1.1",
      parentId: "ses_1",
    });
    await seedSession(world, { id: "ses_3", word: "grebestays", platform: "web", shares: [shared] });
    expect((await world.traces("herongoes")).length).toBeGreaterThan(20);
    // Where in its files SQLite keeps something is its own affair.
    const others = async () => (await world.traces("grebestays")).filter((place) => !place.startsWith("deckhand.db"));
    const before = await others();
    expect(await deletion(world, "ses_1")).toBe("deleted");
    expect(await world.traces("herongoes")).toEqual([]);
    expect(await others()).toEqual(before);
    expect(existsSync(path.join(world.snapshots, sha256(shared)))).toBe(true);
    expect(existsSync(path.join(world.home, "executors/ses_2"))).toBe(false);
  });

  test("spending and decisions are kept, without anybody's text", async () => {
    const world = await retentionWorld(await options());
    await seedSession(world, { id: "ses_1", word: "herongoes" });
    await deletion(world, "ses_1");
    const kept = await world.store.tables(async (db) => ({
      usage: await db.usage.findMany({ select: { sessionId: true, costUsd: true, model: true } }),
      audit: await db.auditEntry.findMany({ select: { by: true, act: true, about: true } }),
      occurrences: await db.jobOccurrence.findMany({ select: { status: true, costUsd: true, message: true } }),
      grants: await db.grant.findMany({ select: { label: true, givenIn: true } }),
      answered: await db.answeredMessage.findMany({ select: { key: true } }),
    }));
    expect(kept).toEqual({
      usage: [{ sessionId: "ses_1", costUsd: 0.5, model: "anthropic/claude-sonnet-5-5" }],
      audit: [{ by: "@ana", act: "approval.allowed", about: "bash" }],
      occurrences: [{ status: "succeeded", costUsd: 0.5, message: null }],
      grants: [{ label: "ls", givenIn: null }],
      answered: expect.arrayContaining([{ key: "slack:T1:C1:ses_1" }]),
    });
  });

  test("a session with an active run, its own or a sub-agent's, is not deleted", async () => {
    const world = await retentionWorld(await options());
    await seedSession(world, { id: "ses_1", word: "heron" });
    await seedSession(world, { id: "ses_2", word: "below", parentId: "ses_1", isOver: false });
    const before = await world.traces("heron");
    expect(await deletion(world, "ses_1")).toBe("live");
    expect(await world.traces("heron")).toEqual(before);
    expect((await world.store.sessions.byKey("slack:T1:C1:ses_1.1"))?.id).toBe("ses_1");
    expect(await world.store.tables((db) => db.deletion.count())).toBe(0);
  });

  test("an event that arrives during marking prevents the deletion", async () => {
    const world = await retentionWorld(await options());
    await seedSession(world, { id: "ses_1", word: "heron" });
    const at = new Date();
    const body = JSON.stringify({ kind: "message" });
    const gone = async () =>
      world.store.transaction((tx) =>
        tx.tables((db) =>
          db.inboxEvent.create({
            data: { key: "new", sessionId: "ses_1", body, wakes: true, state: "waiting", dueAt: at, createdAt: at },
          }),
        ),
      );
    const coming: Promise<unknown>[] = [];
    const outcome = await deleteSessions(
      { why: "session", roots: ["ses_1"] },
      { ...world, sessionsGone: () => coming.push(gone()) },
      NEVER,
    );
    await Promise.all(coming);
    expect(outcome.get("ses_1")).toBe("live");
    expect((await world.store.sessions.byKey("slack:T1:C1:ses_1.1"))?.id).toBe("ses_1");
    expect(await world.store.tables((db) => db.message.count())).toBe(2);
  });

  test("a memory that was replaced by a deleted one applies again", async () => {
    const world = await retentionWorld(await options());
    await seedSession(world, { id: "ses_1", word: "heron" });
    await seedSession(world, { id: "ses_2", word: "grebe" });
    await world.store.transaction((tx) =>
      tx.tables((db) =>
        db.memory.update({ where: { id: "mem-ses_2" }, data: { endedAt: new Date(), endedBy: "mem-ses_1" } }),
      ),
    );
    await deletion(world, "ses_1");
    const left = await world.store.tables((db) => db.memory.findMany({ select: { id: true, endedBy: true } }));
    expect(left).toEqual([{ id: "mem-ses_2", endedBy: null }]);
  });

  test("of a page thread that another session continues, only the deleted session's messages are removed", async () => {
    const world = await retentionWorld(await options());
    await seedSession(world, { id: "ses_1", word: "herongoes", platform: "web", threadId: "one" });
    await world.store.transaction((tx) =>
      tx.tables((db) => db.session.update({ where: { id: "ses_1" }, data: { key: "web:T1:C1:one#ses_1" } })),
    );
    await seedSession(world, { id: "ses_2", word: "grebe", platform: "web", threadId: "one" });
    await world.store.transaction((tx) => tx.tables((db) => db.webThread.updateMany({ data: { title: "both" } })));
    const erased: [string, boolean][] = [];
    await deletion({ ...world, threadErased: (...one) => erased.push(one) }, "ses_1");
    expect(erased).toEqual([["one", false]]);
    expect(await world.traces("herongoes")).toEqual([]);
    const left = await world.store.tables((db) => db.webMessage.findMany({ select: { id: true } }));
    expect(left).toEqual([{ id: "ses_2-w1" }, { id: "ses_2-w2" }]);
  });
});

test("a command typed in a page thread during its deletion is deleted with it", async () => {
  const world = await retentionWorld();
  await seedSession(world, { id: "ses_1", word: "herongoes", platform: "web", threadId: "one" });
  const typed = { id: "typed", key: "typed", threadId: "one", fromPerson: true, at: Date.now(), body: "herongoes" };
  let transactionsWithout = 0;
  const transaction: typeof world.store.transaction = async (work) => {
    if ((await world.store.webThreads.messages("one", null, 1))?.length === 0) transactionsWithout += 1;
    // The first one finds that no message is left, and the second one deletes the thread.
    if (transactionsWithout === 2) await world.store.transaction((tx) => tx.webThreads.insert(typed, null));
    return world.store.transaction(work);
  };
  expect(await deletion({ ...world, store: { ...world.store, transaction } }, "ses_1")).toBe("deleted");
  expect(transactionsWithout).toBe(2);
  expect(await world.traces("herongoes")).toEqual([]);
});

test("messages in a shared thread are deleted even if they exceed a statement's maximum of parameters", async () => {
  const world = await retentionWorld();
  await seedSession(world, { id: "ses_1", word: "heron", platform: "web", threadId: "one" });
  await seedSession(world, { id: "ses_2", word: "grebe", platform: "web" });
  await world.store.transaction((tx) =>
    tx.tables(
      (db) => db.$executeRaw`
        INSERT INTO "Post" ("key", "runId", "sessionId", "state", "intentAt")
        WITH RECURSIVE "n"("i") AS (SELECT 1 UNION ALL SELECT "i" + 1 FROM "n" WHERE "i" < 40000)
        SELECT 'run_ses_1:' || "i", 'run_ses_1', 'ses_1', 'sent', ${new Date().toISOString()} FROM "n"`,
    ),
  );
  expect(await inThreads(world.store, (threads) => threads.messagesOfSessions("one", ["ses_1"]))).toBe(2);
  expect(await world.store.webThreads.messages("one", null, 9)).toEqual([]);
});

test("an attachment that another session of the channel refers to is kept", async () => {
  const world = await retentionWorld();
  await seedSession(world, { id: "ses_1", word: "heron" });
  await seedSession(world, { id: "ses_2", word: "heron" });
  const file = path.join(world.home, "sandbox/slack-C1/attachments/heron.txt");
  await deletion(world, "ses_1");
  expect(existsSync(file)).toBe(true);
  await deletion(world, "ses_2");
  expect(existsSync(file)).toBe(false);
});

test("an open card is closed, and pending edits of messages are awaited, before their rows are deleted", async () => {
  const world = await retentionWorld();
  await seedSession(world, { id: "ses_1", word: "heron" });
  const closed: string[] = [];
  const post = { where: { key: "run_ses_1:answer" } };
  const posts = () => world.store.tables((db) => db.post.count(post));
  const shown = (shownAt: Date | null) =>
    world.store.transaction((tx) => tx.tables((db) => db.post.update({ ...post, data: { shownAt } })));
  let waited = 0;
  let isUnder = false;
  const { clock } = world.runtime;
  await deleteSessions(
    { why: "session", roots: ["ses_1"] },
    {
      ...world,
      closeCard: async ({ runId, hook, thread }, { markdown }) => {
        closed.push(`${runId} ${hook} ${thread.channelId} ${markdown.slice(0, 8)}`);
        await shown(null);
        isUnder = true;
      },
      // While it is waited for, people come to see the last state.
      runtime: {
        clock: {
          ...clock,
          sleep: async (ms, signal) => {
            if (isUnder) {
              waited = await posts();
              await shown(new Date());
              isUnder = false;
            }
            await clock.sleep(ms, signal);
          },
        },
      },
    },
    NEVER,
  );
  expect(closed).toEqual(["run_ses_1 instructions C1 ⏹ Closed"]);
  expect(waited).toBe(1);
  expect(await posts()).toBe(0);
});

test.each<[string, (attachments: string) => void]>([
  ["a file", (attachments) => writeFileSync(attachments, "")],
  ["a link that leads elsewhere", (attachments) => symlinkSync(tempDirectory(), attachments)],
  ["a link to itself", (attachments) => symlinkSync("attachments", attachments)],
  ["a link to nothing", (attachments) => symlinkSync("gone", attachments)],
])("a session is deleted even if %s is in place of its attachments directory", async (_what, put) => {
  const world = await retentionWorld();
  await seedSession(world, { id: "ses_1", word: "heron" });
  const attachments = path.join(world.home, "sandbox/slack-C1/attachments");
  rmSync(attachments, { recursive: true });
  put(attachments);
  expect(await deletion(world, "ses_1")).toBe("deleted");
});
