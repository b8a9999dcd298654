import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ApprovalCall, ApprovalDecision } from "../../src/core/store/run/approvals.ts";
import type { GrantRow } from "../../src/core/store/run/grants.ts";
import { openStore, type Store } from "../../src/core/store/store.ts";
import { systemRuntime } from "../../src/runtime.ts";
import type { DatabaseHarness } from "./store.ts";

const AT = 1_800_000_000_000;
const ANA = { id: "slack:U1", name: "ana" };
/** A call as its card showed it, with characters that others may put into it. */
const CALL: ApprovalCall = {
  callId: "call_1",
  tool: "edit",
  input: "{}",
  grant: { key: "write:a", label: "changes to a" },
  title: "edit a",
  previewDigest: "digest",
  shown: {
    question: "Change ‘a’\u202e?",
    language: "diff",
    text: "-\u{1f525}\n+<script>'\"\\;--",
    facts: ["a fact"],
    reach: "no network",
    answers: { allow: "Yes", deny: "No" },
    why: "it is new",
  },
};
const HERE = { sessionId: "ses_1", channelId: "slack:C1" };

/** Requirements for every database on decisions that several people make at once. */
export function decisionContract(name: string, openHarness: () => Promise<DatabaseHarness>): void {
  describe(`decisions on ${name}`, () => {
    let harness: DatabaseHarness;
    let stores: readonly [Store, Store];

    beforeAll(async () => {
      harness = await openHarness();
    });
    afterAll(() => harness.close());
    beforeEach(async () => {
      const url = await harness.create();
      stores = [await openStore(url, systemRuntime()), await openStore(url, systemRuntime())];
      await seed(stores[0]);
    });
    afterEach(() => Promise.all(stores.map((store) => store.close())));

    /**
     * Lets ten people decide at once, half of them in another process; resolves to how many were told that their
     * decision counted.
     */
    async function race(decide: (store: Store, index: number) => Promise<boolean>): Promise<number> {
      const decided = await Promise.all(
        Array.from({ length: 10 }, (_, index) => decide(stores[index % 2 === 0 ? 0 : 1], index)),
      );
      return decided.filter(Boolean).length;
    }

    test("an approval is decided once, and keeps that decision", async () => {
      const decision = (index: number): ApprovalDecision => {
        const isAllowed = index % 3 === 0;
        const status = isAllowed ? "allowed" : "denied";
        return { status, scope: isAllowed ? "once" : null, decidedBy: `@person${index}`, at: AT };
      };
      const won = await race((store, index) =>
        store.transaction((tx) => tx.approvals.decide("run_1:1", decision(index))),
      );
      expect(won).toBe(1);
      const [first, second] = await Promise.all(stores.map((store) => store.approvals.get("run_1:1")));
      expect(first).toEqual(second);
      const by = Number(first?.decidedBy?.slice("@person".length));
      expect(first).toMatchObject({ status: decision(by).status, scope: decision(by).scope });
      expect(first?.calls).toEqual([CALL]);
    });

    test("a question is answered once", async () => {
      const won = await race((store, index) =>
        store.transaction((tx) =>
          tx.questions.answer("q_1", { answer: { choice: null, text: `${index}` }, by: ANA, at: AT }),
        ),
      );
      expect(won).toBe(1);
      expect(await stores[1].questions.answerersOf("run_1")).toEqual([ANA]);
    });

    test("a grant holds for its session or its channel until it is revoked, once", async () => {
      const [store] = stores;
      await grant(store, { id: "g_session", sessionId: "ses_1" });
      await grant(store, { id: "g_always", sessionId: null, createdAt: AT + 1 });
      await grant(store, { id: "g_elsewhere", sessionId: null, channelId: "slack:C2" });
      const inForce = async (place: typeof HERE) => (await stores[1].grants.inForce(place)).map(({ id }) => id);
      expect(await inForce(HERE)).toEqual(["g_session", "g_always"]);
      expect(await inForce({ ...HERE, sessionId: "ses_2" })).toEqual(["g_always"]);
      expect(await race((each) => each.transaction((tx) => tx.grants.revoke("g_always", AT)))).toBe(1);
      expect(await inForce({ ...HERE, sessionId: "ses_2" })).toEqual([]);
    });

    test("a decided card counts as unfinished until its edit has been shown", async () => {
      const [store] = stores;
      const key = "run_1:approval:1";
      await store.transaction((tx) => tx.posts.intend({ key, runId: "run_1", sessionId: "ses_1", at: AT }));
      const closing = async (of: Store) => (await of.posts.get(key))?.closing;
      const unclosed = async () => (await store.posts.unclosed()).map((post) => post.key);
      expect(await closing(store)).toBeNull();
      await store.transaction((tx) => tx.runs.end("run_1", { type: "max_turns", turns: 1 }, AT));
      const last = { lane: "approval", markdown: "✓", tone: "plain", buttons: [], files: [] } as const;
      await store.transaction((tx) => tx.posts.closes(key, last));
      const ofLater = { key: "run_1:later", runId: "run_1", sessionId: "ses_1", at: AT };
      await store.transaction(async (tx) => {
        await tx.posts.intend(ofLater);
        const data = { closing: JSON.stringify({ ...last, lane: "of a later version" }) };
        await tx.tables((db) => db.post.update({ where: { key: ofLater.key }, data }));
      });
      expect([await closing(stores[1]), await unclosed()]).toEqual(["stored", [key]]);
      const setThread = (thread: string) =>
        store.transaction((tx) => tx.tables((db) => db.session.update({ where: { id: "ses_1" }, data: { thread } })));
      const { thread } = await store.sessions.get("ses_1");
      await setThread('{"platform":"telegraph"}');
      expect(await unclosed(), "a session that cannot be read hides no others").toEqual([]);
      await setThread(JSON.stringify(thread));
      await stores[1].transaction((tx) => tx.posts.closed(key, 0));
      expect([await closing(store), await unclosed()]).toEqual(["shown", []]);
    });
  });
}

async function seed(store: Store): Promise<void> {
  const thread = { platform: "slack", workspaceId: "T1", channelId: "C1", threadId: "1" } as const;
  const channel = { name: "ops", kind: "channel" } as const;
  const people = { requester: ANA, others: [], mayRemember: true };
  await store.transaction(async (tx) => {
    const session = { id: "ses_1", key: "slack:T1:C1:1", thread, workspaceName: "Acme", channel, agent: "build" };
    await tx.sessions.create({ ...session, createdBy: ANA.id, at: AT });
    const event = { key: "slack:T1:C1:1", body: { kind: "resume", of: "nothing" } } as const;
    const { seq } = await tx.inbox.insert({
      sessionId: "ses_1",
      event,
      wakes: true,
      resumes: false,
      dueAt: AT,
      at: AT,
    });
    await tx.runs.begin({ id: "run_1", sessionId: "ses_1", eventSeq: seq, at: AT });
    const row = { id: "run_1:1", sessionId: "ses_1", runId: "run_1", turn: 1, calls: [CALL], people };
    await tx.approvals.create({ ...row, expiresAt: AT + 1, createdAt: AT });
    const body = { kind: "question", question: "Which?", options: [] } as const;
    await tx.questions.open({
      id: "q_1",
      sessionId: "ses_1",
      runId: "run_1",
      askedOf: null,
      body: { ...body, options: [] },
      at: AT,
    });
  });
}

function grant(store: Store, row: Partial<GrantRow>): Promise<void> {
  const usual = {
    channelId: HERE.channelId,
    personId: ANA.id,
    key: "bash:ls",
    label: "this command",
    grantedBy: "@ana",
  };
  return store.transaction((tx) => tx.grants.add({ id: "g", sessionId: null, createdAt: AT, ...usual, ...row }));
}
