import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { sessionKeyOf, type ThreadRef } from "../../../../src/core/platform/thread.ts";
import { openStore, type Store } from "../../../../src/core/store/store.ts";
import { systemRuntime } from "../../../../src/runtime.ts";
import { startPostgres } from "../../../support/database/postgres.ts";
import { tempDirectory } from "../../../support/temp-directory.ts";

const AT = 1_800_000_000_000;
const DAY_MS = 86_400_000;
const THREAD: ThreadRef = { platform: "slack", workspaceId: "T1", channelId: "C1", threadId: "1" };

/** Two of Ana's calls and one of Ben's; Ben's model has no price. */
const CALLS = [
  { runId: "run_1", personId: "slack:U1", channelId: "slack:C1", model: "a/one", costUsd: 0.5, at: AT },
  { runId: "run_2", personId: "slack:U1", channelId: "slack:C2", model: "a/two", costUsd: 0.25, at: AT + DAY_MS },
  { runId: "run_3", personId: "slack:U2", channelId: "slack:C1", model: "b/new", costUsd: null, at: AT + DAY_MS },
];

async function fill(store: Store): Promise<void> {
  await store.transaction(async (tx) => {
    await tx.sessions.create({
      id: "ses_1",
      key: sessionKeyOf(THREAD),
      thread: THREAD,
      workspaceName: "Acme",
      channel: { name: "ops", kind: "channel" },
      agent: "build",
      createdBy: "slack:U1",
      at: AT,
    });
    for (const [index, name] of ["zoe", "ana"].entries()) {
      const author = { id: "slack:U1", name };
      const createdAt = AT + index;
      await tx.messages.append("ses_1", "run_1", { id: `msg_${index}`, role: "user", content: [], author, createdAt });
    }
    const usage = { inputTokens: 10, outputTokens: 20, cacheReadTokens: 30, cacheWriteTokens: 40 };
    for (const call of CALLS)
      await tx.usage.add({ ...call, turn: 1, sessionId: "ses_1", stopReason: "end_turn", usage });
  });
}

const DATABASES = {
  SQLite: () => Promise.resolve({ url: `file:${tempDirectory()}/usage.db`, stop: () => Promise.resolve() }),
  PostgreSQL: async () => {
    const postgres = await startPostgres();
    return { url: await postgres.createDatabase(), stop: () => postgres.stop() };
  },
};

test.each(Object.entries(DATABASES))(
  "%s sums up what was spent, by what and when, and names it",
  async (_name, open) => {
    const { url, stop } = await open();
    onTestFinished(stop);
    const store = await openStore(url, systemRuntime());
    onTestFinished(() => store.close());
    await fill(store);
    const { usage } = store;
    expect(await usage.total({ since: AT })).toEqual({ costUsd: 0.75, tokens: 300, calls: 3, unpriced: 1 });
    expect(await usage.total({ since: AT, until: AT + DAY_MS })).toMatchObject({ costUsd: 0.5, calls: 1 });
    expect(await usage.total({ since: AT, channelId: "slack:C2" })).toMatchObject({ costUsd: 0.25 });
    expect(await usage.total({ since: AT + 2 * DAY_MS })).toEqual({ costUsd: 0, tokens: 0, calls: 0, unpriced: 0 });
    expect(
      (await usage.sumsBy("personId", { since: AT })).map(({ key, costUsd, calls }) => [key, costUsd, calls]),
    ).toEqual([
      ["slack:U1", 0.75, 2],
      ["slack:U2", 0, 1],
    ]);
    expect((await usage.sumsBy("model", { since: AT })).map(({ key }) => key)).toEqual(["a/one", "a/two", "b/new"]);
    expect([...(await usage.namesOf("personId", ["slack:U1", "slack:U2"]))]).toEqual([["slack:U1", "@ana"]]);
    expect([...(await usage.namesOf("channelId", ["slack:C1"]))]).toEqual([["slack:C1", "#ops"]]);
  },
);

describe("settings of a session on PostgreSQL", () => {
  let postgres: Awaited<ReturnType<typeof startPostgres>>;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());

  test("changes at the same time all hold", async () => {
    const store = await openStore(await postgres.createDatabase(), systemRuntime());
    await fill(store);
    const changes = [{ mode: "read" }, { model: "a/one" }, { effort: "high" }, { activeSkill: "developer" }] as const;
    await Promise.all(
      changes.map((change) => store.transaction((tx) => tx.sessions.changeSettings("ses_1", change, AT))),
    );
    expect((await store.sessions.get("ses_1")).settings).toEqual(Object.assign({}, ...changes));
    await store.transaction((tx) => tx.sessions.changeSettings("ses_1", { mode: null }, AT));
    expect((await store.sessions.get("ses_1")).settings).not.toHaveProperty("mode");
    await store.close();
  });
});
