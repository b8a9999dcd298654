import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { SessionEvent } from "../../src/core/events/session-event.ts";
import { sessionKeyOf, type ThreadRef } from "../../src/core/platform/thread.ts";
import { isStoreFailure } from "../../src/core/protocol/database-failure.ts";
import { StoreError } from "../../src/core/protocol/errors.ts";
import type { Message } from "../../src/core/protocol/messages.ts";
import { openStore, type Store } from "../../src/core/store/store.ts";
import { systemRuntime } from "../../src/runtime.ts";

/** Opens databases of one kind for the suite. */
export interface DatabaseHarness {
  /** Creates an empty database and resolves to its URL. */
  create(): Promise<string>;
  close(): Promise<void>;
}

const THREAD: ThreadRef = { platform: "slack", workspaceId: "T1", channelId: "C1", threadId: "1.1" };
const AT = 1_800_000_000_000;

/** Requirements for every database on the stores. */
export function storeContract(name: string, openHarness: () => Promise<DatabaseHarness>): void {
  describe(`the store on ${name}`, () => {
    let harness: DatabaseHarness;
    let store: Store;
    let url: string;

    beforeAll(async () => {
      harness = await openHarness();
    });
    afterAll(() => harness.close());
    beforeEach(async () => {
      url = await harness.create();
      store = await openStore(url, systemRuntime());
    });
    afterEach(() => store.close());

    test("reopens a database with its contents", async () => {
      await createSession(store);
      const again = await openStore(url, systemRuntime());
      expect(await again.sessions.byKey(sessionKeyOf(THREAD))).toMatchObject({ id: "ses_1", thread: THREAD });
      await again.close();
    });

    test("creates one session per thread under concurrent requests", async () => {
      await createSession(store);
      await expect(createSession(store, "ses_2")).rejects.toThrow();
      expect((await store.sessions.byKey(sessionKeyOf(THREAD)))?.id).toBe("ses_1");
    });

    test("ends a job's run that has waited for people for two months", async () => {
      const due = { id: "occ_1", jobId: "job_1", jobName: "daily", channelId: "slack:C1", scheduledFor: AT, at: AT };
      const end = { status: "succeeded", message: null, error: null, reportHash: null, at: AT } as const;
      await store.transaction((tx) => tx.occurrences.add({ ...due, trigger: "schedule", status: "running" }));
      await store.transaction((tx) => tx.occurrences.end("occ_1", { ...end, durationMs: 60 * 86_400_000 }));
      expect(await store.occurrences.get("occ_1")).toMatchObject({ status: "succeeded", durationMs: 2 ** 31 - 1 });
    });

    test("accepts long lists of ids, as a thread in use for years has them", async () => {
      await createSession(store);
      const ids = ["ses_1", ...Array.from({ length: 10_000 }, (_, index) => `ses_gone_${index}`)];
      expect(await store.runs.stoppedIn(ids)).toEqual([]);
      expect(await store.sessions.applicantsOf(ids)).toHaveLength(1);
    });

    test("creates sessions of one new channel concurrently, for threads and for jobs", async () => {
      const places = Array.from({ length: 5 }, (_, index) => ({ ...THREAD, threadId: `1.${index}` }));
      await Promise.all(places.map((thread, index) => createSession(store, `ses_${index}`, thread)));
      const created = { agent: "build", createdBy: "slack:U1", settings: {}, at: AT };
      const thread = { ...THREAD, workspaceId: "T2", channelId: "C2", threadId: null };
      const begin = (id: string) =>
        store.transaction((tx) => tx.sessions.createUnder(`job:${id}`, { ...created, id, thread }));
      await Promise.all(["job_1", "job_2", "job_3", "job_4"].map(begin));
      expect(await store.sessions.applicantsOf(["ses_4", "job_4"])).toHaveLength(2);
    });

    test("records all people who address a session concurrently", async () => {
      const { id } = await createSession(store);
      const everybody = Array.from({ length: 5 }, (_, index) => `slack:U${index + 1}`);
      await Promise.all(everybody.map((person) => store.transaction((tx) => tx.sessions.addPerson(id, person))));
      expect((await store.sessions.get(id)).people.toSorted()).toEqual(everybody);
    });

    test("gives a thread to one of two concurrent new sessions, with the settings of that moment", async () => {
      const session = await createSession(store);
      await store.transaction(async (tx) => {
        await tx.sessions.addPerson(session.id, "slack:U2");
        await tx.sessions.changeSettings(session.id, { mode: "read" }, AT);
      });
      const begin = (id: string) =>
        store.transaction((tx) => tx.sessions.startNewSession(session, { id, createdBy: "slack:U1", at: AT }));
      await Promise.all([begin("ses_2"), begin("ses_3")]);
      const fresh = await store.sessions.byKey(session.key);
      expect(fresh).toMatchObject({ people: ["slack:U1", "slack:U2"], settings: { mode: "read" } });
      expect(await store.sessions.applicantsOf(["ses_1", "ses_2", "ses_3"])).toHaveLength(2);
    });

    test("stores an event once per key, and returns events in order of arrival", async () => {
      await createSession(store);
      for (const key of ["a", "b", "c"]) await insert(store, key);
      await expect(insert(store, "b")).rejects.toThrow();
      expect((await store.inbox.waiting("ses_1", AT)).map((event) => event.key)).toEqual(["a", "b", "c"]);
      const first = await store.inbox.nextWaking("ses_1", AT);
      await store.transaction((tx) => tx.inbox.take([first?.seq ?? -1], "run_1"));
      expect((await store.inbox.nextWaking("ses_1", AT))?.key).toBe("b");
    });

    test("holds an event back until it is due, and returns the next due time", async () => {
      await createSession(store);
      await insert(store, "later", AT + 5_000);
      expect(await store.inbox.nextWaking("ses_1", AT)).toBeNull();
      expect(await store.inbox.nextDue(AT)).toBe(AT + 5_000);
      expect(await store.inbox.sessionsToWake(AT + 5_000)).toEqual(["ses_1"]);
    });

    test("rolls a failed transaction back as a whole", async () => {
      await createSession(store);
      const failed = store.transaction(async (tx) => {
        await tx.sessions.raiseEpoch("ses_1");
        await tx.runs.begin({ id: "run_1", sessionId: "ses_1", eventSeq: 1, at: AT });
        throw new StoreError("defect", "half-way");
      });
      await expect(failed).rejects.toThrow("half-way");
      expect(await store.runs.get("run_1")).toBeNull();
      await store.transaction((tx) => tx.sessions.fence("ses_1", 0, AT));
    });

    test("hides a transaction's writes from others until it commits", async () => {
      await createSession(store);
      await insert(store, "a");
      const { seq } = (await store.inbox.nextWaking("ses_1", AT)) ?? { seq: -1 };
      const waits = () => store.inbox.isWaiting("a");
      const taking = store.transaction(async (tx) => {
        await tx.inbox.take([seq], "run_1");
        return { within: await tx.inbox.isWaiting("a"), beside: await waits() };
      });
      expect(await taking).toEqual({ within: false, beside: true });
      expect(await waits()).toBe(false);
    });

    test("refuses writes under a past epoch", async () => {
      await createSession(store);
      const { epoch: old } = await store.transaction((tx) => tx.sessions.raiseEpoch("ses_1"));
      await store.transaction((tx) => tx.sessions.raiseEpoch("ses_1"));
      const stale = store.transaction((tx) => tx.sessions.fence("ses_1", old, AT));
      const error = await stale.catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: "stale_owner" });
      expect(isStoreFailure(error)).toBe(true);
    });

    test("numbers messages without gaps under fifty concurrent transactions", async () => {
      await createSession(store);
      await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          store.transaction(async (tx) => {
            await tx.sessions.fence("ses_1", 0, AT);
            await tx.messages.append("ses_1", "run_1", textMessage(`m${index}`));
          }),
        ),
      );
      const messages = await store.messages.list("ses_1");
      expect(new Set(messages.map((message) => message.id)).size).toBe(50);
    });

    test("stores a message's blocks, author and time unchanged", async () => {
      await createSession(store);
      const message: Message = {
        id: "msg_1",
        role: "user",
        content: [
          { type: "text", text: "héllo \u0000-less 👩‍🚀" },
          { type: "image", mediaType: "image/png", data: "aGk=", name: "a.png" },
          {
            type: "tool_result",
            toolUseId: "call_1",
            content: [{ type: "text", text: "a hint", isAdded: true }],
            isError: false,
            narrowsTo: ["read"],
          },
        ],
        author: { id: "slack:U1", name: "Ana" },
        context: true,
        createdAt: AT + 7,
      };
      const clean = {
        ...message,
        content: [{ type: "text", text: "héllo 👩‍🚀" } as const, ...message.content.slice(1)],
      };
      await store.transaction((tx) => tx.messages.append("ses_1", "run_1", clean));
      expect(await store.messages.list("ses_1")).toEqual([clean]);
    });

    test("records a tool call from pending to ended", async () => {
      await createSession(store);
      const run = { id: "run_1", sessionId: "ses_1" };
      const result = {
        content: [{ type: "text" as const, text: "done" }],
        isError: false,
        narrowsTo: ["read"],
        files: [{ path: "a.txt", sha256: "00", action: "wrote" as const }],
      };
      await store.transaction((tx) =>
        tx.toolCalls.add(run, 1, [{ type: "tool_use", id: "c1", name: "write", input: { path: "a.txt" } }]),
      );
      await store.transaction((tx) => tx.toolCalls.begun("run_1", "c1", AT));
      await store.transaction((tx) =>
        tx.toolCalls.intends("run_1", "c1", { path: "a.txt", before: null, after: "00" }),
      );
      expect(await store.toolCalls.ofRun("run_1")).toMatchObject([
        { status: "begun", input: { path: "a.txt" }, intent: { before: null, after: "00" }, result: null },
      ]);
      await store.transaction((tx) => tx.toolCalls.ended("run_1", "c1", { result, durationMs: 1.6, at: AT }));
      expect(await store.toolCalls.ofRun("run_1")).toMatchObject([{ status: "ended", result, durationMs: 2 }]);
      expect(await store.toolCalls.filesBefore("ses_1", "run_2")).toEqual(result.files);
      expect(await store.toolCalls.filesBefore("ses_1", "run_1")).toEqual([]);
    });

    test("reports a run's cost as unknown as soon as one call's is", async () => {
      await createSession(store);
      await addUsage(store, 1, 0.25);
      expect(await store.usage.ofRun("run_1")).toMatchObject({ turns: 1, costUsd: 0.25 });
      await addUsage(store, 2, null);
      expect(await store.usage.ofRun("run_1")).toMatchObject({
        turns: 2,
        costUsd: null,
        usage: { inputTokens: 20, outputTokens: 10 },
      });
    });

    test("stores each state of a session's projection, and returns the newest", async () => {
      await createSession(store);
      const none = { number: 0, evictedResults: 0, summary: null, failures: 0 };
      expect(await store.compactions.newestOf("ses_1")).toEqual({ projection: none, at: null });
      const first = { ...none, number: 1, evictedResults: 4 };
      const second = { ...first, number: 2, summary: { text: "Önce", messages: 12, madeAt: 30 } };
      const label = { who: ["outside:docs.test", "slack:U1"], holds: ["channel" as const] };
      const third = { ...second, number: 3, summary: { ...second.summary, label } };
      for (const projection of [first, second]) {
        await store.transaction((tx) => tx.compactions.add("ses_1", "run_1", { projection, at: AT }));
      }
      expect(await store.compactions.newestOf("ses_1")).toEqual({ projection: second, at: AT });
      const again = store.transaction((tx) => tx.compactions.add("ses_1", "run_2", { projection: second, at: AT }));
      await expect(again).rejects.toThrow();
      await store.transaction((tx) => tx.compactions.add("ses_1", "run_2", { projection: third, at: AT }));
      expect((await store.compactions.newestOf("ses_1")).projection).toEqual(third);
    });

    test("stores a file's label by its path and content", async () => {
      const file = { path: "plan.md", sha256: "a", label: { who: ["outside:docs.test"], holds: ["files" as const] } };
      const changed = { ...file, sha256: "b", label: { who: ["outside:alerts"], holds: ["files" as const] } };
      await store.transaction(async (tx) => {
        await tx.fileLabels.put("/root", file);
        await tx.fileLabels.put("/root", file);
        await tx.fileLabels.put("/root", changed);
        await tx.fileLabels.put("/other", file);
      });
      expect(await store.fileLabels.inRoot("/root")).toEqual([file, changed]);
      expect(await store.fileLabels.inRoot("/nowhere")).toEqual([]);
    });

    test("stores a message's label, or none", async () => {
      await createSession(store);
      const label = { who: ["slack:U1"], holds: ["channel" as const] };
      const labelled = { id: "msg_l1", role: "user" as const, content: [], label, createdAt: AT };
      const { label: _, ...bare } = { ...labelled, id: "msg_l2" };
      await store.transaction((tx) =>
        tx.messages.add({ sessionId: "ses_1", runId: "run_1", after: 0 }, [labelled, bare]),
      );
      expect(await store.messages.list("ses_1")).toEqual([labelled, bare]);
    });

    test("counts the cost of a summary, but not as a turn", async () => {
      await createSession(store);
      await addUsage(store, 1, 0.25);
      await addUsage(store, -1, 0.5);
      expect(await store.usage.ofRun("run_1")).toMatchObject({ turns: 1, costUsd: 0.75, usage: { inputTokens: 20 } });
      expect(await store.usage.newestTurn("ses_1")).toMatchObject({ usage: { inputTokens: 10 }, at: AT });
      expect(await store.usage.newestTurn("ses_2")).toBeNull();
    });

    test("keeps the first of two stops, and none after the run's end", async () => {
      await createSession(store);
      const event = await insert(store, "a");
      await store.transaction((tx) => tx.runs.begin({ id: "run_1", sessionId: "ses_1", eventSeq: event.seq, at: AT }));
      expect(await store.transaction((tx) => tx.runs.requestCancel("run_1", { by: "person", name: "@ana" }))).toBe(
        true,
      );
      expect(await store.transaction((tx) => tx.runs.requestCancel("run_1", { by: "person", name: "@ben" }))).toBe(
        false,
      );
      expect((await store.runs.get("run_1"))?.cancelledBy).toEqual({ by: "person", name: "@ana" });
      await store.transaction((tx) =>
        tx.runs.end("run_1", { type: "cancelled", cause: { by: "person", name: "@ana" } }, AT),
      );
      expect(await store.runs.open("ses_1")).toBeNull();
    });

    test("gives a web message a fixed position, and every change a sequence number", async () => {
      const message = { id: "m1", threadId: "t1", key: "web:1", fromPerson: true, at: AT, body: "{}" };
      const insertWeb = () =>
        store.transaction((tx) => tx.webThreads.insert(message, { platform: "web", title: "Hi" }));
      expect(await insertWeb()).toMatchObject({ type: "inserted", message: { position: 1, seq: 1 } });
      expect(await insertWeb()).toMatchObject({ type: "duplicate", message: { position: 1 } });
      const updated = await store.transaction((tx) => tx.webThreads.update("m1", () => '{"a":1}'));
      expect(updated).toMatchObject({ position: 1, seq: 2, body: '{"a":1}' });

      const change = { message: updated, thread: { id: "t1", title: "Hi" } };
      expect(await store.webThreads.changes("web", 1, 10)).toMatchObject([change]);
      expect(await store.webThreads.changes("terminal", 1, 10), "of another platform").toEqual([]);

      expect(await store.webThreads.threads("terminal", 10)).toEqual([]);
      expect(await store.webThreads.messages("nowhere", null, 10)).toBeNull();
      const data = Uint8Array.of(0, 1, 255);
      const putFile = (name: string) =>
        store.transaction((tx) => tx.webThreads.putFile({ id: "f1", name, mediaType: "b", data }));
      await Promise.all(["a", "b", "c", "d"].map(putFile));
      expect(Buffer.from((await store.webThreads.file("f1"))?.data ?? [])).toEqual(Buffer.from(data));
    });
  });
}

async function createSession(store: Store, id = "ses_1", thread = THREAD) {
  return store.transaction((tx) =>
    tx.sessions.create({
      id,
      key: sessionKeyOf(thread),
      thread,
      workspaceName: "Acme",
      channel: { name: "ops", kind: "channel" },
      agent: "build",
      createdBy: "slack:U1",
      at: AT,
    }),
  );
}

async function insert(store: Store, key: string, dueAt = AT) {
  const event: SessionEvent = { key, body: { kind: "resume", of: key } };
  return store.transaction((tx) =>
    tx.inbox.insert({ sessionId: "ses_1", event, wakes: true, resumes: true, dueAt, at: AT }),
  );
}

async function addUsage(store: Store, turn: number, costUsd: number | null): Promise<void> {
  const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const account = { personId: "slack:U1", channelId: "slack:C1", model: "a/b", stopReason: "end_turn" as const };
  await store.transaction((tx) =>
    tx.usage.add({ runId: "run_1", sessionId: "ses_1", turn, ...account, usage, costUsd, at: AT }),
  );
}

function textMessage(id: string): Message {
  return { id, role: "user", content: [{ type: "text", text: id }], createdAt: AT };
}
